package process

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// scopedABI is the version of Landlock that first keeps abstract unix sockets apart (Linux 6.12, landlock(7)).
const scopedABI = 6

// scopeSockets keeps what this thread starts from abstract unix sockets of others. They have no file that a user could be
// kept from, and the network, which they belong to, is the node's. An older kernel leaves them open: Limits says so.
func scopeSockets() error {
	if landlockABI() < scopedABI {
		return nil
	}
	attr := struct{ files, network, scoped uint64 }{scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("a scope for sockets: %w", errno)
	}
	_, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
	err := unix.Close(int(fd))
	if errno != 0 {
		err = fmt.Errorf("entering a scope for sockets: %w", errno)
	}
	return err
}

// landlockABI is 0 where the kernel has no Landlock, or it is switched off.
func landlockABI() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

func (e *Executor) socketLimit() gpu.Limit {
	if landlockABI() < scopedABI {
		return gpu.Limit{Name: "sockets", Detail: "abstract unix sockets of other programs of this machine can be connected to: Linux 6.12 with Landlock keeps them apart, and so do images"}
	}
	return gpu.Limit{Name: "sockets", Enforced: true, Detail: "abstract unix sockets are kept apart by Landlock"}
}

// leaveKeyring gives this thread a session keyring of its own: the console's, with the keys in it, is inherited otherwise. Where
// an engine forbids all of it, nobody in there reads keys either.
func leaveKeyring() error {
	_, err := unix.KeyctlInt(unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("a keyring of its own: %w", err)
	}
	return nil
}
