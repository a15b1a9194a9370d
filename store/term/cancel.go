package term

import (
	"cmp"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/money"
)

// FreeBefore is how long before its start a reservation can be cancelled for nothing; of what remains later, half of as
// much is due.
const FreeBefore = 24 * time.Hour

// Cancelled is what is due for a reservation that is given back, in micro-units.
type Cancelled struct {
	UsedMicros  int64 // for the time until then
	FeeMicros   int64 // for cancelling late
	TotalMicros int64 // both, rounded once
}

// Cancel returns what is due for a reservation that is cancelled at a moment: nothing 24 hours before its start or
// earlier; later what has passed of it, and half of what remains, up to 24 hours of it.
func Cancel(parts []Part, now time.Time) Cancelled {
	start, end, ok := bounds(parts)
	if !ok || !now.After(start.Add(-FreeBefore)) {
		return Cancelled{}
	}
	from := latest(now, start)
	used, rest := between(parts, start, now), between(parts, from, earliest(end, from.Add(FreeBefore)))
	c := Cancelled{UsedMicros: used.Over(hour), TotalMicros: used.Plus(used).Plus(rest).Over(2 * hour)}
	c.FeeMicros = c.TotalMicros - c.UsedMicros
	return c
}

// Again is a time [From, To) in which GPUs that were released early are rented by somebody else.
type Again struct {
	From, To time.Time
	GPUs     int
}

// Refund returns what comes back of a reservation of so many GPUs that was released at a moment, in micro-units: its own
// price of the GPU-time that is rented again, and of no GPU twice, so never more than was paid for it.
func Refund(parts []Part, gpus int, released time.Time, again []Again) int64 {
	if gpus <= 0 {
		return 0
	}
	type change struct {
		at   time.Time
		gpus int
	}
	var changes []change
	for _, a := range again {
		if from := latest(a.From, released); from.Before(a.To) && a.GPUs > 0 {
			changes = append(changes, change{from, a.GPUs}, change{a.To, -a.GPUs})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.gpus, b.gpus)) })
	var sum money.Sum
	rented := 0
	for k, c := range changes {
		if rented > 0 {
			sum = sum.Plus(weighted(parts, changes[k-1].at, c.at, int64(min(rented, gpus))))
		}
		rented += c.gpus
	}
	return sum.Over(hour * int64(gpus))
}
