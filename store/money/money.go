// Package money holds exact arithmetic on micro-units of a currency: products in 128 bits, rounding half away from zero,
// sharing out by largest remainder, and plain decimal text. It imports the standard library alone. The rule it keeps: no
// float, and nothing wraps around unnoticed.
package money

import (
	"math"
	"math/bits"
)

// Unit is how many micro-units one unit of a currency has.
const Unit int64 = 1_000_000

// Sum is an exact signed 128-bit number, such as a running total of rate × time before it is rounded. The zero value is 0.
type Sum struct {
	hi, lo uint64 // two's complement
}

// Plus returns the sum of both.
func (a Sum) Plus(b Sum) Sum {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return Sum{hi, lo}
}

// Negative reports whether the number is below zero.
func (a Sum) Negative() bool { return int64(a.hi) < 0 }

// Minus returns the difference of both.
func (a Sum) Minus(b Sum) Sum {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return Sum{hi, lo}
}

// Product multiplies exactly.
func Product(a, b int64) Sum {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if (a < 0) != (b < 0) {
		return Sum{}.Minus(Sum{hi, lo})
	}
	return Sum{hi, lo}
}

// Over divides by d (> 0), rounding half away from zero. A result that no int64 can hold becomes the largest that one can:
// amounts are bounded long before, a rate by the price list and a time by the calendar.
func (a Sum) Over(d int64) int64 {
	if d <= 0 {
		return 0
	}
	negative := a.Negative()
	if negative {
		a = Sum{}.Minus(a)
	}
	if a.hi >= uint64(d) {
		return signed(math.MaxInt64, negative)
	}
	q, r := bits.Div64(a.hi, a.lo, uint64(d))
	if r >= uint64(d)-r {
		q++
	}
	return signed(min(q, math.MaxInt64), negative)
}

// AtLeast reports whether a × b ≥ c × d, exactly: a threshold of a limit, say.
func AtLeast(a, b, c, d int64) bool { return !Product(a, b).Minus(Product(c, d)).Negative() }

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

func signed(v uint64, negative bool) int64 {
	if negative {
		return -int64(v)
	}
	return int64(v)
}
