package bench

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The expected values were worked out by hand or with R 4 (quantile type 7, sd, mean).
func TestSummaryOfKnownSamples(t *testing.T) {
	cases := []struct {
		name                string
		samples             []float64
		median, p5, p95, cv float64
		low, high           float64
	}{
		{"one", []float64{7}, 7, 7, 7, 0, 7, 7},
		{"two", []float64{3, 1}, 2, 1.1, 2.9, math.Sqrt2 / 2, 1, 3},
		{"one to ten", []float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 5.5, 1.45, 9.55, 3.0276503540974917 / 5.5, 2, 9},
		{"all alike", []float64{4, 4, 4, 4, 4, 4}, 4, 4, 4, 0, 4, 4},
		{"five have no interval", []float64{1, 2, 3, 4, 5}, 3, 1.2, 4.8, math.Sqrt(2.5) / 3, 1, 5},
		{"zeros", []float64{0, 0, 0}, 0, 0, 0, 0, 0, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := Summarise(c.samples)
			for _, x := range []struct {
				what      string
				got, want float64
			}{{"median", s.Median, c.median}, {"p5", s.P5, c.p5}, {"p95", s.P95, c.p95}, {"cv", s.CV, c.cv}, {"low", s.Low, c.low}, {"high", s.High, c.high}} {
				if math.Abs(x.got-x.want) > 1e-12 {
					t.Errorf("%s is %v, want %v", x.what, x.got, x.want)
				}
			}
			if s.N != len(c.samples) {
				t.Errorf("n is %d", s.N)
			}
		})
	}
	if Summarise(nil) != nil {
		t.Error("no samples have figures")
	}
}

// Ranks from the table of the sign test: the largest r with P(Bin(n, ½) < r) ≤ 0.025.
func TestMedianRankIsTheSignTests(t *testing.T) {
	known := map[int]int{1: 0, 5: 0, 6: 1, 8: 1, 9: 2, 10: 2, 12: 3, 15: 4, 17: 5, 20: 6, 25: 8, 30: 10, 40: 14, 50: 18, 100: 40}
	for n, want := range known {
		if got := medianRank(n); got != want {
			t.Errorf("rank of %d samples is %d, want %d", n, got, want)
		}
	}
	if exact, approximate := medianRank(exactMedianRank), medianRank(exactMedianRank+1); approximate-exact > 1 || approximate < exact {
		t.Errorf("rank jumps from %d to %d where the approximation begins", exact, approximate)
	}
}

func TestIntervalHoldsTheMedianInNineteenOfTwenty(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const runs = 1500
	for _, n := range []int{6, 10, 31, 600} {
		held := 0
		for range runs {
			samples := make([]float64, n)
			for i := range samples {
				samples[i] = random.ExpFloat64() // skewed; its median is ln 2
			}
			if s := Summarise(samples); s.Low <= math.Ln2 && math.Ln2 <= s.High {
				held++
			}
		}
		if part := float64(held) / runs; part < 0.94 {
			t.Errorf("with %d samples it holds the median in %.1f %%", n, part*100)
		}
	}
}
