package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
)

// benchmarkStatuses are where a run may stand; from the third on it has ended.
var benchmarkStatuses = []string{"queued", "running", "done", "unstable", "wrong", "failed", "cancelled"}

const endedWithoutResult = "ended_without_result"

// Benchmark is one run of a suite. It is an instance whose command is the benchmark runner.
type Benchmark struct {
	ID, Suite, Backend                       string
	GPUs                                     []string // none for the CPU
	Size, Seed, Seconds                      int64    // 0: the suite's own choice
	PersonID, PersonName, TeamID, InstanceID string
	Status                                   string // queued, running, done, unstable, wrong, failed, cancelled
	ProgressPermille                         int
	Phase                                    string
	CreatedAt                                time.Time
	StartedAt, EndedAt                       *time.Time
	Environment                              map[string]string
	Results                                  []BenchmarkResult // in the order in which the suite ran
	Error                                    string
	Simulated                                bool

	seq int64
}

// BenchmarkResult is one test's row. Its numbers are in Unit, CV is a fraction.
type BenchmarkResult struct {
	Test, Unit          string
	Median, P5, P95, CV float64
	N                   int
	Stable, Simulated   bool
	Reasons             []string // why it is not stable: keys
	Notes               map[string]string
}

// BenchmarkFilter chooses benchmarks. Zero values choose all.
type BenchmarkFilter struct {
	PersonID, TeamID, Suite, Status, GPU string
	Cursor                               string // next of the page before
	Limit                                int    // 0: 50; at most 500
}

const benchmarkQuery = `SELECT b.seq, b.id, b.suite, b.backend, b.gpus, b.size, b.seed, b.seconds, b.person_id, p.name, b.team_id, b.instance_id, b.status, b.progress, b.phase,
	b.created_at, b.started_at, b.ended_at, b.environment, b.error, b.simulated FROM benchmark b JOIN person p ON p.id = b.person_id `

func scanBenchmark(r scanner) (Benchmark, error) {
	var b Benchmark
	var gpus, environment string
	var created int64
	var started, ended sql.NullInt64
	err := r.Scan(&b.seq, &b.ID, &b.Suite, &b.Backend, &gpus, &b.Size, &b.Seed, &b.Seconds, &b.PersonID, &b.PersonName, &b.TeamID, &b.InstanceID, &b.Status,
		&b.ProgressPermille, &b.Phase, &created, &started, &ended, &environment, &b.Error, &b.Simulated)
	if err != nil {
		return b, err
	}
	b.CreatedAt, b.StartedAt, b.EndedAt = fromMicros(created), timeOrNil(started), timeOrNil(ended)
	if err := json.Unmarshal([]byte(environment), &b.Environment); err != nil {
		return b, err
	}
	return b, json.Unmarshal([]byte(gpus), &b.GPUs)
}

// Benchmark returns one benchmark with its results.
func (s *Store) Benchmark(ctx context.Context, id string) (b Benchmark, err error) {
	err = s.read(ctx, func(t *tx) error {
		b, err = t.benchmark(id)
		return err
	})
	return b, err
}

func (t *tx) benchmark(id string) (Benchmark, error) {
	b, err := scanBenchmark(t.row(benchmarkQuery+"WHERE b.id = ?", id))
	if err != nil {
		return b, orNotFound(err, "benchmark", id)
	}
	some := []Benchmark{b}
	err = t.addResults(some)
	return some[0], err
}

// Benchmarks returns the newest first with their results, a page at a time; next is "" on the last page.
func (s *Store) Benchmarks(ctx context.Context, f BenchmarkFilter) (all []Benchmark, next string, err error) {
	before, err := beforeCursor(f.Cursor)
	if err != nil {
		return nil, "", err
	}
	if f.Status != "" && !slices.Contains(benchmarkStatuses, f.Status) {
		return nil, "", invalid("status", "status_unknown")
	}
	limit := pageLimit(f.Limit, 50, 500)
	where, args := "WHERE b.seq < ?", []any{before}
	for condition, value := range map[string]string{"b.person_id = ?": f.PersonID, "b.team_id = ?": f.TeamID, "b.suite = ?": f.Suite, "b.status = ?": f.Status,
		"EXISTS (SELECT 1 FROM json_each(b.gpus) WHERE value = ?)": f.GPU} {
		if value != "" {
			where, args = where+" AND "+condition, append(args, value)
		}
	}
	err = s.read(ctx, func(t *tx) error {
		if all, err = list(t, scanBenchmark, benchmarkQuery+where+" ORDER BY b.seq DESC LIMIT ?", append(args, limit+1)...); err != nil {
			return err
		}
		return t.addResults(all)
	})
	all, next = page(all, limit, func(b Benchmark) int64 { return b.seq })
	return all, next, err
}

