package idle

import (
	"cmp"
	"math/bits"
	"slices"
	"time"
)

// Parts are what a cost was for, in micro-units: they add up to it.
type Parts struct{ Used, Idle, Unknown int64 }

// Split shares out a cost by the billed time: the part of it in which GPUs were used, the rest of what is known, and what is
// not. Each is rounded down and what is left goes where most was cut, so that nothing vanishes. With no billed time, and of
// what was given back, all of it is unknown.
func Split(cost int64, billed, knownTime, used time.Duration) Parts {
	if billed <= 0 || cost <= 0 {
		return Parts{Unknown: cost}
	}
	knownTime = min(max(knownTime, 0), billed)
	used = min(max(used, 0), knownTime)
	weights := [3]time.Duration{used, knownTime - used, billed - knownTime}
	var parts [3]int64
	var rests [3]uint64
	left := cost
	for k, w := range weights {
		hi, lo := bits.Mul64(uint64(cost), uint64(w))
		q, r := bits.Div64(hi, lo, uint64(billed)) // w is at most billed, so that it fits
		parts[k], rests[k] = int64(q), r
		left -= parts[k]
	}
	order := []int{0, 1, 2}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rests[b], rests[a]) })
	for k := range left {
		parts[order[k]]++
	}
	return Parts{parts[0], parts[1], parts[2]}
}

// Plus adds parts.
func (p Parts) Plus(o Parts) Parts {
	return Parts{p.Used + o.Used, p.Idle + o.Idle, p.Unknown + o.Unknown}
}

// Cost is the whole.
func (p Parts) Cost() int64 { return p.Used + p.Idle + p.Unknown }

// Band is how active a workload's GPUs are expected to be, per mille: from the article's matrix of workloads.
type Band struct {
	Workload  string
	Low, High int64 // 0, 0: the matrix states none
}

// Bands are the workloads of the matrix. An instance says by its label "workload" which it is.
var Bands = []Band{{"training", 900, 1000}, {"scientific", 700, 850}, {"video", 600, 750}, {"rendering", 950, 1000}, {"inference", 0, 0}}
