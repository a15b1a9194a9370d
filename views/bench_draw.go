package views

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// duration is how long a run took.
func (r BenchRow) duration(f Format) string { return f.Seconds(r.Seconds) }

// benchPolling keeps the page of a run that goes on current.
func benchPolling(v BenchRunPage) templ.Attributes {
	if !goesOn(v) {
		return nil
	}
	return templ.Attributes{
		"data-hx-get": "/bench/" + id(v.ID), "data-hx-trigger": "every 2s", "data-hx-select": "#run",
		"data-hx-target": "this", "data-hx-swap": "outerMorph",
	}
}

func goesOn(v BenchRunPage) bool { return v.Status == "queued" || v.Status == "running" }

// factText writes sizes as sizes and a quota in cores; all else is shown as the runner said it.
func factText(f Fact) string {
	n, err := strconv.ParseInt(f.Value, 10, 64)
	switch {
	case err != nil:
		return f.Value
	case strings.HasSuffix(f.Name, "_bytes"):
		return Bytes(n)
	case f.Name == "quota_millis":
		return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64)
	}
	return f.Value
}

// sizeText groups the digits of a size that is one number.
func sizeText(size string) string {
	if n, err := strconv.ParseInt(size, 10, 64); err == nil {
		return Number(n)
	}
	return size
}

// sharedWhy is the reason that all results have, "" where they differ or there is but one.
func sharedWhy(results []BenchResult) string {
	if len(results) < 2 || slices.ContainsFunc(results, func(r BenchResult) bool { return r.Why != results[0].Why }) {
		return ""
	}
	return results[0].Why
}

func benchNotice(status string) string {
	if status == "failed" || status == "wrong" {
		return "bad"
	}
	return "warn"
}

func stableClass(stable bool) string {
	if stable {
		return "good"
	}
	return "warn"
}

// scale places a history in a plot of 1000 × 100 units, which stretches.
type scale struct {
	low, high float64 // of the figures
	from, to  float64 // of the axis
	n         int
}

// scaleOf begins at zero unless that would hide every difference.
func scaleOf(h BenchHistory) scale {
	s := scale{low: h.Points[0].Median, high: h.Points[0].Median, n: len(h.Points)}
	for _, p := range h.Points {
		s.low, s.high = min(s.low, p.Median), max(s.high, p.Median)
	}
	s.from, s.to = 0, s.high*1.05
	if s.low > s.high*0.7 {
		s.from = s.low - (s.high - s.low) - s.high*0.02
	}
	if s.to <= s.from {
		s.to = s.from + 1
	}
	return s
}

// place is where a point lies, "x,y"; the points keep away from both ends so that none is cut.
func (s scale) place(i int, value float64) string {
	x := 15.0
	if s.n > 1 {
		x += 970 * float64(i) / float64(s.n-1)
	}
	return coordinate(x) + "," + coordinate(100*(1-(value-s.from)/(s.to-s.from)))
}

func (s scale) polyline(points []BenchPoint) string {
	places := make([]string, 0, len(points))
	for i, p := range points {
		places = append(places, s.place(i, p.Median))
	}
	return strings.Join(places, " ")
}

// dot is a line of no length: with round ends it is a dot that does not stretch with the plot.
func (s scale) dot(i int, value float64) string { return "M" + s.place(i, value) + "h0.01" }

// labels are the figures beside the plot, the highest first.
func (s scale) labels() []string {
	return []string{Figure(s.to), Figure((s.from + s.to) / 2), Figure(s.from)}
}

func coordinate(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
