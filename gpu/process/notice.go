package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// Notice puts the file where the instance finds it, and tells those who listen.
func (e *Executor) Notice(ctx context.Context, id string, content []byte) error {
	dir, err := e.known(id)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, runDir, filepath.Base(gpu.NoticeFile))
	if err := errors.Join(replaceFile(path, content, 0o644), os.Chmod(path, 0o644)); err != nil { // whatever the umask is
		return fmt.Errorf("writing the notice: %w", err)
	}
	return e.ask(ctx, id, request{Verb: "tell", Signal: int(unix.SIGUSR1)})
}

// tell has the init signal those of the command's process group that catch it, or of everyone where there is no command.
func (h *holder) tell(sig syscall.Signal) error {
	if sig <= 0 || sig > 64 {
		return fmt.Errorf("there is no signal %d", sig)
	}
	o := order{Op: "tell", Signal: int(sig)}
	if h.command != nil {
		o.ID = h.command.id
	}
	return h.crew.link.send(o)
}

// tell signals those who catch it; the others would be ended by it. id 0 is everyone.
func (n *nursery) tell(id int, sig syscall.Signal) error {
	all, err := allProcesses()
	if err != nil {
		return err
	}
	ours, err := descendants(os.Getpid())
	if err != nil {
		return err
	}
	for _, pid := range ours {
		if id != 0 && all[pid].group != n.pids[id] || !catches(pid, sig) {
			continue
		}
		_ = syscall.Kill(pid, sig) // it may have ended just now
	}
	return nil
}

// catches reports whether a process has a handler for a signal (proc_pid_status(5)).
func catches(pid int, sig syscall.Signal) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b), "\nSigCgt:\t")
	mask, _, _ := strings.Cut(rest, "\n")
	caught, err := strconv.ParseUint(mask, 16, 64)
	return err == nil && caught>>(uint(sig)-1)&1 == 1
}
