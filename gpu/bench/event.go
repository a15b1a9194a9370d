package bench

// EventKind is the value of a line's "event" field.
type EventKind string

const (
	KindPlan     EventKind = "plan"
	KindProgress EventKind = "progress"
	KindSample   EventKind = "sample"
	KindResult   EventKind = "result"
	KindError    EventKind = "error"
	KindDone     EventKind = "done"
)

// formatVersion is raised when a line's meaning changes; fields may be added without.
const formatVersion = 1

// Event is one line: exactly the part that Kind names is set.
type Event struct {
	Kind     EventKind
	Plan     *Plan
	Progress *Progress
	Sample   *Sample
	Result   *Row
	Error    *Failure
	Done     *Done
}

// Plan is the first event: what will be run, with which inputs, on what.
type Plan struct {
	Version     int         `json:"version"`
	Suite       Suite       `json:"suite"`
	Backend     Backend     `json:"backend"`
	Size        int         `json:"size"` // as it will be used, see Request.Size
	Seed        int64       `json:"seed"`
	Seconds     int         `json:"seconds"`
	GPUs        []string    `json:"gpus,omitempty"`
	Tests       []Planned   `json:"tests"`
	Environment Environment `json:"environment"`
}

// Planned is a test that will be run.
type Planned struct {
	Test string `json:"test"`
	Unit string `json:"unit"`
}

// Phase is what is being done with a test.
type Phase string

const (
	PhaseSetup   Phase = "setup"   // data is being made; Test is empty
	PhaseCheck   Phase = "check"   // its result is compared with the reference
	PhaseWarmup  Phase = "warmup"  // runs that do not count
	PhaseMeasure Phase = "measure" // runs that count
)

// Progress is written when something moves, a few times a second at most.
type Progress struct {
	Fraction float64 `json:"fraction"` // of the whole run, 0 to 1, never falls
	Test     string  `json:"test,omitempty"`
	Phase    Phase   `json:"phase"`
}

// Sample is one measured run of a test.
type Sample struct {
	Test    string  `json:"test"`
	Value   float64 `json:"value"`   // in the test's unit
	Seconds float64 `json:"seconds"` // how long the run took
}

// Row is a test's result. Without a Summary there is no figure: it computed wrong, or nothing could be measured in time.
type Row struct {
	Test      string   `json:"test"`
	Group     string   `json:"group,omitempty"` // tests of one group are steps of one ladder and are compared
	Unit      string   `json:"unit"`
	*Summary           // median, p5, p95, cv, n, low, high; nil: no figure
	Stable    bool     `json:"stable"`
	Wrong     bool     `json:"wrong,omitempty"`
	Reasons   []Reason `json:"reasons,omitempty"` // why not stable
	Simulated bool     `json:"simulated"`
	Size      int      `json:"size"`
	Rows      int      `json:"rows,omitempty"` // of the product that were computed, where that is not all of them
	Bytes     int64    `json:"bytes"`          // that the test's data takes
	Workers   int      `json:"workers"`        // threads
	Seed      int64    `json:"seed"`
	// ErrorRatio is the largest deviation from the reference divided by the error bound of the type; over 1 is wrong.
	ErrorRatio float64 `json:"error_ratio"`
	// Compared is how many numbers of the result were compared with the reference.
	Compared int `json:"compared"`
	// OfBest is the median divided by the best stable or unstable median of the same Group; 0: not compared. The runner
	// leaves it empty, Result fills it.
	OfBest float64 `json:"of_best,omitempty"`
	Notes  []Note  `json:"notes,omitempty"`
}

// Failure is why the run can not go on; it is the last event.
type Failure struct {
	Reason Reason `json:"reason"`
	Test   string `json:"test,omitempty"`
	Detail string `json:"detail"` // in English, for the log and the admin
}

// Done is the last event of a run that came to its end, whatever the figures are.
type Done struct {
	Tests   int     `json:"tests"`
	Seconds float64 `json:"seconds"` // wall time of the whole run
}

// Environment is what was on the machine. Zero and "" mean that the machine does not tell.
type Environment struct {
	CPUModel     string  `json:"cpu_model,omitempty"`
	Cores        int     `json:"cores"`                  // that this process may run on
	Workers      int     `json:"workers"`                // threads that parallel tests use
	QuotaMillis  int64   `json:"quota_millis,omitempty"` // CPU quota in thousandths of a core; 0: none
	Governor     string  `json:"governor,omitempty"`     // of the clock, e.g. "performance"
	LoadAverage  float64 `json:"load_average"`           // of the last minute, before the run
	MemoryBytes  int64   `json:"memory_bytes,omitempty"` // that this run may use
	CacheBytes   int64   `json:"cache_bytes,omitempty"`  // all last-level caches together
	HugePages    string  `json:"huge_pages,omitempty"`   // "always", "madvise" or "never"
	Kernel       string  `json:"kernel,omitempty"`       // release of the operating system
	GoVersion    string  `json:"go_version"`             // that built the kernels
	Architecture string  `json:"architecture"`           // e.g. "amd64/v1"
	Vector       string  `json:"vector,omitempty"`       // instruction set of the vectorised kernels, where there are any
}
