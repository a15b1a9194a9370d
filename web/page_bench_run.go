package web

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
	"github.com/meterhouse/meterhouse/web/lang"
)

// shownHistory is how many runs a chart goes back.
const shownHistory = 50

// benchRunPage is GET /bench/{id}, and the exports /bench/{id}.csv and /bench/{id}.json.
func (s *Server) benchRunPage(c *call) error {
	id, kind, export := strings.Cut(c.Param("id"), ".")
	b, err := s.benchmark(c, id)
	if err != nil {
		return err
	}
	if export {
		return exportBenchmark(c, b, kind)
	}
	ctx := c.Request().Context()
	v := views.BenchRunPage{
		Page: s.page(c), BenchRow: s.benchRow(c, b), InstanceID: b.InstanceID, Detail: b.Error, Size: cmp.Or(b.Environment["size"], number(b.Size)), Seed: cmp.Or(b.Environment["seed"], number(b.Seed)),
		MaxSeconds: b.Seconds, ProgressDone: b.ProgressPermille, ProgressAll: 1000, Step: b.Phase,
		CanCancel: c.acts(b.TeamID, b.PersonID) && (b.Status == "queued" || b.Status == "running"),
	}
	if b.InstanceID != "" {
		in, err := s.store.Instance(ctx, b.InstanceID)
		if err != nil {
			return err
		}
		v.CostMicros = in.CostMicros
	}
	for _, r := range b.Results {
		v.Results = append(v.Results, benchResult(c.t, r, b.Results))
	}
	if v.History, err = s.benchHistory(c, b); err != nil {
		return err
	}
	for _, key := range slices.Sorted(mapKeys(b.Environment)) {
		if key == "size" || key == "seed" {
			continue // they stand above
		}
		v.Environment = append(v.Environment, views.Fact{Name: key, Value: b.Environment[key]})
	}
	return s.show(c, views.BenchRun(v))
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// benchResult is one row; its bar is its share of the best test of the same unit, as no datasheet says what a CPU can do.
func benchResult(t lang.T, r store.BenchmarkResult, all []store.BenchmarkResult) views.BenchResult {
	best := r.Median
	for _, other := range all {
		if other.Unit == r.Unit {
			best = max(best, other.Median)
		}
	}
	v := views.BenchResult{Test: r.Test, Unit: r.Unit, Median: r.Median, P5: r.P5, P95: r.P95, CV: r.CV, N: r.N, Stable: r.Stable, Simulated: r.Simulated, PeakPermille: views.Unknown("no_sample")}
	if best > 0 && r.N > 0 {
		v.PeakPermille = views.Known(int64(r.Median/best*1000 + 0.5))
	}
	var why []string
	for _, key := range r.Reasons {
		why = append(why, cmp.Or(t.BenchReason(key), strings.ReplaceAll(key, "_", " ")))
	}
	for _, key := range slices.Sorted(mapKeys(r.Notes)) {
		if text := t.BenchNote(key); text != "" {
			why = append(why, text)
		}
	}
	v.Why = t.BenchWhy(why)
	return v
}

// benchHistory is each of the run's tests over time on the same device, oldest first.
func (s *Server) benchHistory(c *call, b store.Benchmark) ([]views.BenchHistory, error) {
	device := ""
	if len(b.GPUs) > 0 {
		device = b.GPUs[0]
	}
	var list []views.BenchHistory
	for _, r := range b.Results {
		points, err := s.store.BenchmarkHistory(c.Request().Context(), b.Suite, b.Backend, r.Test, device, shownHistory)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(points, func(a, b store.BenchmarkPoint) int { return a.At.Compare(b.At) })
		h := views.BenchHistory{Test: r.Test, Unit: r.Unit}
		for _, p := range points {
			h.Points = append(h.Points, views.BenchPoint{RunID: p.BenchmarkID, At: p.At, Median: p.Median, Stable: p.Stable, Current: p.BenchmarkID == b.ID})
		}
		list = append(list, h)
	}
	return list, nil
}

// exportBenchmark sends a run as a file.
func exportBenchmark(c *call, b store.Benchmark, kind string) error {
	name := func(ext string) string { return `attachment; filename="` + b.ID + "." + ext + `"` }
	switch kind {
	case "json":
		c.Response().Header().Set("Content-Disposition", name("json"))
		body, err := json.MarshalIndent(benchmarkOut(b), "", "  ")
		if err != nil {
			return err
		}
		return write(c, http.StatusOK, "application/json", append(body, '\n'))
	case "csv":
		var buf bytes.Buffer
		w := csv.NewWriter(&buf)
		rows := [][]string{{"test", "unit", "median", "p5", "p95", "cv", "n", "stable", "simulated", "reasons"}}
		for _, r := range b.Results {
			rows = append(rows, []string{r.Test, r.Unit, views.Raw(r.Median), views.Raw(r.P5), views.Raw(r.P95), views.Raw(r.CV), strconv.Itoa(r.N), strconv.FormatBool(r.Stable), strconv.FormatBool(r.Simulated), strings.Join(r.Reasons, "; ")})
		}
		if err := w.WriteAll(rows); err != nil {
			return err
		}
		c.Response().Header().Set("Content-Disposition", name("csv"))
		return write(c, http.StatusOK, "text/csv; charset=utf-8", buf.Bytes())
	}
	return notFound("benchmark")
}
