package fleet

import (
	"context"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/bench"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
)

// lines are events as gpubench writes them.
func lines(t *testing.T, events ...bench.Event) string {
	t.Helper()
	var text []byte
	for _, e := range events {
		var err error
		if text, err = e.Append(text); err != nil {
			t.Fatal(err)
		}
	}
	return string(text)
}

var (
	planned = bench.Event{Kind: bench.KindPlan, Plan: &bench.Plan{Version: 1, Suite: bench.SuiteStream, Backend: bench.BackendCPU, Size: 4096, Seed: 7,
		Tests: []bench.Planned{{Test: "triad", Unit: "GB/s"}}, Environment: bench.Environment{CPUModel: "a CPU", Cores: 2, Workers: 2, GoVersion: "go1.26", Architecture: "amd64/v1"}}}
	halfWay = bench.Event{Kind: bench.KindProgress, Progress: &bench.Progress{Fraction: 0.5, Test: "triad", Phase: bench.PhaseMeasure}}
	triad   = bench.Event{Kind: bench.KindResult, Result: &bench.Row{Test: "triad", Group: "triad", Unit: "GB/s", Stable: true, Size: 4096, Bytes: 98304, Workers: 2, Seed: 7,
		Summary: &bench.Summary{Median: 12.5, P5: 12.4, P95: 12.6, CV: 0.004, N: 10, Low: 12.45, High: 12.55}}}
	done = bench.Event{Kind: bench.KindDone, Done: &bench.Done{Tests: 1, Seconds: 3}}
)

func (s *site) benchmark() (store.Benchmark, store.Instance) {
	s.t.Helper()
	b, inst, err := s.store.CreateBenchmark(context.Background(), store.NewBenchmark{Suite: "stream", Backend: "cpu", Seed: 7, PersonID: s.person.ID,
		Argv: func(string) []string { return []string{"/bin/true"} }})
	if err != nil {
		s.t.Fatal(err)
	}
	return b, s.reaches(inst.ID, life.Running)
}

func (s *site) outcome(id, status string) store.Benchmark {
	s.t.Helper()
	var b store.Benchmark
	s.until("the benchmark is "+status, func() bool {
		var err error
		if b, err = s.store.Benchmark(context.Background(), id); err != nil {
			s.t.Fatal(err)
		}
		return b.Status == status
	})
	return b
}

func TestABenchmarkIsFollowedToItsResult(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	b, inst := s.benchmark()
	s.memory.write(inst.ID, "a line of something else\r\n"+lines(t, planned, halfWay))
	s.until("its progress shows", func() bool { return s.outcome(b.ID, "running").ProgressPermille == 500 })
	s.memory.write(inst.ID, lines(t, triad, done))
	s.memory.exit(inst.ID, gpu.Exit{}, s.clock.Now())
	got := s.outcome(b.ID, "done")
	if len(got.Results) != 1 || got.Results[0].Median != 12.5 || !got.Results[0].Stable || got.Results[0].Unit != "GB/s" {
		t.Errorf("results %+v", got.Results)
	}
	if got.Environment["cpu_model"] != "a CPU" {
		t.Errorf("environment %+v", got.Environment)
	}
	s.reaches(inst.ID, life.Stopped)
}

func TestABenchmarkSurvivesTheConsole(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	b, inst := s.benchmark()
	s.memory.write(inst.ID, lines(t, planned, halfWay))
	s.outcome(b.ID, "running")
	s.drop()
	s.memory.write(inst.ID, lines(t, triad, done))
	s.memory.exit(inst.ID, gpu.Exit{}, s.clock.Now())
	s.start()
	if got := s.outcome(b.ID, "done"); len(got.Results) != 1 {
		t.Errorf("results %+v", got.Results)
	}
}

func TestABenchmarkThatIsStoppedIsCancelled(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	b, inst := s.benchmark()
	s.memory.write(inst.ID, lines(t, planned, halfWay))
	s.stop(inst.ID)
	s.outcome(b.ID, "cancelled")
}

func TestABenchmarkThatDiesSaysWhere(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	b, inst := s.benchmark()
	s.memory.write(inst.ID, lines(t, planned, halfWay))
	s.memory.exit(inst.ID, gpu.Exit{Code: 137, Signal: "SIGKILL", OOM: true}, s.clock.Now())
	got := s.outcome(b.ID, "failed")
	if !strings.Contains(got.Error, "memory limit") || !strings.Contains(got.Error, "progress 50") {
		t.Errorf("it says %q", got.Error)
	}
}
