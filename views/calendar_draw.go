package views

import (
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
)

// percent is where a moment lies between the page's ends: by real time, so that a day of 23 hours is narrower.
func (v CalendarPage) percent(t time.Time) float64 {
	whole := v.To.Sub(v.From)
	return 100 * float64(min(max(0, t.Sub(v.From)), whole)) / float64(whole)
}

// x and width place a span in a drawing that is as wide as its column.
func (v CalendarPage) x(t time.Time) string { return share(v.percent(t)) }

func (v CalendarPage) width(from, to time.Time) string {
	return share(v.percent(to) - v.percent(from))
}

func share(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) + "%" }

// dayEnd is where a day of the page ends.
func (v CalendarPage) dayEnd(k int) time.Time {
	if k+1 < len(v.Days) {
		return v.Days[k+1]
	}
	return v.To
}

// today reports whether now is in a day of the page.
func (v CalendarPage) today(k int) bool { return !v.Now.Before(v.Days[k]) && v.Now.Before(v.dayEnd(k)) }

// dayHead is a day's name above its column.
func (v CalendarPage) dayHead(day time.Time) string {
	if v.View == "month" {
		return strconv.Itoa(day.In(v.zone()).Day())
	}
	return v.Day(day)
}

// shown reports whether now lies within the page.
func (v CalendarPage) shownNow() bool { return !v.Now.Before(v.From) && v.Now.Before(v.To) }

// leastShare is how much of the page's width a span needs for words and for a finger.
const leastShare = 5.0

func (v CalendarPage) wide(s CalendarSpan) bool {
	return v.percent(s.To)-v.percent(s.From) >= leastShare
}

// spanClass is a span's colour; its words say the same.
func spanClass(s CalendarSpan) string {
	class := "span " + s.Kind
	switch {
	case s.Kind == "free" && s.Free == 0:
		class += " none"
	case s.Name == "" && s.Kind != "out" && s.Kind != "free":
		class += " others"
	}
	return class
}

// spanName is what stands in a span.
func (v CalendarPage) spanName(s CalendarSpan) string {
	switch {
	case s.Kind == "free":
		return v.T.FreeOf(s.Free, s.Of)
	case s.Kind == "out":
		return v.T.CalendarOut(s.Detail)
	case s.Name == "" && s.Kind == "reserved":
		return v.T.CalendarReserved()
	case s.Name == "":
		return v.T.CalendarInUse()
	}
	return s.Name + " · " + v.T.Kind(s.Kind)
}

// spanTitle is a span on hover, with its times.
func (v CalendarPage) spanTitle(s CalendarSpan) string {
	from, to := v.DateTime(s.From), v.DateTime(s.To)
	if s.Before {
		from = "…"
	}
	if s.On {
		to = "…"
	}
	return v.spanName(s) + ", " + from + " – " + to
}

// calendarData is what the script needs to know of the page's time.
func calendarData(v CalendarPage) templ.Attributes {
	step := "30"
	if v.View == "month" {
		step = "360"
	}
	return templ.Attributes{"data-from": ISO(v.From), "data-to": ISO(v.To), "data-step": step, "data-zone": v.zone().String(),
		"data-keys": v.T.CalendarKeys(), "data-begun": v.T.CalendarBegun("{}"), "data-chosen": v.T.CalendarChosen("{}"), "data-free": v.T.CalendarFree()}
}

// here is a link to the page itself with other values; "" leaves one out.
func (v CalendarPage) here(from time.Time, view, pool string) string {
	return link("/calendar", "from", v.DayOf(from), "view", view, "pool", pool)
}

// entryTimes are an entry's times in words.
func (p Page) entryTimes(e CalendarEntry) string {
	if e.To.IsZero() {
		return p.Near(e.From, p.Now) + " – " + p.T.NoHardEnd()
	}
	from, to := p.Near(e.From, p.Now), p.Near(e.To, p.Now)
	if p.DayOf(e.From) == p.DayOf(e.To) {
		to = p.Clock(e.To)
	}
	return from + " – " + to
}

// entryGPUs is what an entry has, "2 × A100-SXM4-80GB".
func entryGPUs(e CalendarEntry) string {
	return gpuText(InstanceRow{GPUCount: e.Count, GPUModel: e.Model})
}

func (p Page) entryName(e CalendarEntry) string {
	switch {
	case e.Name != "":
		return e.Name
	case e.Kind == "reserved":
		return p.T.CalendarReserved()
	}
	return p.T.CalendarInUse()
}

// discount writes parts per million as per cent, "5 %" or "12.5 %".
func discount(ppm int64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(float64(ppm)/10_000, 'f', 2, 64), "0"), ".") + nbsp + "%"
}

func (q ReserveQuote) length() time.Duration { return q.End.Sub(q.Start) }

// plainInt is a number as a form sends it.
func plainInt(n int64) string { return strconv.FormatInt(n, 10) }
