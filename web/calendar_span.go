package web

import (
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

// calendarSpan is who has a GPU, cut to what the page shows.
func calendarSpan(c *call, v *views.CalendarPage, t store.Taken) views.CalendarSpan {
	sp := views.CalendarSpan{From: t.From, To: v.To, Kind: string(t.Kind), InUse: t.InUse, On: true}
	if t.To != nil {
		sp.To, sp.On = *t.To, false
	}
	if c.sees(t.TeamID) {
		sp.Name, sp.URL = t.Name, takenPath(t)
	}
	return within(v, sp)
}

func within(v *views.CalendarPage, sp views.CalendarSpan) views.CalendarSpan {
	if sp.From.Before(v.From) {
		sp.From, sp.Before = v.From, true
	}
	if sp.To.After(v.To) {
		sp.To, sp.On = v.To, true
	}
	return sp
}

// outOfService is the time in which a GPU can't be had for its state, from then or now on; nil where it can. Nobody knows
// when that ends.
func outOfService(v *views.CalendarPage, state string, since time.Time) []views.CalendarSpan {
	if state == store.GPUOK || !v.To.After(since) {
		return nil
	}
	sp := within(v, views.CalendarSpan{From: since, To: v.To, Kind: "out", Detail: state, On: true})
	if !sp.From.Before(sp.To) {
		return nil
	}
	return []views.CalendarSpan{sp}
}

// inOrder puts spans in their order; what is out of service, and what runs on with no end, gives way to what is known.
func inOrder(spans, out []views.CalendarSpan) []views.CalendarSpan {
	slices.SortStableFunc(spans, func(a, b views.CalendarSpan) int { return a.From.Compare(b.From) })
	var all []views.CalendarSpan
	for _, sp := range spans {
		if n := len(all); n > 0 && all[n-1].To.After(sp.From) {
			all[n-1].To, all[n-1].On = sp.From, false
			if !all[n-1].From.Before(all[n-1].To) {
				all = all[:n-1]
			}
		}
		all = append(all, sp)
	}
	for _, gap := range out {
		all = fill(all, gap)
	}
	return all
}

// fill puts a span where nothing else is.
func fill(spans []views.CalendarSpan, gap views.CalendarSpan) []views.CalendarSpan {
	var all []views.CalendarSpan
	from := gap.From
	put := func(to time.Time) {
		if part := gap; from.Before(to) {
			part.From, part.To = from, to
			all = append(all, part)
		}
	}
	for _, sp := range spans {
		if sp.From.Before(gap.To) {
			put(sp.From)
		}
		if sp.To.After(from) {
			from = sp.To
		}
		all = append(all, sp)
	}
	put(gap.To)
	slices.SortStableFunc(all, func(a, b views.CalendarSpan) int { return a.From.Compare(b.From) })
	return all
}

// freeSpans counts how many of a group's GPUs are free when, where not all of them are.
func freeSpans(lanes []views.CalendarLane) []views.CalendarSpan {
	var cuts []time.Time
	for _, l := range lanes {
		for _, sp := range l.Spans {
			cuts = append(cuts, sp.From, sp.To)
		}
	}
	slices.SortFunc(cuts, time.Time.Compare)
	cuts = slices.CompactFunc(cuts, time.Time.Equal)
	var all []views.CalendarSpan
	for k := range max(0, len(cuts)-1) {
		sp := views.CalendarSpan{From: cuts[k], To: cuts[k+1], Kind: "free", Free: len(lanes), Of: len(lanes)}
		for _, l := range lanes {
			if slices.ContainsFunc(l.Spans, func(s views.CalendarSpan) bool { return s.From.Before(sp.To) && sp.From.Before(s.To) }) {
				sp.Free--
			}
		}
		switch n := len(all); {
		case sp.Free == sp.Of:
		case n > 0 && all[n-1].Free == sp.Free && all[n-1].To.Equal(sp.From):
			all[n-1].To = sp.To
		default:
			all = append(all, sp)
		}
	}
	return all
}
