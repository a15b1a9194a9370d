package money

import "sort"

// Minor rounds amounts to whole multiples of unit (10,000 micro-units for a cent) so that they still add up to their
// rounded sum: each is rounded down, and what is left goes, a unit each, to those that were cut most (the first of equals).
// total is that sum, rounded half away from zero; both are counted in units.
func Minor(amounts []int64, unit int64) (parts []int64, total int64) {
	var sum Sum
	parts = make([]int64, len(amounts))
	rests := make([]int64, len(amounts))
	order := make([]int, len(amounts))
	var given int64
	for i, a := range amounts {
		sum = sum.Plus(Product(a, 1))
		q, r := a/unit, a%unit
		if r < 0 {
			q, r = q-1, r+unit
		}
		parts[i], rests[i], order[i] = q, r, i
		given += q
	}
	total = sum.Over(unit)
	sort.SliceStable(order, func(a, b int) bool { return rests[order[a]] > rests[order[b]] })
	for k := range total - given {
		parts[order[k]]++
	}
	return parts, total
}
