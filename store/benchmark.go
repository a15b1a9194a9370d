package store

import "time"

// Benchmark is one run of a suite.
type Benchmark struct {
	ID, Suite, Backend                       string
	GPUs                                     []string
	Size, Seed, Seconds                      int64
	PersonID, PersonName, TeamID, InstanceID string
	Status                                   string // queued, running, done, unstable, wrong, failed, cancelled
	ProgressPermille                         int
	Phase                                    string
	CreatedAt                                time.Time
	StartedAt, EndedAt                       *time.Time
	Environment                              map[string]string
	Results                                  []BenchmarkResult
	Error                                    string
	Simulated                                bool
}

// BenchmarkResult is one test's row.
type BenchmarkResult struct {
	Test, Unit          string
	Median, P5, P95, CV float64
	N                   int
	Stable, Simulated   bool
	Reasons             []string
	Notes               map[string]string
}

// NewBenchmark is a benchmark to be run.
type NewBenchmark struct {
	Suite, Backend      string
	GPUs                []string
	GPUModel            string // with GPUCount, instead of GPUs
	GPUCount            int
	Size, Seed, Seconds int64
	PersonID, TeamID    string
	IdempotencyKey      string
	Argv                func(id string) []string // the command line of the run, given the benchmark's id
}

// BenchmarkOutcome is how a run ended.
type BenchmarkOutcome struct {
	Status      string // done, unstable, wrong, failed or cancelled
	Results     []BenchmarkResult
	Environment map[string]string
	Error       string
}

// BenchmarkFilter chooses benchmarks. Zero values choose all.
type BenchmarkFilter struct {
	PersonID, TeamID, Suite, Status, GPU string
	Cursor                               string
	Limit                                int // 0: 50; at most 500
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
