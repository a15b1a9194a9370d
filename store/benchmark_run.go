package store

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"
)

const (
	benchmarkSecondsMax = 24 * 3600
	benchmarkResultsMax = 1000
)

// NewBenchmark is a benchmark to be run.
type NewBenchmark struct {
	Suite, Backend      string   // Backend "cpu" takes the CPU-only plan
	GPUs                []string // wanted UUIDs; none: any GPUCount of GPUModel
	GPUModel            string
	GPUCount            int // 0: as many as GPUs, or 1
	Size, Seed, Seconds int64
	PersonID, TeamID    string
	Queue               bool
	IdempotencyKey      string
	Argv                func(id string) []string // the run's command line, given the benchmark's id
}

// BenchmarkOutcome is how a run ended.
type BenchmarkOutcome struct {
	Status      string // done, unstable, wrong, failed or cancelled
	Results     []BenchmarkResult
	Environment map[string]string
	Error       string
}

// CreateBenchmark makes a benchmark and rents its instance in one transaction, with Rent's errors. The same idempotency
// key is the same benchmark.
func (s *Store) CreateBenchmark(ctx context.Context, n NewBenchmark) (b Benchmark, i Instance, err error) {
	if n.Suite, err = cleanName("suite", n.Suite); err != nil {
		return b, i, err
	}
	if n.Backend, err = cleanName("backend", n.Backend); err != nil {
		return b, i, err
	}
	switch {
	case n.Size < 0:
		return b, i, invalid("size", "out_of_range")
	case n.Seconds < 0 || n.Seconds > benchmarkSecondsMax:
		return b, i, invalid("seconds", "out_of_range")
	case n.Argv == nil:
		return b, i, invalid("suite", "required")
	}
	id := newID("r-")
	r := RentRequest{PersonID: n.PersonID, TeamID: n.TeamID, Name: "bench " + n.Suite, GPUModel: n.GPUModel, GPUCount: n.GPUCount, GPUs: n.GPUs, CPUOnly: n.Backend == "cpu",
		Argv: n.Argv(id), Queue: n.Queue, IdempotencyKey: n.IdempotencyKey, BenchmarkID: id, Labels: map[string]string{}}
	if !r.CPUOnly && r.GPUCount == 0 {
		r.GPUCount = max(1, len(r.GPUs))
	}
	if r, err = cleanRequest(r); err != nil {
		return b, i, err
	}
	err = s.write(ctx, func(t *tx) error {
		var created bool
		if i, created, err = t.rent(r); err != nil {
			return err
		}
		if !created {
			b, err = t.benchmark(i.BenchmarkID)
			return err
		}
		if err := t.insertBenchmark(id, n, &i); err != nil {
			return err
		}
		t.emit("benchmark", id)
		b, err = t.benchmark(id)
		return err
	})
	if err != nil {
		return Benchmark{}, Instance{}, err
	}
	return b, i, nil
}

func (t *tx) insertBenchmark(id string, n NewBenchmark, i *Instance) error {
	gpus, err := json.Marshal(orEmpty(i.GPUs))
	if err != nil {
		return err
	}
	_, err = t.exec(`INSERT INTO benchmark (id, suite, backend, gpus, gpu_model, size, seed, seconds, person_id, team_id, instance_id, status, created_at, simulated)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?)`,
		id, n.Suite, n.Backend, string(gpus), i.GPUModel, n.Size, n.Seed, n.Seconds, n.PersonID, i.TeamID, i.ID, micros(t.now), i.Simulated)
	return err
}

// benchmarkGPUs notes which GPUs a benchmark got that had waited for them.
func (t *tx) benchmarkGPUs(i *Instance) error {
	_, err := t.exec(`UPDATE benchmark SET gpus = (SELECT json_group_array(gpu_uuid) FROM instance_gpu WHERE instance_id = ?1) WHERE id = ?2`, i.ID, i.BenchmarkID)
	return err
}

// BenchmarkProgress notes how far a run is, 0 to 1000, and what it does. Call it a few times a second at most.
func (s *Store) BenchmarkProgress(ctx context.Context, id string, permille int, phase string) error {
	return s.write(ctx, func(t *tx) error {
		n, err := t.exec("UPDATE benchmark SET progress = ?, phase = ? WHERE id = ? AND status IN ('queued', 'running')", min(max(permille, 0), 1000), clipped(phase, 200), id)
		if n > 0 {
			t.emit("benchmark", id)
		}
		return err
	})
}