// addResults fills in the results of benchmarks.
func (t *tx) addResults(some []Benchmark) error {
	place := map[string]int{}
	ids := make([]string, len(some))
	for k := range some {
		ids[k], place[some[k].ID] = some[k].ID, k
	}
	chosen, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	return t.each(func(row scanner) error {
		var id, reasons, notes string
		var r BenchmarkResult
		if err := row.Scan(&id, &r.Test, &r.Unit, &r.Median, &r.P5, &r.P95, &r.CV, &r.N, &r.Stable, &r.Simulated, &reasons, &notes); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(reasons), &r.Reasons); err != nil {
			return err
		}
		b := &some[place[id]]
		b.Results = append(b.Results, r)
		return json.Unmarshal([]byte(notes), &b.Results[len(b.Results)-1].Notes)
	}, `SELECT benchmark_id, test, unit, median, p5, p95, cv, n, stable, simulated, reasons, notes FROM benchmark_result
		WHERE benchmark_id IN (SELECT value FROM json_each(?)) ORDER BY benchmark_id, place`, string(chosen))
}

// BenchmarkPoint is one result in the history of a test.
type BenchmarkPoint struct {
	BenchmarkID         string
	At                  time.Time
	Unit                string
	Median, P5, P95, CV float64
	N                   int
	Stable, Simulated   bool
}

// BenchmarkHistory returns a test's results, the oldest first: the last limit (0: 100) of what was done on a GPU; on any,
// or on the CPU, for "".
func (s *Store) BenchmarkHistory(ctx context.Context, suite, backend, test, gpu string, limit int) (points []BenchmarkPoint, err error) {
	err = s.read(ctx, func(t *tx) error {
		points, err = list(t, func(r scanner) (BenchmarkPoint, error) {
			var p BenchmarkPoint
			var at int64
			err := r.Scan(&p.BenchmarkID, &at, &p.Unit, &p.Median, &p.P5, &p.P95, &p.CV, &p.N, &p.Stable, &p.Simulated)
			p.At = fromMicros(at)
			return p, err
		}, `SELECT b.id, b.ended_at, r.unit, r.median, r.p5, r.p95, r.cv, r.n, r.stable, r.simulated FROM benchmark b JOIN benchmark_result r ON r.benchmark_id = b.id
			WHERE b.suite = ? AND b.backend = ? AND b.ended_at IS NOT NULL AND b.status IN ('done', 'unstable') AND r.test = ?
			AND (?4 = '' OR EXISTS (SELECT 1 FROM json_each(b.gpus) WHERE value = ?4)) ORDER BY b.ended_at DESC, b.seq DESC LIMIT ?5`,
			suite, backend, test, gpu, pageLimit(limit, 100, 1000))
		return err
	})
	slices.Reverse(points)
	return points, err
}

// benchmarkFollows keeps a benchmark's status in step with its instance: it runs while that does, and has failed if that
// ended before a result was told.
func (t *tx) benchmarkFollows(i *Instance) error {
	if i.BenchmarkID == "" {
		return nil
	}
	var n int64
	var err error
	switch {
	case i.State == life.Running:
		n, err = t.exec("UPDATE benchmark SET status = 'running', started_at = coalesce(started_at, ?) WHERE id = ? AND status = 'queued'", micros(t.now), i.BenchmarkID)
	case i.State == life.Starting:
		err = t.benchmarkGPUs(i)
	case i.State.Ended():
		n, err = t.exec("UPDATE benchmark SET status = 'failed', error = ?, ended_at = ? WHERE id = ? AND status IN ('queued', 'running')", endedWithoutResult, micros(t.now), i.BenchmarkID)
	}
	if n > 0 {
		t.emit("benchmark", i.BenchmarkID)
	}
	return err
}
