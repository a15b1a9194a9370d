package process

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Shim is the verb `meterhouse shim`; it returns the exit status. It is started by the executor alone. Its first stage is the
// shim proper, outside of the namespaces; init is the second, inside of them. The enclosures are those that an executor may
// have been given.
func Shim(args []string, enclosures ...Enclosure) int {
	fs := flag.NewFlagSet("shim", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	dir := fs.String("dir", "", "")
	stage := fs.String("stage", "hold", "")
	err := fs.Parse(args)
	if err == nil {
		switch *stage {
		case "hold":
			if err = detach(); err == nil {
				err = runHold(*dir, time.Now, enclosures)
			}
		case "init":
			err = runInit()
		case "probe":
			err = mountProbe()
		default:
			err = fmt.Errorf("unknown stage %q", *stage)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "meterhouse shim:", err)
		return 1
	}
	return 0
}

// detach makes the hold stage, which a shell started in the background, independent of the console and of all that the
// console was given by whoever started it.
func detach() error {
	if _, err := unix.Setsid(); err != nil {
		return fmt.Errorf("a session of its own: %w", err)
	}
	if err := unix.CloseRange(4, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil && !errors.Is(err, unix.ENOSYS) {
		return fmt.Errorf("closing what was inherited: %w", err)
	}
	syscall.CloseOnExec(3)
	return nil
}

// mountProbe tries the mounts that may be refused inside a container, and ends.
func mountProbe() error {
	runtime.LockOSThread()
	if err := unix.Sethostname([]byte("probe")); err != nil {
		return fmt.Errorf("a host name of its own: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts of its own: %w", err)
	}
	l := levelRoot
	if os.Geteuid() != 0 {
		l = levelUser
	}
	return mountKernelFiles(l)
}

// startInit starts the init stage in its namespaces.
func startInit(l level) (*exec.Cmd, *initLink, error) {
	link, theirs, err := newLinkPair()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command("/proc/self/exe", "shim", "--stage", "init")
	cmd.Args[0] = os.Args[0]
	cmd.Env = []string{} // the init gives its children an environment of their own
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = l.sysProcAttr()
	err = cmd.Start()
	if err = errors.Join(err, theirs.Close()); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("starting the instance's init: %w", err), link.conn.Close())
	}
	if err := link.ready(); err != nil {
		return nil, nil, errors.Join(err, cmd.Process.Kill(), ignoreExit(cmd.Wait()), link.conn.Close())
	}
	return cmd, link, nil
}

// ignoreExit drops the news that a process ended badly: whoever waits here has ended it, or has its reason already.
func ignoreExit(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// tell sends the executor one line on file 3.
func tell(f *os.File, r reply) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	return err
}