// FinishBenchmark notes a run's outcome, once: Conflict if it has one already. A result that comes after the instance's end
// was noticed still counts.
func (s *Store) FinishBenchmark(ctx context.Context, id string, o BenchmarkOutcome) error {
	if !slices.Contains(benchmarkStatuses[2:], o.Status) {
		return invalid("status", "status_unknown")
	}
	if len(o.Results) > benchmarkResultsMax {
		return invalid("results", "too_long")
	}
	environment := o.Environment
	if environment == nil {
		environment = map[string]string{}
	}
	env, err := json.Marshal(environment)
	if err != nil {
		return err
	}
	return s.write(ctx, func(t *tx) error {
		b, err := t.benchmark(id)
		if err != nil {
			return err
		}
		n, err := t.exec(`UPDATE benchmark SET status = ?, environment = ?, error = ?, ended_at = ?, progress = CASE WHEN ?1 IN ('done', 'unstable') THEN 1000 ELSE progress END
			WHERE id = ? AND (status IN ('queued', 'running') OR status = 'failed' AND error = ?)`,
			o.Status, string(env), clipped(o.Error, detailMax), micros(t.now), id, endedWithoutResult)
		if err != nil {
			return err
		}
		if n == 0 {
			return &Error{Kind: Conflict, Message: "benchmark_ended", Args: map[string]string{"status": b.Status}}
		}
		for place, r := range o.Results {
			if err := t.insertResult(&b, place, r); err != nil {
				return err
			}
		}
		t.emit("benchmark", id)
		return nil
	})
}

func (t *tx) insertResult(b *Benchmark, place int, r BenchmarkResult) error {
	for _, v := range []float64{r.Median, r.P5, r.P95, r.CV} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return invalid("results", "not_a_number")
		}
	}
	reasons, err := json.Marshal(orEmpty(r.Reasons))
	if err != nil {
		return err
	}
	notes := r.Notes
	if notes == nil {
		notes = map[string]string{}
	}
	text, err := json.Marshal(notes)
	if err != nil {
		return err
	}
	_, err = t.exec(`INSERT INTO benchmark_result (benchmark_id, place, test, unit, median, p5, p95, cv, n, stable, simulated, reasons, notes)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, b.ID, place, clipped(r.Test, 200), clipped(r.Unit, 50), r.Median, r.P5, r.P95, r.CV, r.N, r.Stable,
		r.Simulated || b.Simulated, string(reasons), string(text))
	return err
}

// CancelBenchmark ends a benchmark and asks for its instance's end, in one transaction. What has ended stays as it is. by
// as with RequestStop.
func (s *Store) CancelBenchmark(ctx context.Context, id, by string) (b Benchmark, err error) {
	err = s.write(ctx, func(t *tx) error {
		if b, err = t.benchmark(id); err != nil {
			return err
		}
		i, err := t.instance(b.InstanceID)
		if err != nil {
			return err
		}
		if err := t.mayAct(by, &i); err != nil {
			return err
		}
		if _, err := t.exec("UPDATE benchmark SET status = 'cancelled', ended_at = ? WHERE id = ? AND status IN ('queued', 'running')", micros(t.now), id); err != nil {
			return err
		}
		t.emit("benchmark", id)
		if i.EndedAt == nil {
			if err := t.requestStop(&i, by, "cancelled"); err != nil {
				return err
			}
		}
		b, err = t.benchmark(id)
		return err
	})
	return b, err
}

// BenchmarkDeadlines returns the instances of benchmarks that have run for longer than they may.
func (s *Store) BenchmarkDeadlines(ctx context.Context, grace time.Duration) (late []Instance, err error) {
	err = s.read(ctx, func(t *tx) error {
		late, err = t.instances(instanceQuery+`JOIN benchmark b ON b.instance_id = i.id
			WHERE b.status = 'running' AND b.seconds > 0 AND b.started_at + b.seconds * 1000000 + ? < ? AND i.ended_at IS NULL ORDER BY i.seq`, grace.Microseconds(), micros(t.now))
		return err
	})
	return late, err
}
