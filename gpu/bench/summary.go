package bench

import (
	"math"
	"slices"
)

// Summary describes samples of one test, all in the test's unit but CV and N.
type Summary struct {
	Median float64 `json:"median"`
	P5     float64 `json:"p5"`
	P95    float64 `json:"p95"`
	CV     float64 `json:"cv"` // standard deviation ÷ mean
	N      int     `json:"n"`
	Low    float64 `json:"low"` // 95 % confidence interval of the median; with fewer than 6 samples there is none
	High   float64 `json:"high"`
}

// Summarise needs at least one sample and returns nil for none.
func Summarise(samples []float64) *Summary {
	if len(samples) == 0 {
		return nil
	}
	sorted := slices.Clone(samples)
	slices.Sort(sorted)
	s := Summary{
		Median: quantile(sorted, 0.5),
		P5:     quantile(sorted, 0.05),
		P95:    quantile(sorted, 0.95),
		CV:     variation(sorted),
		N:      len(sorted),
		Low:    sorted[0],
		High:   sorted[len(sorted)-1],
	}
	if rank := medianRank(len(sorted)); rank > 0 {
		s.Low, s.High = sorted[rank-1], sorted[len(sorted)-rank]
	}
	return &s
}

// quantile interpolates linearly between the neighbours (type 7 of Hyndman and Fan, The American Statistician 50, 1996:
// what R, NumPy and spreadsheets do by default).
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	below := int(math.Floor(at))
	if below+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[below] + (at-float64(below))*(sorted[below+1]-sorted[below])
}

// variation is the sample standard deviation (n-1) divided by the mean; 0 for a single sample.
func variation(samples []float64) float64 {
	n := float64(len(samples))
	if n < 2 {
		return 0
	}
	sum := 0.0
	for _, x := range samples {
		sum += x
	}
	mean := sum / n
	squares := 0.0
	for _, x := range samples {
		squares += (x - mean) * (x - mean)
	}
	if mean == 0 {
		return 0
	}
	return math.Sqrt(squares/(n-1)) / mean
}

// medianRank returns the r for which the r-th smallest and r-th largest of n samples enclose the median of what they come
// from with at least 95 % probability, whatever its distribution: each sample falls below the median with probability ½, so
// the ends come from the binomial distribution (Conover, Practical Nonparametric Statistics, "confidence interval for a
// quantile"). 0: with so few samples no interval reaches 95 %.
func medianRank(n int) int {
	if n > exactMedianRank { // the normal approximation of the binomial is within one rank from here on
		return int(math.Floor((float64(n) - normal95*math.Sqrt(float64(n))) / 2))
	}
	rank, below := 0, 0.0
	term := math.Pow(0.5, float64(n)) // P(exactly 0 below)
	for {
		below += term
		if below > 0.025 {
			return rank
		}
		rank++
		term *= float64(n-rank+1) / float64(rank)
	}
}

const (
	normal95        = 1.959964 // 97.5 % quantile of the standard normal distribution
	exactMedianRank = 500
)
