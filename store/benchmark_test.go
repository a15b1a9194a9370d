package store_test

import (
	"math"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func TestABenchmarkIsAnInstanceWithAResult(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	n := store.NewBenchmark{Suite: "stream", Backend: "cpu", Size: 1 << 20, Seed: 7, Seconds: 60, PersonID: seed.Member.ID, IdempotencyKey: "k",
		Argv: func(id string) []string { return []string{"/bin/gpubench", "--id", id} }}
	b, i, err := s.CreateBenchmark(ctx, n)
	if err != nil || b.Status != "queued" || i.PlanID != store.CPUPlan || i.Argv[2] != b.ID || b.InstanceID != i.ID || i.BenchmarkID != b.ID {
		t.Fatalf("benchmark: %+v %+v %v", b, i, err)
	}
	if again, same, err := s.CreateBenchmark(ctx, n); err != nil || again.ID != b.ID || same.ID != i.ID {
		t.Errorf("again: %+v %v", again, err)
	}
	running(t, s, i, clock.Now())
	if err := s.BenchmarkProgress(ctx, b.ID, 2000, "triad"); err != nil {
		t.Fatal(err)
	}
	if b, err = s.Benchmark(ctx, b.ID); err != nil || b.Status != "running" || b.ProgressPermille != 1000 || b.Phase != "triad" {
		t.Errorf("running: %+v %v", b, err)
	}
	clock.Advance(30 * time.Second)
	kind(t, s.FinishBenchmark(ctx, b.ID, store.BenchmarkOutcome{Status: "done", Results: []store.BenchmarkResult{{Test: "x", Median: math.NaN()}}}), store.Invalid, "results")
	// The instance's end is noticed first: the result still counts, once.
	ended(t, s, i, store.End{})
	if b, err = s.Benchmark(ctx, b.ID); err != nil || b.Status != "failed" {
		t.Errorf("ended: %+v %v", b, err)
	}
	outcome := store.BenchmarkOutcome{Status: "done", Environment: map[string]string{"cpu": "x"}, Results: []store.BenchmarkResult{
		{Test: "copy", Unit: "GB/s", Median: 10.5, P5: 10, P95: 11, CV: 0.01, N: 12, Stable: true}, {Test: "triad", Unit: "GB/s", Median: 9, Reasons: []string{"cv"}}}}
	if err := s.FinishBenchmark(ctx, b.ID, outcome); err != nil {
		t.Fatal(err)
	}
	kind(t, s.FinishBenchmark(ctx, b.ID, outcome), store.Conflict, "")
	all, _, err := s.Benchmarks(ctx, store.BenchmarkFilter{Suite: "stream", PersonID: seed.Member.ID})
	if err != nil || len(all) != 1 || len(all[0].Results) != 2 || all[0].Results[0].Median != 10.5 || all[0].Results[1].Reasons[0] != "cv" || all[0].Environment["cpu"] != "x" {
		t.Errorf("list: %+v %v", all, err)
	}
	points, err := s.BenchmarkHistory(ctx, "stream", "cpu", "copy", "", 0)
	if err != nil || len(points) != 1 || points[0].BenchmarkID != b.ID || points[0].N != 12 {
		t.Errorf("history: %+v %v", points, err)
	}
	if got := mails(t, s, "instance_stopped"); len(got) != 0 {
		t.Errorf("mail about a benchmark's instance: %+v", got)
	}
}

func TestACancelledBenchmarkStopsItsInstance(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	b, i, err := s.CreateBenchmark(ctx, store.NewBenchmark{Suite: "matmul", Backend: "cuda", GPUs: []string{seed.GPUs[2].UUID}, PersonID: seed.Member.ID, Seconds: 10,
		Argv: func(string) []string { return []string{"/bin/gpubench"} }})
	if err != nil || !b.Simulated || b.GPUs[0] != seed.GPUs[2].UUID {
		t.Fatalf("benchmark: %+v %v", b, err)
	}
	running(t, s, i, clock.Now())
	clock.Advance(time.Minute)
	if late, err := s.BenchmarkDeadlines(ctx, 30*time.Second); err != nil || len(late) != 1 {
		t.Errorf("late: %+v %v", late, err)
	}
	if b, err = s.CancelBenchmark(ctx, b.ID, seed.Member.ID); err != nil || b.Status != "cancelled" {
		t.Errorf("cancelled: %+v %v", b, err)
	}
	if i, err = s.Instance(ctx, i.ID); err != nil || i.State != life.Stopping || i.StopReason != "cancelled" {
		t.Errorf("instance: %+v %v", i, err)
	}
	kind(t, s.FinishBenchmark(ctx, b.ID, store.BenchmarkOutcome{Status: "done"}), store.Conflict, "")
	_, _, err = s.CreateBenchmark(ctx, store.NewBenchmark{Suite: "matmul", Backend: "cuda", GPUCount: 3, PersonID: seed.Member.ID, Argv: func(string) []string { return nil }})
	kind(t, err, store.Invalid, "gpu_count")
}
