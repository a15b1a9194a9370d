package bench

// Tiles of the scalar kernel: 4 × 3 running sums, three of b and one of a fill the sixteen registers of amd64.
const (
	scalarHeight = 4
	scalarWidth  = 3
)

// scalarKernel keeps 4 × 3 numbers of the product in registers: 24 operations for 7 loads.
func scalarKernel[T float](tile, a, b []T, depth int) {
	var c00, c01, c02, c10, c11, c12, c20, c21, c22, c30, c31, c32 T
	for len(a) >= 4 && len(b) >= 3 {
		b0, b1, b2 := b[0], b[1], b[2]
		x := a[0]
		c00 += x * b0
		c01 += x * b1
		c02 += x * b2
		x = a[1]
		c10 += x * b0
		c11 += x * b1
		c12 += x * b2
		x = a[2]
		c20 += x * b0
		c21 += x * b1
		c22 += x * b2
		x = a[3]
		c30 += x * b0
		c31 += x * b1
		c32 += x * b2
		a, b = a[4:], b[3:]
	}
	_ = tile[11]
	tile[0], tile[1], tile[2] = c00, c01, c02
	tile[3], tile[4], tile[5] = c10, c11, c12
	tile[6], tile[7], tile[8] = c20, c21, c22
	tile[9], tile[10], tile[11] = c30, c31, c32
}
