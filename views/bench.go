package views

import "time"

// BenchPage is /bench. Its form is POST /bench with the fields suite, backend, target (a value of Targets), size, seed,
// seconds (all three may be empty) and idempotency_key (hidden).
type BenchPage struct {
	Page
	Form     Form
	Suites   []string // "stream", "matmul"
	Backends []string // "cpu"
	Targets  []Option // "" is this machine's CPU, else GPU UUIDs
	Rows     []BenchRow
	Next     string // cursor
	Paged    bool
}

// BenchRow is one run in the history. Status as in API.md: "queued", "running", "done", "unstable", "wrong", "failed",
// "cancelled".
type BenchRow struct {
	ID, Suite, Backend string
	Target             string // "CPU", or the GPUs' names
	Status             string
	Simulated          bool
	Headline           *BenchResult // the suite's main figure, nil while there is none
	Owner              string
	CreatedAt          time.Time
	Seconds            int64 // how long it ran so far
}

// BenchRunPage is /bench/{id}. Cancelling is POST /bench/{id}/cancel; exports are /bench/{id}.csv and /bench/{id}.json.
type BenchRunPage struct {
	Page
	BenchRow
	InstanceID   string
	Detail       string // why it failed, is wrong or unstable, in words
	Size         string
	Seed         string
	MaxSeconds   int64
	CostMicros   int64
	ProgressDone int    // tests done
	ProgressAll  int    // 0: not known yet
	Step         string // what is being done: "setup", "check", "warmup", "measure"
	Results      []BenchResult
	History      []BenchHistory
	Environment  []Fact
	CanCancel    bool
	Other        []string // other tests or GPUs with history; reserved for links
}

// BenchResult is one test's figure. Benchmarks are the one place where figures are not integers.
type BenchResult struct {
	Test, Unit      string
	Median, P5, P95 float64
	CV              float64 // coefficient of variation as a fraction
	N               int
	Stable          bool
	Simulated       bool
	Why             string // why it is not stable or not right, in words
	PeakPermille    Value  // of the datasheet's peak, or of the best test
}

// BenchHistory is one test's figures over time on the same device, oldest first.
type BenchHistory struct {
	Test, Unit string
	Points     []BenchPoint
}

// BenchPoint is one run in a history.
type BenchPoint struct {
	RunID   string
	At      time.Time
	Median  float64
	Stable  bool
	Current bool // the run of this page
}

// Fact is a name and what it is. Name is a stable key that the catalogue may know (lang.T.Fact), else shown as it is.
type Fact struct{ Name, Value string }
