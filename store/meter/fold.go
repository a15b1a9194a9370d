package meter

import (
	"cmp"
	"time"

	"github.com/meterhouse/meterhouse/store/money"
	"github.com/meterhouse/meterhouse/store/spot"
)

// hour is the time a rate is for, in the microseconds in which time is counted.
const hour = int64(time.Hour / time.Microsecond)

// product is what a time costs, in micro-units × microseconds: exact, before the division by an hour.
func product(rate int64, d time.Duration) money.Sum { return money.Product(rate, d.Microseconds()) }

// Amount is what a time costs at a rate an hour, rounded once.
func Amount(rateMicrosPerHour int64, d time.Duration) int64 {
	return product(rateMicrosPerHour, d).Over(hour)
}

// At returns what the bill's instance had cost at an earlier moment; ok is false before it cost anything. The minimum and
// a waiver lie at its end and are no part of any moment before.
func (b Bill) At(at time.Time) (micros int64, ok bool) {
	var sum money.Sum
	for _, l := range b.Lines {
		if !l.Billable || l.Minimum || l.Waived || !l.From.Before(at) {
			continue
		}
		to := l.To
		if at.Before(to) {
			to = at
		}
		sum, ok = sum.Plus(product(l.RateMicrosPerHour, to.Sub(l.From))), true
	}
	return sum.Over(cmp.Or(b.per, hour)), ok
}

// until returns where a segment ends: an open one now, but not before its own beginning, whatever the clock did.
func (g Segment) until(now time.Time) time.Time {
	switch {
	case g.To != nil:
		return *g.To
	case now.Before(g.From):
		return g.From
	}
	return now
}

// before returns how much of a segment lies before a cut.
func (g Segment) before(cut, now time.Time) time.Duration {
	to := g.until(now)
	if cut.Before(to) {
		to = cut
	}
	return max(to.Sub(g.From), 0)
}

// over reports whether the bill is closed at a moment, so that its minimum or waiver counts.
func (t Terms) over(at time.Time) bool { return t.EndedAt != nil && !at.Before(*t.EndedAt) }

// per is the time that rates are for, in microseconds.
func (t Terms) per() int64 {
	if t.Storage {
		return StorageMonth.Microseconds()
	}
	return hour
}

// minimum is the shortest time that is billed.
func (t Terms) minimum() time.Duration {
	if t.Storage {
		return 0
	}
	return Minimum
}

// waived reports whether nothing is billed at all: the host's fault in the first minute, notice of a reclaim in the first hour.
func (t Terms) waived() bool {
	if t.StartedAt == nil || t.EndedAt == nil {
		return false
	}
	return t.HostFault && t.EndedAt.Sub(*t.StartedAt) < Minimum || t.ReclaimedAt != nil && spot.IsFree(*t.StartedAt, *t.ReclaimedAt)
}

// Cost returns how much of what an instance costs by now lies before a cut: a running total that never depends on how it
// was cut otherwise. The part of an interval [a, b) is Cost(b) - Cost(a), and parts add up exactly. What is closed counts
// even where the clock went back since; the minimum and the waiver lie at the end.
func Cost(segments []Segment, terms Terms, cut, now time.Time) int64 {
	if terms.StartedAt == nil || terms.over(cut) && terms.waived() {
		return 0
	}
	var sum money.Sum
	var used time.Duration
	rate := terms.RateMicrosPerHour
	for _, g := range segments {
		if !g.Billable {
			continue
		}
		d := g.before(cut, now)
		sum, used, rate = sum.Plus(product(g.RateMicrosPerHour, d)), used+d, g.RateMicrosPerHour
	}
	if terms.over(cut) && used < terms.minimum() {
		sum = sum.Plus(product(rate, terms.minimum()-used))
	}
	return sum.Over(terms.per())
}

// Used returns how much of the time billed by now lies in [from, to).
func Used(segments []Segment, from, to, now time.Time) time.Duration {
	var used time.Duration
	for _, g := range segments {
		if g.Billable {
			used += g.before(to, now) - g.before(from, now)
		}
	}
	return used
}

// Total returns what an instance costs by now.
func Total(segments []Segment, terms Terms, now time.Time) int64 {
	cut := now
	for _, g := range segments {
		if end := g.until(now); end.After(cut) {
			cut = end
		}
	}
	if terms.EndedAt != nil && terms.EndedAt.After(cut) {
		cut = *terms.EndedAt
	}
	return Cost(segments, terms, cut, now)
}

// Fold explains a bill by now, segment by segment.
func Fold(segments []Segment, terms Terms, now time.Time) Bill {
	bill := Bill{per: terms.per()}
	if terms.StartedAt == nil {
		return bill
	}
	var sum money.Sum
	var used time.Duration
	rate := terms.RateMicrosPerHour
	for _, g := range segments {
		line := Line{State: g.State, Billable: g.Billable, RateMicrosPerHour: g.RateMicrosPerHour, From: g.From, To: g.until(now), Open: g.To == nil}
		if g.Billable {
			before, d := sum.Over(bill.per), line.To.Sub(line.From)
			sum, used, rate = sum.Plus(product(g.RateMicrosPerHour, d)), used+d, g.RateMicrosPerHour
			line.AmountMicros = sum.Over(bill.per) - before
		}
		bill.Lines = append(bill.Lines, line)
	}
	switch {
	case terms.EndedAt == nil:
	case terms.waived():
		bill.Lines = append(bill.Lines, Line{Billable: true, From: *terms.StartedAt, To: *terms.EndedAt, AmountMicros: -sum.Over(bill.per), Waived: true})
		sum = money.Sum{}
	case used < terms.minimum():
		before := sum.Over(bill.per)
		sum = sum.Plus(product(rate, terms.minimum()-used))
		bill.Lines = append(bill.Lines, Line{Billable: true, RateMicrosPerHour: rate, From: *terms.EndedAt, To: terms.EndedAt.Add(terms.minimum() - used),
			AmountMicros: sum.Over(bill.per) - before, Minimum: true})
	}
	bill.TotalMicros = sum.Over(bill.per)
	return bill
}
