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
