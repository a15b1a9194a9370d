package meter

import (
	"time"

	"github.com/meterhouse/meterhouse/store/money"
)

// hour is the time a rate is for, in the microseconds in which time is counted.
const hour = int64(time.Hour / time.Microsecond)

// product is what a time costs, in micro-units × microseconds: exact, before the division by an hour.
func product(rate int64, d time.Duration) money.Sum { return money.Product(rate, d.Microseconds()) }

// span returns the part of a segment before at.
func span(g Segment, at time.Time) (to time.Time, d time.Duration) {
	to = at
	if g.To != nil && g.To.Before(at) {
		to = *g.To
	}
	if to.Before(g.From) {
		to = g.From
	}
	return to, to.Sub(g.From)
}

// over reports whether the bill is closed at a moment, so that its minimum or waiver counts.
func (t Terms) over(at time.Time) bool { return t.EndedAt != nil && !at.Before(*t.EndedAt) }

// waived reports whether nothing is billed at all: the host's fault in the first minute.
func (t Terms) waived() bool {
	return t.HostFault && t.StartedAt != nil && t.EndedAt != nil && t.EndedAt.Sub(*t.StartedAt) < Minimum
}

// Cost returns what an instance costs up to a moment: a running total that never depends on how it was cut before. The
// part of an interval [a, b) is Cost(b) - Cost(a), and parts add up exactly.
func Cost(segments []Segment, terms Terms, at time.Time) int64 {
	if terms.StartedAt == nil || terms.over(at) && terms.waived() {
		return 0
	}
	var sum money.Sum
	var used time.Duration
	rate := terms.RateMicrosPerHour
	for _, g := range segments {
		if !g.Billable {
			continue
		}
		_, d := span(g, at)
		sum, used, rate = sum.Plus(product(g.RateMicrosPerHour, d)), used+d, g.RateMicrosPerHour
	}
	if terms.over(at) && used < Minimum {
		sum = sum.Plus(product(rate, Minimum-used))
	}
	return sum.Over(hour)
}

// Used returns the billable time in [from, to).
func Used(segments []Segment, from, to time.Time) time.Duration {
	var used time.Duration
	for _, g := range segments {
		if g.Billable {
			_, a := span(g, from)
			_, b := span(g, to)
			used += b - a
		}
	}
	return used
}

// Fold explains a bill as of a moment, segment by segment.
func Fold(segments []Segment, terms Terms, at time.Time) Bill {
	var bill Bill
	if terms.StartedAt == nil {
		return bill
	}
	var sum money.Sum
	var used time.Duration
	rate := terms.RateMicrosPerHour
	for _, g := range segments {
		if g.From.After(at) {
			continue
		}
		to, d := span(g, at)
		line := Line{State: g.State, Billable: g.Billable, RateMicrosPerHour: g.RateMicrosPerHour, From: g.From, To: to,
			Open: g.To == nil || g.To.After(at)}
		if g.Billable {
			before := sum.Over(hour)
			sum, used, rate = sum.Plus(product(g.RateMicrosPerHour, d)), used+d, g.RateMicrosPerHour
			line.AmountMicros = sum.Over(hour) - before
		}
		bill.Lines = append(bill.Lines, line)
	}
	if terms.over(at) && terms.waived() {
		bill.Lines = append(bill.Lines, Line{Billable: true, From: *terms.StartedAt, To: *terms.EndedAt, AmountMicros: -sum.Over(hour), Waived: true})
		sum = money.Sum{}
	} else if terms.over(at) && used < Minimum {
		before := sum.Over(hour)
		sum = sum.Plus(product(rate, Minimum-used))
		bill.Lines = append(bill.Lines, Line{Billable: true, RateMicrosPerHour: rate, From: *terms.EndedAt, To: terms.EndedAt.Add(Minimum - used),
			AmountMicros: sum.Over(hour) - before, Minimum: true})
	}
	bill.TotalMicros = sum.Over(hour)
	return bill
}
