package podman

import (
	"testing"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/gputest"
)

func TestPodmanIsAnExecutor(t *testing.T) {
	need(t)
	dir := t.TempDir()
	gputest.Executor(t, func(t *testing.T) gpu.Executor { return open(t, dir) }, dir)
}
