package money

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestProductsAndQuotientsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		c, d := rapid.Int64().Draw(t, "c"), rapid.Int64().Draw(t, "d")
		by := rapid.Int64Range(1, math.MaxInt64).Draw(t, "by")
		got := Product(a, b).Over(by)
		if want := exact(new(big.Int).Mul(big.NewInt(a), big.NewInt(b)), by); got != want {
			t.Fatalf("%d × %d ÷ %d = %d, want %d", a, b, by, got, want)
		}
		want := new(big.Int).Mul(big.NewInt(a), big.NewInt(b)).Cmp(new(big.Int).Mul(big.NewInt(c), big.NewInt(d))) >= 0
		if fits := new(big.Int).Sub(new(big.Int).Mul(big.NewInt(a), big.NewInt(b)), new(big.Int).Mul(big.NewInt(c), big.NewInt(d))); fits.BitLen() < 127 && AtLeast(a, b, c, d) != want {
			t.Fatalf("%d × %d ≥ %d × %d is not %v", a, b, c, d, want)
		}
	})
}

// exact rounds half away from zero and clips, with big integers.
func exact(n *big.Int, by int64) int64 {
	twice := new(big.Int).Mul(new(big.Int).Abs(n), big.NewInt(2))
	q := new(big.Int).Div(twice.Add(twice, big.NewInt(by)), new(big.Int).Mul(big.NewInt(2), big.NewInt(by)))
	if !q.IsInt64() {
		q.SetInt64(math.MaxInt64)
	}
	return q.Int64() * int64(n.Sign())
}

func TestHalfRoundsAwayFromZero(t *testing.T) {
	for _, c := range []struct{ a, b, by, want int64 }{
		{1, 1, 2, 1}, {-1, 1, 2, -1}, {3, 1, 2, 2}, {-3, 1, 2, -2}, {1, 1, 3, 0}, {2, 1, 3, 1}, {0, 5, 3, 0},
		{math.MaxInt64, math.MaxInt64, 1, math.MaxInt64}, {math.MinInt64, math.MaxInt64, 1, -math.MaxInt64},
	} {
		if got := Product(c.a, c.b).Over(c.by); got != c.want {
			t.Errorf("%d × %d ÷ %d = %d, want %d", c.a, c.b, c.by, got, c.want)
		}
	}
}

func TestDecimalsGoThereAndBack(t *testing.T) {
	for text, micros := range map[string]int64{"0.00": 0, "1857.50": 1_857_500_000, "-0.000001": -1, "0.041667": 41_667, "12.30": 12_300_000} {
		if got := Format(micros); got != text {
			t.Errorf("Format(%d) = %q, want %q", micros, got, text)
		}
		if got, err := Parse(text); err != nil || got != micros {
			t.Errorf("Parse(%q) = %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-", ".", "1.", ".5", "1.0000000", "1e3", "+1", " 1", "1,5", "--1", "99999999999999", "9223372036854.775808", "١"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %d, want an error", text, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("12.5")
	f.Add("-0.000001")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(Format(v)); err != nil || again != v {
			t.Fatalf("%q is %d, which is %q, which is %d (%v)", text, v, Format(v), again, err)
		}
	})
}
