package bench

// The first rungs of the ladder. Each computes the first rows rows of c = a·b, all matrices n wide and row after row.

// naive is the textbook's: each number of c is a row of a times a column of b.
func naive[T float](c, a, b []T, rows, n int) {
	for i := range rows {
		for j := range n {
			sum := T(0)
			for k := range n {
				sum += a[i*n+k] * b[k*n+j]
			}
			c[i*n+j] = sum
		}
	}
}

// reordered has the two inner loops swapped: b and c are read along their rows.
func reordered[T float](c, a, b []T, rows, n int) {
	clear(c[:rows*n])
	for i := range rows {
		for k := range n {
			addScaled(c[i*n:(i+1)*n], b[k*n:(k+1)*n], a[i*n+k])
		}
	}
}

// Blocks of b for blocked: 64 × 256 numbers, 64 or 128 KiB, stay in the second-level cache of any server core.
const (
	blockDepth = 64
	blockWidth = 256
)

// blocked goes through b in blocks that stay in the cache while all rows of a pass over them, four rows of the block at once,
// so that a number of c is loaded and stored once for four products.
func blocked[T float](c, a, b []T, rows, n int) {
	clear(c[:rows*n])
	for j := 0; j < n; j += blockWidth {
		right := min(j+blockWidth, n)
		for k := 0; k < n; k += blockDepth {
			for i := range rows {
				row := c[i*n+j : i*n+right]
				kk, end := k, min(k+blockDepth, n)
				for ; kk+4 <= end; kk += 4 {
					addFour(row, b[kk*n+j:], b[(kk+1)*n+j:], b[(kk+2)*n+j:], b[(kk+3)*n+j:], a[i*n+kk:i*n+kk+4])
				}
				for ; kk < end; kk++ {
					addScaled(row, b[kk*n+j:kk*n+right], a[i*n+kk])
				}
			}
		}
	}
}

// addScaled adds x·from to to.
func addScaled[T float](to, from []T, x T) {
	from = from[:len(to)]
	for len(to) >= 4 && len(from) >= 4 {
		to[0] += x * from[0]
		to[1] += x * from[1]
		to[2] += x * from[2]
		to[3] += x * from[3]
		to, from = to[4:], from[4:]
	}
	for i := range to {
		to[i] += x * from[i]
	}
}

// addFour adds four scaled rows to to.
func addFour[T float](to, b0, b1, b2, b3, x []T) {
	b0, b1, b2, b3 = b0[:len(to)], b1[:len(to)], b2[:len(to)], b3[:len(to)]
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	for i := range to {
		to[i] += (x0*b0[i] + x1*b1[i]) + (x2*b2[i] + x3*b3[i])
	}
}
