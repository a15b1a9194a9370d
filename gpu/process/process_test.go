package process

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/gputest"
)

func open(t *testing.T, dir string) *Executor {
	t.Helper()
	e, err := New(Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestProcessIsAnExecutor(t *testing.T) {
	dir := t.TempDir()
	gputest.Executor(t, func(t *testing.T) gpu.Executor { return open(t, dir) }, dir)
}

// machines are what this machine can be taken for: with cgroup version 2, and with less than it allows.
var machines = map[string]func(t *testing.T, dir string) *Executor{
	"version 2": onV2,
	"user":      func(t *testing.T, dir string) *Executor { return onLevel(t, dir, levelUser) },
	"plain":     func(t *testing.T, dir string) *Executor { return onLevel(t, dir, levelPlain) },
}

// onLevel is an executor without cgroups.
func onLevel(t *testing.T, dir string, l level) *Executor {
	e := open(t, dir)
	if l == levelUser {
		if e.machine(t.Context()); e.level == levelPlain {
			t.Skipf("no namespaces here: %s", e.why)
		}
	}
	e.probe.Do(func() {})
	e.level, e.plan, e.why = l, noCgroups("not tried"), "not tried"
	return e
}

// TestItIsAnExecutorOnOtherMachines passes the whole suite on each: what is then not enforced is skipped, and all else holds.
func TestItIsAnExecutorOnOtherMachines(t *testing.T) {
	if os.Getenv("METERHOUSE_LONG_TESTS") == "" {
		t.Skip("the suite three times more; METERHOUSE_LONG_TESTS=1 runs it")
	}
	for name, machine := range machines {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			gputest.Executor(t, func(t *testing.T) gpu.Executor { return machine(t, dir) }, dir)
		})
	}
}

func TestNothingIsLeftOnOtherMachinesEither(t *testing.T) {
	for name, machine := range machines {
		t.Run(name, func(t *testing.T) {
			e := machine(t, t.TempDir())
			start(t, e, gpu.Spec{ID: "less", Command: "(setsid sh -c 'trap \"\" TERM HUP; sleep 66630; :' &) ; sleep 66630; :"})
			until(t, "both run", func() bool { return sleepers("66630") == 2 })
			var out bytes.Buffer
			exit, err := e.Exec(t.Context(), "less", gpu.ExecRequest{Argv: []string{"sh", "-c", "echo inside; exit 3"}, Stdout: &out})
			if err != nil || exit.Code != 3 || out.String() != "inside\n" {
				t.Errorf("exec: %+v, %v, %q", exit, err, &out)
			}
			for _, step := range []func() error{
				func() error { return e.Suspend(t.Context(), "less") }, func() error { return e.Resume(t.Context(), "less") },
			} {
				if err := step(); err != nil {
					t.Error(err)
				}
			}
			s, err := e.Stop(t.Context(), "less", 50*time.Millisecond)
			if err != nil || s.Phase != gpu.PhaseExited {
				t.Errorf("%+v, %v", s, err)
			}
			if n := sleepers("66630"); n != 0 {
				t.Errorf("%d processes live on", n)
			}
		})
	}
}
