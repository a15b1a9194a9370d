package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/process"
)

const (
	promptRuns = 15
	promptGoal = 0.3 // ours ÷ peer
	promptRC   = "PS1='\\h:\\w\\$ '\n"
)

// askApart has a shell say which namespaces it is in.
const askApart = "for n in mnt pid ipc uts; do readlink /proc/self/ns/$n; done; echo all-$((40+2))\n"

// prompt measures from the order to the shell's first prompt, beside bwrap with the same namespaces and a user other than root.
// Ours also makes a cgroup with limits, a log and a shim that outlives us, which bwrap does not: the row does not favour us.
func prompt(ctx context.Context, dir string) ([]outcome, error) {
	version, err := exec.CommandContext(ctx, "bwrap", "--version").Output()
	if err != nil || os.Geteuid() != 0 {
		fmt.Println("  skipped: it needs root, and bwrap of the package bubblewrap:", err)
		return nil, nil
	}
	binary := filepath.Join(dir, "meterhouse")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/meterhouse")
	build.Dir = filepath.Join("..", "..")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %w: %s", err, text)
	}
	e, err := process.New(process.Config{Dir: filepath.Join(dir, "data"), Binary: binary})
	if err != nil {
		return nil, err
	}
	for _, l := range e.Limits(ctx) { // as the console does when it starts
		if (l.Name == "namespaces" || l.Name == "user") && !l.Enforced {
			fmt.Println("  skipped: instances are not isolated here:", l.Detail)
			return nil, nil
		}
	}
	home := filepath.Join(dir, "home")
	if err := errors.Join(os.Mkdir(home, 0o755), os.WriteFile(filepath.Join(home, ".bashrc"), []byte(promptRC), 0o644)); err != nil {
		return nil, err
	}
	o := outcome{Name: "prompt", Unit: "ms", Goal: fmt.Sprintf("<= %g", promptGoal), Equal: true, PeerVersion: strings.TrimSpace(string(version)), N: promptRuns}
	var ours, peer, ratios []float64
	for k := range promptRuns + 1 {
		a, apart, err := instancePrompt(ctx, e, "prompt-"+strconv.Itoa(k))
		if err != nil {
			return nil, fmt.Errorf("ours: %w", err)
		}
		b, alsoApart, err := bwrapPrompt(ctx, home)
		if err != nil {
			return nil, fmt.Errorf("bwrap: %w", err)
		}
		o.Equal = o.Equal && apart && alsoApart
		if k > 0 {
			ours, peer, ratios = append(ours, a), append(peer, b), append(ratios, a/b)
		}
	}
	o.Ours, o.Peer, o.Ratio, o.Low, o.High = median(ours), median(peer), median(ratios), slices.Min(ratios), slices.Max(ratios)
	o.Holds = o.Ratio <= promptGoal
	return []outcome{o}, nil
}

func instancePrompt(ctx context.Context, e *process.Executor, id string) (ms float64, apart bool, err error) {
	start := time.Now()
	if _, err := e.Start(ctx, gpu.Spec{ID: id, Name: "prompt", CPUMillis: 1000, MemoryBytes: 1 << 30, Pids: 512}); err != nil {
		return 0, false, err
	}
	defer func() {
		_, stopped := e.Stop(ctx, id, 0)
		err = errors.Join(err, stopped, e.Remove(ctx, id))
	}()
	term, err := e.Attach(ctx, id, gpu.Size{Cols: 80, Rows: 24})
	if err != nil {
		return 0, false, err
	}
	defer term.Close()
	return untilPrompt(start, term)
}

func bwrapPrompt(ctx context.Context, home string) (ms float64, apart bool, err error) {
	start := time.Now()
	master, slave, err := openTerminal()
	if err != nil {
		return 0, false, err
	}
	defer master.Close()
	c := exec.CommandContext(ctx, "bwrap", "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/home",
		"--bind", home, "/home/work", "--chdir", "/home/work", "--setenv", "HOME", "/home/work", "--hostname", "prompt", "--die-with-parent",
		"--unshare-user", "--uid", "1000", "--gid", "1000", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "/bin/bash", "-i")
	c.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "TERM=xterm-256color"}
	c.Stdin, c.Stdout, c.Stderr = slave, slave, slave
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = c.Start()
	if err = errors.Join(err, slave.Close()); err != nil {
		return 0, false, err
	}
	// The shell ends as it does where a person leaves it; what bwrap leaves then is for the machine's init to collect.
	defer func() {
		_, told := io.WriteString(master, "\nexit\n")
		err = errors.Join(err, told, c.Wait())
	}()
	return untilPrompt(start, master)
}

// untilPrompt returns when the prompt came, and whether the shell there is in none of our namespaces.
func untilPrompt(start time.Time, term io.ReadWriter) (ms float64, apart bool, err error) {
	if _, err = readUntil(term, "$ "); err != nil {
		return 0, false, err
	}
	ms = float64(time.Since(start).Nanoseconds()) / 1e6
	if _, err = io.WriteString(term, askApart); err != nil {
		return 0, false, err
	}
	said, err := readUntil(term, "all-42")
	if err != nil {
		return 0, false, err
	}
	apart = true
	for _, n := range []string{"mnt", "pid", "ipc", "uts"} {
		own, err := os.Readlink("/proc/self/ns/" + n)
		if err != nil {
			return 0, false, err
		}
		apart = apart && strings.Contains(said, n+":[") && !strings.Contains(said, own)
	}
	return ms, apart, nil
}

func readUntil(r io.Reader, mark string) (string, error) {
	var seen []byte
	for buf := make([]byte, 4096); !bytes.Contains(seen, []byte(mark)); {
		n, err := r.Read(buf)
		seen = append(seen, buf[:n]...)
		if err != nil {
			return "", fmt.Errorf("%w after %q", err, seen)
		}
	}
	return string(seen), nil
}

// openTerminal makes a pseudo-terminal (pty(7)).
func openTerminal() (master, slave *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, master.Close())
	}
	return master, slave, nil
}
