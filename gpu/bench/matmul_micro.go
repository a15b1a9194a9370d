package bench

// Tiles of the scalar kernel: 4 × 2 running sums leave registers enough for what is read. Measured against 3 × 3, 4 × 3,
// 4 × 4 and 5 × 2, of which the larger ones spill the sums and take twice the time.
const (
	scalarHeight = 4
	scalarWidth  = 2
	scalarUnroll = 4 // steps of depth a turn: cutting the slices shorter takes time too
)

// scalarKernel keeps 4 × 2 numbers of the product in registers: 16 operations for 6 loads. The lengths that the loop asks for
// are those that it reads, so that the compiler leaves its bounds checks out.
func scalarKernel[T float](tile, a, b []T, depth int) {
	var c00, c01, c10, c11, c20, c21, c30, c31 T
	a, b = a[:depth*scalarHeight], b[:depth*scalarWidth]
	for len(a) >= scalarUnroll*scalarHeight && len(b) >= scalarUnroll*scalarWidth {
		b0, b1 := b[0], b[1]
		c00 += a[0] * b0
		c01 += a[0] * b1
		c10 += a[1] * b0
		c11 += a[1] * b1
		c20 += a[2] * b0
		c21 += a[2] * b1
		c30 += a[3] * b0
		c31 += a[3] * b1
		b0, b1 = b[2], b[3]
		c00 += a[4] * b0
		c01 += a[4] * b1
		c10 += a[5] * b0
		c11 += a[5] * b1
		c20 += a[6] * b0
		c21 += a[6] * b1
		c30 += a[7] * b0
		c31 += a[7] * b1
		b0, b1 = b[4], b[5]
		c00 += a[8] * b0
		c01 += a[8] * b1
		c10 += a[9] * b0
		c11 += a[9] * b1
		c20 += a[10] * b0
		c21 += a[10] * b1
		c30 += a[11] * b0
		c31 += a[11] * b1
		b0, b1 = b[6], b[7]
		c00 += a[12] * b0
		c01 += a[12] * b1
		c10 += a[13] * b0
		c11 += a[13] * b1
		c20 += a[14] * b0
		c21 += a[14] * b1
		c30 += a[15] * b0
		c31 += a[15] * b1
		a, b = a[scalarUnroll*scalarHeight:], b[scalarUnroll*scalarWidth:]
	}
	for len(a) >= scalarHeight && len(b) >= scalarWidth {
		c00 += a[0] * b[0]
		c01 += a[0] * b[1]
		c10 += a[1] * b[0]
		c11 += a[1] * b[1]
		c20 += a[2] * b[0]
		c21 += a[2] * b[1]
		c30 += a[3] * b[0]
		c31 += a[3] * b[1]
		a, b = a[scalarHeight:], b[scalarWidth:]
	}
	tile = tile[:scalarHeight*scalarWidth]
	tile[0], tile[1] = c00, c01
	tile[2], tile[3] = c10, c11
	tile[4], tile[5] = c20, c21
	tile[6], tile[7] = c30, c31
}
