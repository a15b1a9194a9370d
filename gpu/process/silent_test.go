package process

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// silenced puts a socket that nobody reads in the place of an instance's own: a shim that hangs is the same to its clients.
func silenced(t *testing.T, e *Executor, dir string) {
	t.Helper()
	e.silence = 600 * time.Millisecond
	short, err := os.MkdirTemp("/tmp", "mute")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	l, err := net.Listen("unix", filepath.Join(short, "s")) // its own path may have no more than 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if err := os.Rename(filepath.Join(short, "s"), filepath.Join(dir, socketFile)); err != nil {
		t.Fatal(err)
	}
}

func TestWhatRunsUnderAShimThatHangsIsStillAskedToEnd(t *testing.T) {
	for _, c := range []struct {
		name, mark, command string
		grace               time.Duration
		signal              string
		code                int
	}{
		{"it ends when asked", "66613", "trap 'echo saved > ~/saved; exit 0' TERM; echo ready; sleep 66613 & wait", 20 * time.Second, "SIGTERM", 143},
		{"it does not want to", "66615", "trap '' TERM; echo ready; sleep 66615; :", 300 * time.Millisecond, "SIGKILL", 137},
		{"it is not asked", "66616", "trap '' TERM; echo ready; sleep 66616; :", 0, "SIGKILL", 137},
		{"its shell is asked by hanging up", "66617", "", 20 * time.Second, "SIGTERM", 143},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := open(t, t.TempDir())
			dir, s := start(t, e, gpu.Spec{ID: "hangs", Command: c.command})
			if c.command != "" {
				until(t, "it runs", func() bool { return strings.Contains(content(t, dir, logFile), "ready") })
			}
			silenced(t, e, dir)
			if err := e.Suspend(t.Context(), "hangs"); !mute(err) {
				t.Errorf("suspending it: %v, want to hear that it does not answer", err)
			}
			before := time.Now()
			st, err := e.Stop(t.Context(), "hangs", c.grace)
			told := st.Exit.Signal == c.signal && st.Exit.Code == c.code && strings.Contains(st.Exit.Err, "did not answer")
			if c.name == "it ends when asked" { // a shim that only can't be reached may have written down the true end
				told = told || st.Exit == gpu.Exit{}
			}
			if err != nil || st.Phase != gpu.PhaseExited || !told {
				t.Errorf("stopping it: %+v, %v", st, err)
			}
			if took := time.Since(before); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			if st.EndedAt.Before(before) || st.EndedAt.After(time.Now()) {
				t.Errorf("ended at %v, it was stopped at %v", st.EndedAt, before)
			}
			if n := sleepers(c.mark); n != 0 || s.Shim.alive() {
				t.Errorf("%d of its processes live on, the shim: %v", n, s.Shim.alive())
			}
			if _, err := os.Stat(filepath.Join(dir, homeDir, "saved")); c.signal == "SIGTERM" && c.command != "" && err != nil {
				t.Errorf("it had no time to save: %v", err)
			}
		})
	}
}

// TestAShimThatWasStoppedBySignalIsLetGoOn stops the shim itself, as a debugger does.
func TestAShimThatWasStoppedBySignalIsLetGoOn(t *testing.T) {
	e := open(t, t.TempDir())
	dir, s := start(t, e, gpu.Spec{ID: "halted", Command: "trap 'exit 3' TERM; echo ready; while :; do sleep 0.05; done"})
	until(t, "it runs", func() bool { return strings.Contains(content(t, dir, logFile), "ready") })
	if err := syscall.Kill(s.Shim.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	until(t, "it is stopped", s.Shim.halted)
	if st, err := e.State(t.Context(), "halted"); err != nil || st.Phase != gpu.PhaseRunning {
		t.Errorf("its state: %+v, %v", st, err)
	}
	before := time.Now()
	if err := e.Suspend(t.Context(), "halted"); !mute(err) || time.Since(before) > 5*time.Second {
		t.Errorf("suspending it: %v after %v, want to hear at once that it does not answer", err, time.Since(before))
	}
	st, err := e.Stop(t.Context(), "halted", 20*time.Second)
	if err != nil || st.Exit != (gpu.Exit{Code: 3}) {
		t.Errorf("stopping it: %+v, %v; want what its command said", st, err)
	}
}
