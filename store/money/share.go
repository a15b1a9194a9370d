package money

import (
	"math/bits"
	"sort"
)

// Share splits an amount by weights so that the parts add up to it exactly: each gets its share rounded towards zero, and
// what is left goes, a micro-unit each, to those that were cut most (the first of equals). Weights below zero count as
// zero. It returns nil if the weights add up to nothing, or to more than an int64: then nothing says whose the amount is,
// and the caller keeps it in a row of its own.
func Share(amount int64, weights []int64) []int64 {
	var whole int64
	for _, w := range weights {
		if whole += max(w, 0); whole < 0 {
			return nil
		}
	}
	if whole == 0 {
		return nil
	}
	parts := make([]int64, len(weights))
	rests := make([]uint64, len(weights))
	order := make([]int, len(weights))
	left := magnitude(amount)
	for i, w := range weights {
		hi, lo := bits.Mul64(magnitude(amount), uint64(max(w, 0)))
		q, r := bits.Div64(hi, lo, uint64(whole)) // fits: the weight is a part of the whole
		parts[i], rests[i], order[i] = signed(q, amount < 0), r, i
		left -= q
	}
	sort.SliceStable(order, func(a, b int) bool { return rests[order[a]] > rests[order[b]] })
	for _, i := range order[:left] {
		parts[i] += signed(1, amount < 0)
	}
	return parts
}
