package web

import (
	"slices"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/gpu/bench"
	"github.com/meterhouse/meterhouse/store"
)

// Benchmarks is a page of runs.
type Benchmarks struct {
	Benchmarks []Benchmark `json:"benchmarks"`
	NextCursor string      `json:"next_cursor"`
}

// Benchmark is one run of a suite.
type Benchmark struct {
	ID               string            `json:"id"`
	Suite            string            `json:"suite"`
	Backend          string            `json:"backend"`
	GPUs             []string          `json:"gpus"`
	Size             int64             `json:"size"`
	Seed             int64             `json:"seed"`
	Seconds          int64             `json:"seconds"`
	Status           string            `json:"status"`
	ProgressPermille int               `json:"progress_permille"`
	Phase            string            `json:"phase"`
	PersonID         string            `json:"person_id"`
	Person           string            `json:"person"`
	InstanceID       string            `json:"instance_id"`
	CreatedAt        time.Time         `json:"created_at"`
	StartedAt        *time.Time        `json:"started_at"`
	EndedAt          *time.Time        `json:"ended_at"`
	Environment      map[string]string `json:"environment"`
	Results          []Result          `json:"results"`
	Error            string            `json:"error"`
	Simulated        bool              `json:"simulated"`
}

// Result is one test's figure.
type Result struct {
	Test      string            `json:"test"`
	Unit      string            `json:"unit"`
	Median    float64           `json:"median"`
	P5        float64           `json:"p5"`
	P95       float64           `json:"p95"`
	CV        float64           `json:"cv"`
	N         int               `json:"n"`
	Stable    bool              `json:"stable"`
	Simulated bool              `json:"simulated"`
	Reasons   []string          `json:"reasons"`
	Notes     map[string]string `json:"notes"`
}

// BenchmarkBody is what POST /benchmarks takes. Seconds is the most that the whole run may take.
type BenchmarkBody struct {
	Suite          string   `json:"suite"`
	Backend        string   `json:"backend"`
	GPUs           []string `json:"gpus"`
	Size           int64    `json:"size"`
	Seed           int64    `json:"seed"`
	Seconds        int64    `json:"seconds"`
	IdempotencyKey string   `json:"idempotency_key"`
}

func benchmarkOut(b store.Benchmark) Benchmark {
	out := Benchmark{
		ID: b.ID, Suite: b.Suite, Backend: b.Backend, GPUs: b.GPUs, Size: b.Size, Seed: b.Seed, Seconds: b.Seconds, Status: b.Status,
		ProgressPermille: b.ProgressPermille, Phase: b.Phase, PersonID: b.PersonID, Person: b.PersonName, InstanceID: b.InstanceID, CreatedAt: b.CreatedAt,
		StartedAt: b.StartedAt, EndedAt: b.EndedAt, Environment: b.Environment, Error: b.Error, Simulated: b.Simulated, Results: []Result{},
	}
	if out.GPUs == nil {
		out.GPUs = []string{}
	}
	if out.Environment == nil {
		out.Environment = map[string]string{}
	}
	for _, r := range b.Results {
		if r.Reasons == nil {
			r.Reasons = []string{}
		}
		if r.Notes == nil {
			r.Notes = map[string]string{}
		}
		out.Results = append(out.Results, Result(r))
	}
	return out
}

// benchmark loads a run that the person may see.
func (s *Server) benchmark(c *call, id string) (store.Benchmark, error) {
	if !plainID(id) {
		return store.Benchmark{}, notFound("benchmark")
	}
	b, err := s.store.Benchmark(c.Request().Context(), id)
	if err == nil && !c.sees(b.TeamID) {
		err = notFound("benchmark")
	}
	if err != nil {
		return store.Benchmark{}, err
	}
	return b, nil
}

func (s *Server) listBenchmarks(c *call) error {
	f := store.BenchmarkFilter{TeamID: c.team(), Suite: c.QueryParam("suite"), Status: c.QueryParam("status")}
	var err error
	if f.Cursor, f.Limit, err = paging(c); err != nil {
		return err
	}
	if f.Suite != "" && !slices.Contains(bench.Suites(), bench.Suite(f.Suite)) {
		return invalid("suite", "unknown_suite")
	}
	if f.Status != "" && !slices.Contains(benchmarkStatuses, f.Status) {
		return invalid("status", "unknown_status")
	}
	list, next, err := s.store.Benchmarks(c.Request().Context(), f)
	if err != nil {
		return err
	}
	out := Benchmarks{Benchmarks: make([]Benchmark, 0, len(list)), NextCursor: next}
	for _, b := range list {
		out.Benchmarks = append(out.Benchmarks, benchmarkOut(b))
	}
	return ok(c, out)
}

