package money

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// M6: nothing vanishes, whatever the parts are.
func TestLinesOfAnInvoiceAddUpToItsTotal(t *testing.T) {
	for _, c := range []struct {
		amounts, want []int64
		total         int64
	}{
		{nil, []int64{}, 0},
		{[]int64{1_857_500_000}, []int64{185_750}, 185_750},
		{[]int64{3_333, 3_333, 3_334}, []int64{0, 0, 1}, 1}, // a cent in three
		{[]int64{4_999}, []int64{0}, 0},
		{[]int64{5_000}, []int64{1}, 1},
		{[]int64{-5_000}, []int64{-1}, -1},
		{[]int64{10_000, -3_000, -3_000}, []int64{1, 0, -1}, 0},
		{[]int64{6_000, 6_000, 6_000}, []int64{1, 1, 0}, 2},
	} {
		parts, total := Minor(c.amounts, 10_000)
		if !slices.Equal(parts, c.want) || total != c.total {
			t.Errorf("%v: %v = %d, want %v = %d", c.amounts, parts, total, c.want, c.total)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		amounts := rapid.SliceOfN(rapid.Int64Range(-1e12, 1e12), 0, 50).Draw(t, "amounts")
		unit := rapid.SampledFrom([]int64{1, 1_000, 10_000, 1_000_000}).Draw(t, "unit")
		parts, total := Minor(amounts, unit)
		var sum, exact int64
		for i, p := range parts {
			sum, exact = sum+p, exact+amounts[i]
			if d := p*unit - amounts[i]; d <= -unit || d > unit {
				t.Fatalf("%d became %d units of %d", amounts[i], p, unit)
			}
		}
		if sum != total || total != Product(exact, 1).Over(unit) {
			t.Fatalf("parts add up to %d, total %d of %d", sum, total, exact)
		}
	})
}
