package fleet

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/bench"
	"github.com/meterhouse/meterhouse/store"
)

const (
	benchmarkInterval = time.Second
	// progressInterval keeps a chatty run from writing more than twice a second.
	progressInterval = 500 * time.Millisecond
	// benchmarkPage is more than a node runs at once.
	benchmarkPage = 500
)

// benchmarks follows the output of every run that has no outcome yet. A run is read from its first byte each time, so that
// a new console comes to the same figures.
func (f *Fleet) benchmarks(ctx context.Context) error {
	var followers sync.WaitGroup
	defer followers.Wait()
	var mu sync.Mutex
	following := make(map[string]bool)
	return f.loop(ctx, "benchmarks", benchmarkInterval, f.benchmarksNow, func(ctx context.Context) error {
		for _, status := range []string{"queued", "running"} {
			open, _, err := f.store.Benchmarks(ctx, store.BenchmarkFilter{Status: status, Limit: benchmarkPage})
			if err != nil {
				return err
			}
			for _, b := range open {
				mu.Lock()
				known := following[b.ID]
				following[b.ID] = true
				mu.Unlock()
				if known {
					continue
				}
				followers.Go(func() {
					if err := f.follow(ctx, b); err != nil && ctx.Err() == nil {
						f.log.Error("benchmark will be followed again", "benchmark", b.ID, "error", err)
						sleep(ctx, benchmarkInterval)
					}
					mu.Lock()
					delete(following, b.ID)
					mu.Unlock()
				})
			}
		}
		return nil
	})
}

// follow reads a run's output as it comes, and writes down its outcome if it says so itself. Where it does not, the
// instance's keeper decides when the instance has ended.
func (f *Fleet) follow(ctx context.Context, b store.Benchmark) error {
	inst, err := f.store.Instance(ctx, b.InstanceID)
	if err != nil || inst.StartedAt == nil {
		return err
	}
	m := f.machine(inst.NodeID)
	if m == nil {
		return gpu.ErrUnreachable
	}
	var result bench.Result
	if err := m.readRun(ctx, b, true, &result); err != nil || undecided(result) {
		return err
	}
	return m.finishBenchmark(ctx, inst, result)
}

// settleBenchmark writes down the outcome of a run whose processes have ended, before its instance says stopped. why is
// how it ended, where the instance itself does not know yet.
func (m *machine) settleBenchmark(ctx context.Context, inst store.Instance, why string) error {
	if inst.BenchmarkID == "" {
		return nil
	}
	b, err := m.store.Benchmark(ctx, inst.BenchmarkID)
	if err != nil || b.EndedAt != nil {
		return err
	}
	var result bench.Result
	if inst.StartedAt != nil {
		if err := m.readRun(ctx, b, false, &result); err != nil {
			return err
		}
	}
	if why == "" {
		why = ending(inst)
	}
	result.End(why)
	return m.finishBenchmark(ctx, inst, result)
}

// finishBenchmark writes an outcome down; whoever came first has decided.
func (c *common) finishBenchmark(ctx context.Context, inst store.Instance, result bench.Result) error {
	err := c.store.FinishBenchmark(ctx, inst.BenchmarkID, outcome(inst, result))
	if store.KindOf(err) == store.Conflict {
		return nil
	}
	return err
}

func undecided(r bench.Result) bool { return r.Status == "" || r.Status == bench.StatusRunning }

// readRun folds a run's events: those there are, or with follow all that come until its command has ended. An output that
// is gone has none.
func (m *machine) readRun(ctx context.Context, b store.Benchmark, follow bool, result *bench.Result) error {
	out, _, err := m.executor.Log(ctx, b.InstanceID, 0, follow)
	if isUnknown(err) || m.isRemoved() {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }() // only read from
	events := bench.NewDecoder(out)
	var told time.Time
	for {
		event, err := events.Next()
		var noEvent *bench.LineError
		switch {
		case errors.Is(err, io.EOF):
			return ctx.Err()
		case errors.As(err, &noEvent):
			continue
		case err != nil:
			return err
		}
		result.Add(event)
		if now := m.now(); event.Kind == bench.KindProgress && now.Sub(told) >= progressInterval {
			told = now
			permille := int(result.Progress.Fraction * 1000)
			phase := string(result.Progress.Phase)
			if result.Progress.Test != "" {
				phase = result.Progress.Test + " " + phase
			}
			if err := m.store.BenchmarkProgress(ctx, b.ID, permille, phase); err != nil && store.KindOf(err) != store.Conflict {
				return err
			}
		}
	}
}
