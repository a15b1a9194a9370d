package web

import (
	"crypto/rand"
	"net/url"
	"time"

	"github.com/meterhouse/meterhouse/gpu/bench"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

func (s *Server) benchPage(c *call) error {
	v, err := s.benchView(c)
	if err != nil {
		return err
	}
	v.Form.Values = url.Values{"suite": {v.Suites[0]}, "backend": {v.Backends[0]}, "idempotency_key": {rand.Text()}}
	return s.show(c, views.Bench(v))
}

func (s *Server) benchView(c *call) (views.BenchPage, error) {
	v := views.BenchPage{Page: s.page(c), Targets: []views.Option{{Value: "", Label: c.t.BenchTargetCPU()}}}
	for _, suite := range bench.Suites() {
		v.Suites = append(v.Suites, string(suite))
	}
	for _, backend := range bench.Backends() {
		v.Backends = append(v.Backends, string(backend))
	}
	f := store.BenchmarkFilter{TeamID: c.team()}
	if !unsafe(c.Request().Method) {
		var err error
		if f.Cursor, f.Limit, err = paging(c); err != nil {
			return v, err
		}
	}
	list, next, err := s.store.Benchmarks(c.Request().Context(), f)
	if err != nil {
		return v, err
	}
	v.Next, v.Paged = next, f.Cursor != ""
	for _, b := range list {
		v.Rows = append(v.Rows, s.benchRow(c, b))
	}
	return v, nil
}

// headlines are the suites' main figures, best first: a machine without vector instructions lacks the first.
var headlines = map[string][]string{"stream": {"triad"}, "matmul": {"fp32_parallel", "fp64_parallel"}}

func (s *Server) benchRow(c *call, b store.Benchmark) views.BenchRow {
	row := views.BenchRow{ID: b.ID, Suite: b.Suite, Backend: b.Backend, Target: c.t.BenchTargetCPU(), Status: b.Status, Simulated: b.Simulated, Owner: b.PersonName, CreatedAt: b.CreatedAt}
	if len(b.GPUs) > 0 {
		row.Target = ""
		for i, uuid := range b.GPUs {
			if i > 0 {
				row.Target += ", "
			}
			row.Target += uuid
		}
	}
	if b.StartedAt != nil {
		end := s.now()
		if b.EndedAt != nil {
			end = *b.EndedAt
		}
		row.Seconds = int64(end.Sub(*b.StartedAt) / time.Second)
	}
	for _, name := range headlines[b.Suite] {
		for _, r := range b.Results {
			if r.Test == name && row.Headline == nil {
				figure := benchResult(c.t, r, b.Results)
				row.Headline = &figure
			}
		}
	}
	return row
}

// benchForm is POST /bench.
func (s *Server) benchForm(c *call) error {
	body := BenchmarkBody{Suite: c.text("suite"), Backend: c.text("backend"), IdempotencyKey: c.text("idempotency_key")}
	if target := c.text("target"); target != "" {
		body.GPUs = []string{target}
	}
	var bad wrong
	for field, n := range map[string]*int64{"size": &body.Size, "seed": &body.Seed, "seconds": &body.Seconds} {
		var err error
		if *n, err = parseCount(field, c.text(field)); err != nil {
			bad = append(bad, explain(err))
		}
	}
	err := bad.orNil()
	var b store.Benchmark
	if err == nil {
		b, err = s.startBenchmark(c, body)
	}
	if err != nil && typed(err) {
		v, again := s.benchView(c)
		if again != nil {
			return again
		}
		v.Form = c.typedForm(renamed(err, map[string]string{"gpus": "target"}))
		return s.showAgain(c, err, views.Bench(v))
	}
	if err != nil {
		return err
	}
	return s.done(c, "/bench/"+b.ID, flash{Key: "bench_started", Name: b.Suite})
}

func (s *Server) benchCancelForm(c *call) error {
	b, err := s.cancelOwn(c)
	if err != nil {
		return err
	}
	return s.done(c, "/bench/"+b.ID, flash{Key: "bench_cancelled", Name: b.Suite})
}
