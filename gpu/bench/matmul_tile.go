package bench

// tiling computes a product by tiles of c that stay in registers. Both inputs are packed in the order in which the tile's
// kernel reads them, so that it reads memory straight on (the scheme of Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication", ACM TOMS 34, 2008).
type tiling[T float] struct {
	n      int
	height int // of a tile, rows of a
	width  int // of a tile, columns of b
	// kernel multiplies depth columns of a packed strip of a with depth rows of a packed strip of b into tile, row by row.
	kernel func(tile, a, b []T, depth int)

	packedB []T
	packedA [][]T // a worker each
	tile    [][]T // a worker each
}

const (
	tileDepth = 256 // a strip of b, 256 deep, stays in the first-level cache …
	tileRows  = 64  // … and this many rows of a, 256 deep, in the second
)

func newTiling[T float](n, workers, height, width int, kernel func(tile, a, b []T, depth int)) *tiling[T] {
	t := &tiling[T]{n: n, height: height, width: width, kernel: kernel}
	t.packedB = make([]T, n*roundUp(n, width))
	for range workers {
		t.packedA = append(t.packedA, make([]T, roundUp(tileRows, height)*tileDepth))
		t.tile = append(t.tile, make([]T, height*width))
	}
	return t
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// packB copies the strips [from, to) of b: for each block of depth the strips one after the other, the last filled up with 0.
func (t *tiling[T]) packB(b []T, from, to int) {
	wide := roundUp(t.n, t.width)
	for k := 0; k < t.n; k += tileDepth {
		depth := min(tileDepth, t.n-k)
		for strip := from; strip < to; strip++ {
			j := strip * t.width
			cols := min(t.width, t.n-j)
			out := t.packedB[k*wide+j*depth:]
			for kk := range depth {
				row, from := out[kk*t.width:(kk+1)*t.width], b[(k+kk)*t.n+j:][:cols]
				for x, value := range from { //nolint:staticcheck // too short for the built-in copy to pay
					row[x] = value
				}
				clear(row[cols:])
			}
		}
	}
}

func (t *tiling[T]) strips() int { return (t.n + t.width - 1) / t.width }

// packRows copies rows [i, i+rows) of a, columns [k, k+depth), as strips of the tile's height, column by column.
func (t *tiling[T]) packRows(out, a []T, i, rows, k, depth int) {
	for ir := 0; ir < rows; ir += t.height {
		strip := out[ir*depth : (ir+t.height)*depth]
		for r := range t.height {
			if ir+r >= rows {
				for kk := range depth {
					strip[kk*t.height+r] = 0
				}
				continue
			}
			row := a[(i+ir+r)*t.n+k:][:depth]
			for kk, x := range row {
				strip[kk*t.height+r] = x
			}
		}
	}
}

// multiply computes rows [from, to) of c from a and the packed b.
func (t *tiling[T]) multiply(c, a []T, from, to, worker int) {
	packed, tile := t.packedA[worker], t.tile[worker]
	wide := roundUp(t.n, t.width)
	for i := from; i < to; i += tileRows {
		rows := min(tileRows, to-i)
		for k := 0; k < t.n; k += tileDepth {
			depth := min(tileDepth, t.n-k)
			t.packRows(packed, a, i, rows, k, depth)
			for j := 0; j < t.n; j += t.width {
				strip := t.packedB[k*wide+j*depth:][:depth*t.width]
				for ir := 0; ir < rows; ir += t.height {
					t.kernel(tile, packed[ir*depth:(ir+t.height)*depth], strip, depth)
					t.store(c, tile, i+ir, min(t.height, rows-ir), j, k > 0)
				}
			}
		}
	}
}

// store writes a tile's first rows to c at (i, j), as far as c is wide; add is true from the second block of depth on.
func (t *tiling[T]) store(c, tile []T, i, rows, j int, add bool) {
	cols := min(t.width, t.n-j)
	for r := range rows {
		to, from := c[(i+r)*t.n+j:][:cols], tile[r*t.width:][:cols]
		if add {
			for x := range to {
				to[x] += from[x]
			}
			continue
		}
		for x := range to {
			to[x] = from[x]
		}
	}
}
