package process

import (
	"testing"

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
	gputest.Executor(t, func(t *testing.T) gpu.Executor { return open(t, dir) })
}

// TestItIsAnExecutorWithLess passes the suite where the machine allows less: the limits that are then not enforced are skipped,
// and all else holds.
func TestItIsAnExecutorWithLess(t *testing.T) {
	if testing.Short() {
		t.Skip("the suite twice more")
	}
	t.Run("version 2", func(t *testing.T) {
		dir := t.TempDir()
		gputest.Executor(t, func(t *testing.T) gpu.Executor { return onV2(t, dir) })
	})
	for _, l := range []level{levelUser, levelPlain} {
		t.Run(string(l), func(t *testing.T) {
			dir := t.TempDir()
			gputest.Executor(t, func(t *testing.T) gpu.Executor {
				e := open(t, dir)
				e.probe.Do(func() { e.level, e.plan, e.why = l, noCgroups("not tried"), "not tried" })
				return e
			})
		})
	}
}
