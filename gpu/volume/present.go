package volume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Owner is who works in a volume while it is presented: users UID … UID+Count-1 of the node, of whom the first is the volume's
// own user, and the groups of the same numbers from GID on. A Count of 0 is 1.
type Owner struct{ UID, GID, Count int }

// Way is how a volume's files came to belong to an Owner.
type Way string

const (
	// Mapped: the mount shows the files of the volume's user as the owner's, and what is on the disk stays as it is.
	Mapped Way = "mapped"
	// Handed: the files were given to the owner, because the kernel or the file system can't map.
	Handed Way = "handed"
	// Plain: the files are as they are; who runs without root is their owner already.
	Plain Way = "plain"
)

// Present makes what Mount returned be seen at a directory, which it makes, as the owner's own files; what was presented there
// before is replaced. The executor binds that directory into an instance, and calls Withdraw when the instance has ended. On the
// volume all files of its user belong to user 0, whoever has worked in it: the next instance, under another user, owns them.
func Present(source, at string, o Owner, readOnly bool) (Way, error) {
	if os.Geteuid() != 0 {
		return Plain, present(source, at)
	}
	if err := Withdraw(at); err != nil {
		return "", err
	}
	if err := os.MkdirAll(at, 0o700); err != nil {
		return "", err
	}
	way := Mapped
	tree, err := mapped(source, o, readOnly)
	if cannotMap(err) {
		way = Handed
		tree, err = handed(source, o, readOnly)
	}
	if err != nil {
		return "", fmt.Errorf("present %s: %w", source, err)
	}
	defer func() { _ = unix.Close(tree) }()
	if err := unix.MoveMount(tree, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return "", fmt.Errorf("present %s at %s: %w", source, at, err)
	}
	return way, nil
}

// present is Present for who may not mount: a link has to do.
func present(source, at string) error {
	if err := Withdraw(at); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	return os.Symlink(source, at)
}

// Withdraw undoes Present; what is not presented is withdrawn. ErrInUse while something of the node itself works there: the
// mounts of an instance are its own and go with it.
func Withdraw(at string) error {
	mounted, err := isMounted(at)
	if err != nil {
		return err
	}
	if mounted {
		switch err := unix.Unmount(at, unix.UMOUNT_NOFOLLOW); {
		case errors.Is(err, unix.EBUSY):
			return ErrInUse
		case err != nil:
			return fmt.Errorf("unmount %s: %w", at, err)
		}
	}
	if err := os.Remove(at); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// cannotMap reports whether the kernel (before 5.12) or the file system refuses mapped mounts as such.
func cannotMap(err error) bool {
	for _, no := range []error{unix.ENOSYS, unix.EINVAL, unix.EOPNOTSUPP, unix.EPERM} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

// mapped returns a mount of source, not yet anywhere, that shows the volume's users as the owner's.
func mapped(source string, o Owner, readOnly bool) (tree int, err error) {
	users, err := namespace(o)
	if err != nil {
		return -1, err
	}
	defer users.Close()
	return clone(source, &unix.MountAttr{Attr_set: flags(readOnly) | unix.MOUNT_ATTR_IDMAP, Userns_fd: uint64(users.Fd())})
}

// handed gives the volume's files to the owner, unless it only reads them, and returns a plain mount of source.
func handed(source string, o Owner, readOnly bool) (tree int, err error) {
	if !readOnly {
		if err := handOver(source, o); err != nil {
			return -1, err
		}
	}
	return clone(source, &unix.MountAttr{Attr_set: flags(readOnly)})
}

func flags(readOnly bool) uint64 {
	if readOnly {
		return unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_RDONLY
	}
	return unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
}

func clone(source string, attr *unix.MountAttr) (int, error) {
	tree, err := unix.OpenTree(unix.AT_FDCWD, source, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return -1, fmt.Errorf("take a mount of it: %w", err)
	}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, attr); err != nil {
		return -1, errors.Join(fmt.Errorf("map its users: %w", err), unix.Close(tree))
	}
	return tree, nil
}

func handOver(source string, o Owner) error {
	return filepath.WalkDir(source, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, o.UID, o.GID)
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil // deleted meanwhile
		}
		return err
	})
}

// namespace returns a user namespace whose users 0 … are the owner's. It lives in a process that is stopped before its first
// instruction and killed when the namespace is held.
func namespace(o Owner) (*os.File, error) {
	runtime.LockOSThread() // who traces a process is a thread
	defer runtime.UnlockOSThread()
	count := max(o.Count, 1)
	p, err := os.StartProcess("/proc/self/exe", []string{"meterhouse-users"}, &os.ProcAttr{Sys: &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: o.UID, Size: count}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: o.GID, Size: count}},
		Ptrace:      true,
		Pdeathsig:   syscall.SIGKILL,
	}})
	if err != nil {
		return nil, fmt.Errorf("make a user namespace: %w", err)
	}
	users, err := os.Open(fmt.Sprintf("/proc/%d/ns/user", p.Pid))
	_ = p.Kill()
	_, _ = p.Wait()
	return users, err
}
