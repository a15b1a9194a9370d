package bench

import "math"

// growth is by how many roundoffs a sum of n products may be off, relative to the sum of the magnitudes: n at worst, but
// errors of either sign cancel, and λ√n holds for random data with a probability that is one for all practical purposes
// (Higham and Mary, "A new approach to probabilistic rounding error analysis", SIAM J. Sci. Comput. 41, 2019).
func growth(n int) float64 { return min(float64(n)+1, lambda*math.Sqrt(float64(n)+1)) }

// lambda: the failure probability of one result is at most 2·exp(-λ²/2), 4·10⁻²² here.
const lambda = 10

// errorRatio is how much of the bound an error takes: NaN where the error is, 0 where there is none.
func errorRatio(err, bound float64) float64 {
	if err == 0 {
		return 0
	}
	return math.Abs(err) / bound
}

// maxOf returns the largest; one NaN makes all NaN, so that it can not hide behind a number.
func maxOf(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, v)
	}
	return most
}

// exactSum is the sum of x with Neumaier's compensation ("Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
// Summen", ZAMM 54, 1974), and the sum of the magnitudes.
func exactSum(x []float64) (sum, magnitude float64) {
	lost := 0.0
	for _, v := range x {
		next := sum + v
		if math.Abs(sum) >= math.Abs(v) {
			lost += (sum - next) + v
		} else {
			lost += (v - next) + sum
		}
		sum = next
		magnitude += math.Abs(v)
	}
	return sum + lost, magnitude
}
