package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// spawn starts a program for an order; for a terminal it returns the master of its PTY.
func (n *nursery) spawn(o order, files []*os.File) (*os.File, error) {
	attr := &syscall.SysProcAttr{Setsid: true}
	if !o.TTY {
		return nil, n.fork(o, attr, files)
	}
	master, slave, err := openPTY(o.Cols, o.Rows, n.user)
	if err != nil {
		return nil, fmt.Errorf("no terminal: %w", err)
	}
	attr.Setctty = true // of file 0
	err = n.fork(o, attr, []*os.File{slave, slave, slave})
	if err = errors.Join(err, slave.Close()); err != nil {
		return nil, errors.Join(err, master.Close())
	}
	return master, nil
}

func (n *nursery) fork(o order, sys *syscall.SysProcAttr, files []*os.File) error {
	switch {
	case o.SFTP:
		o.Argv = []string{ownProgram, sftpVerb}
	case o.Shell && len(o.Argv) == 0:
		o.Argv = []string{shell(), "-i"}
	case o.Shell:
		o.Argv = append([]string{shell()}, o.Argv...)
	}
	if len(files) != 3 || len(o.Argv) == 0 {
		return fmt.Errorf("an order with %d files and %d words", len(files), len(o.Argv))
	}
	attr := &syscall.ProcAttr{Dir: n.dir, Env: lastOfEach(slices.Concat(n.env, o.Env)), Sys: sys}
	for _, f := range files {
		attr.Files = append(attr.Files, f.Fd())
	}
	sys.Credential = n.user
	name := o.Argv[0]
	if o.Main {
		name = n.program
	}
	program, err := lookPath(name, n.env)
	if err != nil {
		return err
	}
	if err := n.group.enter(sys); err != nil {
		return err
	}
	pid, err := syscall.ForkExec(program, o.Argv, attr)
	left := n.group.leave()
	if err != nil {
		return errors.Join(startError(program, err), left)
	}
	n.children[pid], n.pids[o.ID] = o.ID, pid
	// Where the machine's memory runs out, the work goes before the init that answers for it. Raising it is always allowed.
	_ = writeFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", "300")
	return left
}

// startError says why a program did not start.
func startError(program string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOENT):
		return &gpu.NotStarted{Program: program, Why: gpu.ProgramMissing}
	case errors.Is(err, syscall.EACCES):
		return &gpu.NotStarted{Program: program, Why: gpu.ProgramNotExecutable}
	case errors.Is(err, syscall.ENOEXEC):
		return &gpu.NotStarted{Program: program, Why: gpu.ProgramForeign}
	case errors.Is(err, syscall.EAGAIN):
		return &gpu.NotStarted{Program: program, Why: gpu.TooManyProcesses}
	}
	return fmt.Errorf("%s can't be started: %w", program, err)
}

// lookPath finds a program in the instance's own PATH, not in that of the console.
func lookPath(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		if _, err := os.Stat(name); err != nil {
			return "", startError(name, syscall.ENOENT)
		}
		return name, nil
	}
	for i := len(env) - 1; i >= 0; i-- {
		path, ok := strings.CutPrefix(env[i], "PATH=")
		if !ok {
			continue
		}
		for _, d := range filepath.SplitList(path) {
			f := filepath.Join(d, name)
			if st, err := os.Stat(f); err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0 {
				return f, nil
			}
		}
		break
	}
	return "", &gpu.NotStarted{Program: name, Why: gpu.ProgramNotInPath}
}

// openPTY makes a pseudo-terminal in the instance's own /dev/pts and gives it to its user.
func openPTY(cols, rows uint16, user *syscall.Credential) (master, slave *os.File, err error) {
	m, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("/dev/ptmx: %w", err)
	}
	master = os.NewFile(uintptr(m), "terminal")
	fail := func(err error) (*os.File, *os.File, error) { return nil, nil, errors.Join(err, master.Close()) }
	if err := unix.IoctlSetPointerInt(m, unix.TIOCSPTLCK, 0); err != nil {
		return fail(fmt.Errorf("unlocking: %w", err))
	}
	if err := setSize(m, cols, rows); err != nil {
		return fail(err)
	}
	number, err := unix.IoctlGetInt(m, unix.TIOCGPTN)
	if err != nil {
		return fail(err)
	}
	path := "/dev/pts/" + strconv.Itoa(number)
	s, err := unix.Open(path, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fail(fmt.Errorf("%s: %w", path, err))
	}
	slave = os.NewFile(uintptr(s), path)
	if user != nil {
		if err := slave.Chown(int(user.Uid), int(user.Gid)); err != nil {
			return fail(errors.Join(err, slave.Close()))
		}
	}
	return master, slave, nil
}

func setSize(fd int, cols, rows uint16) error {
	if cols == 0 || rows == 0 {
		cols, rows = 80, 24
	}
	return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: cols, Row: rows})
}
