package views

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// duration is how long a run took.
func (r BenchRow) duration(f Format) string { return f.Seconds(r.Seconds) }

// benchPolling keeps the page of a run that goes on current.
func benchPolling(v BenchRunPage) templ.Attributes {
	if v.Status != "queued" && v.Status != "running" {
		return nil
	}
	return templ.Attributes{
		"data-hx-get": "/bench/" + id(v.ID), "data-hx-trigger": "every 2s", "data-hx-select": "#run",
		"data-hx-target": "this", "data-hx-swap": "outerMorph",
	}
}

// factText writes sizes as sizes; all else is shown as the runner said it.
func factText(f Fact) string {
	if n, err := strconv.ParseInt(f.Value, 10, 64); err == nil && strings.HasSuffix(f.Name, "_bytes") {
		return Bytes(n)
	}
	return f.Value
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

// scale places a history in a plot of 424 × 128 units.
type scale struct {
	low, high float64 // of the figures
	from, to  float64 // of the axis
	n         int
}

const plotWidth, plotTop, plotHeight = 416.0, 12.0, 120.0

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

func (s scale) x(i int) string {
	if s.n < 2 {
		return "0"
	}
	return coordinate(6 + plotWidth*float64(i)/float64(s.n-1)*0.985)
}

func (s scale) y(value float64) string {
	return coordinate(plotTop + plotHeight*(1-(value-s.from)/(s.to-s.from)))
}

func (s scale) polyline(points []BenchPoint) string {
	var b strings.Builder
	for i, p := range points {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s.x(i) + "," + s.y(p.Median))
	}
	return b.String()
}

// gridLine is one line of a plot with its figure.
type gridLine struct{ y, textY, text string }

func (s scale) grid() []gridLine {
	lines := make([]gridLine, 0, 3)
	for i := range 3 {
		value := s.from + (s.to-s.from)*float64(i)/2
		y := plotTop + plotHeight*(1-float64(i)/2)
		lines = append(lines, gridLine{y: coordinate(y), textY: coordinate(y + 4), text: Figure(value)})
	}
	return lines
}

func coordinate(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
