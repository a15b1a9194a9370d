package term

import (
	"time"

	"github.com/meterhouse/meterhouse/store/money"
)

// hour is the time a rate is for, in the microseconds in which time is counted.
const hour = int64(time.Hour / time.Microsecond)

// Part is a time [From, To) of a reservation at one rate, for all of its GPUs together. An extension is a part of its own.
type Part struct {
	From, To          time.Time
	RateMicrosPerHour int64
}

// between returns what the parts cost in [from, to), in micro-units × microseconds: exact.
func between(parts []Part, from, to time.Time) money.Sum { return weighted(parts, from, to, 1) }

// weighted returns the same, times a number of GPUs.
func weighted(parts []Part, from, to time.Time, gpus int64) money.Sum {
	var sum money.Sum
	for _, p := range parts {
		begin, end := latest(p.From, from), earliest(p.To, to)
		if begin.Before(end) {
			sum = sum.Plus(money.Product(p.RateMicrosPerHour, end.Sub(begin).Microseconds()*gpus))
		}
	}
	return sum
}

// bounds returns where a reservation starts and ends; ok is false if it has no part.
func bounds(parts []Part) (start, end time.Time, ok bool) {
	for k, p := range parts {
		if k == 0 || p.From.Before(start) {
			start = p.From
		}
		if k == 0 || p.To.After(end) {
			end = p.To
		}
	}
	return start, end, len(parts) > 0
}

// Total returns what a whole reservation costs in micro-units, whether it is used or not.
func Total(parts []Part) int64 {
	start, end, _ := bounds(parts)
	return between(parts, start, end).Over(hour)
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
