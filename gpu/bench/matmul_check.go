package bench

import (
	"math"
	"slices"
)

// checkRows is how many rows of a product are compared with the reference. Kernels err by their tiles, so the first and the
// last rows count most; the rest lie at odd distances between, so that every place in a tile is met.
const (
	checkRows = 128
	checkEnds = 32
)

// checkedRows are the rows to compare of the first rows ones.
func checkedRows(rows int) []int {
	if rows <= checkRows {
		return span(0, rows)
	}
	picked := span(0, checkEnds)
	middle := rows - 2*checkEnds
	for i := range checkRows - 2*checkEnds {
		picked = append(picked, checkEnds+i*middle/(checkRows-2*checkEnds))
	}
	return append(picked, span(rows-checkEnds, rows)...)
}

func span(from, to int) []int {
	var s []int
	for i := from; i < to; i++ {
		s = append(s, i)
	}
	return s
}

// reference has rows of the product in float64, and the lengths of a's rows and b's columns, which bound the sums of
// magnitudes (Cauchy and Schwarz).
type reference[T float] struct {
	n       int
	rows    map[int][]float64
	rowNorm map[int]float64
	colNorm []float64
}

func newReference[T float](b []T, n int) *reference[T] {
	r := &reference[T]{n: n, rows: map[int][]float64{}, rowNorm: map[int]float64{}, colNorm: make([]float64, n)}
	for k := range n {
		for j, x := range b[k*n : (k+1)*n] {
			r.colNorm[j] += float64(x) * float64(x)
		}
	}
	for j := range r.colNorm {
		r.colNorm[j] = math.Sqrt(r.colNorm[j])
	}
	return r
}

// prepare computes the rows that are still missing, on all workers.
func (r *reference[T]) prepare(team *crew, picked []int, a, b []T) {
	var missing []int
	for _, i := range picked {
		if r.rows[i] == nil {
			r.rows[i] = make([]float64, r.n)
			missing = append(missing, i)
		}
	}
	norms := make([]float64, len(missing))
	team.do(func(worker int) {
		from, to := team.part(worker, len(missing), 1)
		for at := from; at < to; at++ {
			i := missing[at]
			norms[at] = referenceRow(r.rows[i], a[i*r.n:(i+1)*r.n], b)
		}
	})
	for at, i := range missing {
		r.rowNorm[i] = norms[at]
	}
}

// referenceRow is one row of the product, in float64, and the length of a's row. It sums from the end: no kernel does, so
// that their roundings are not the same by construction.
func referenceRow[T float](row []float64, a, b []T) (norm float64) {
	n := len(row)
	for k, x := range slices.Backward(a) {
		norm += float64(x) * float64(x)
		for j, y := range b[k*n : (k+1)*n] {
			row[j] += float64(x) * float64(y)
		}
	}
	return math.Sqrt(norm)
}

// ratio is the largest deviation of the picked rows of c over the bound. The reference itself rounds in float64.
func (r *reference[T]) ratio(c []T, picked []int) float64 {
	worst := 0.0
	unit := growth(r.n) * (roundoff[T]() + roundoff[float64]())
	for _, i := range picked {
		for j, want := range r.rows[i] {
			worst = max(worst, errorRatio(float64(c[i*r.n+j])-want, unit*r.rowNorm[i]*r.colNorm[j]))
		}
	}
	return worst
}