var benchmarkStatuses = []string{"queued", "running", "done", "unstable", "wrong", "failed", "cancelled"}

func (s *Server) createBenchmark(c *call) error {
	var body BenchmarkBody
	if err := decode(c, &body); err != nil {
		return err
	}
	b, err := s.startBenchmark(c, body)
	if err != nil {
		return err
	}
	return created(c, apiRoot+"/benchmarks/"+b.ID, benchmarkOut(b))
}

// startBenchmark checks what is asked for and makes the run with its instance.
func (s *Server) startBenchmark(c *call, body BenchmarkBody) (store.Benchmark, error) {
	if s.config.BenchArgv == nil {
		return store.Benchmark{}, &store.Error{Kind: store.Conflict, Message: "no_benchmarks_here"}
	}
	if body.Backend == "" {
		body.Backend = string(bench.BackendCPU)
	}
	if body.Seed == 0 {
		body.Seed = 1
	}
	if err := checkBenchmark(body); err != nil {
		return store.Benchmark{}, err
	}
	b, _, err := s.store.CreateBenchmark(c.Request().Context(), store.NewBenchmark{
		Suite: body.Suite, Backend: body.Backend, GPUs: body.GPUs, Size: body.Size, Seed: body.Seed, Seconds: body.Seconds, PersonID: c.who.ID,
		IdempotencyKey: body.IdempotencyKey,
		Argv: func(id string) []string {
			return s.config.BenchArgv(Bench{ID: id, Suite: body.Suite, Backend: body.Backend, Size: body.Size, Seed: body.Seed, Seconds: body.Seconds})
		},
	})
	if err != nil {
		return store.Benchmark{}, err
	}
	s.fleet.Kick()
	return b, nil
}

// maxBenchmark is beyond any size or time that means something, and small enough for every int.
const maxBenchmark = 1 << 40

// checkBenchmark asks the runner's own rules; the first word of the rest of its errors is the field.
func checkBenchmark(b BenchmarkBody) error {
	suite, backend := bench.Suite(b.Suite), bench.Backend(b.Backend)
	switch {
	case !slices.Contains(bench.Suites(), suite):
		return invalid("suite", "unknown_suite")
	case !slices.Contains(bench.Backends(), backend):
		return invalid("backend", "unknown_backend")
	case len(b.GPUs) > 0 && backend == bench.BackendCPU:
		return invalid("gpus", "gpus_not_for_cpu")
	case b.Size < 0 || b.Size > maxBenchmark:
		return invalid("size", "wrong_number")
	case b.Seconds < 0 || b.Seconds > maxBenchmark:
		return invalid("seconds", "wrong_number")
	}
	err := bench.Request{Suite: suite, Backend: backend, Size: int(b.Size), Seed: b.Seed, Seconds: int(b.Seconds), GPUs: b.GPUs}.Validate()
	if err == nil {
		return nil
	}
	field, _, _ := strings.Cut(err.Error(), " ")
	switch field {
	case "size", "seconds":
		return invalid(field, "wrong_number")
	}
	return &store.Error{Kind: store.Invalid, Message: "wrong_number", Err: err}
}

func (s *Server) getBenchmark(c *call) error {
	b, err := s.benchmark(c, c.Param("id"))
	if err != nil {
		return err
	}
	return ok(c, benchmarkOut(b))
}

func (s *Server) cancelBenchmark(c *call) error {
	b, err := s.cancelOwn(c)
	if err != nil {
		return err
	}
	return ok(c, benchmarkOut(b))
}

// cancelOwn ends a run of the person's own, or of their team for managers.
func (s *Server) cancelOwn(c *call) (store.Benchmark, error) {
	b, err := s.benchmark(c, c.Param("id"))
	if err == nil && c.isAPI() {
		err = noBody(c)
	}
	if err != nil {
		return b, err
	}
	if !c.acts(b.TeamID, b.PersonID) {
		return b, forbidden("forbidden")
	}
	b, err = s.store.CancelBenchmark(c.Request().Context(), b.ID, c.who.ID)
	if err == nil {
		s.fleet.Kick()
	}
	return b, err
}
