package bench

// The four kernels of STREAM (McCalpin, "Memory bandwidth and machine balance in current high performance computers", 1995),
// but with sources that are never written, so that values stay as they were seeded however often a kernel runs. The
// destination is always c. A plain loop, not the built-in copy, which is assembly.

func copyKernel(c, a, _ []float64) {
	a = a[:len(c)]
	for i := range c {
		c[i] = a[i]
	}
}

func scaleKernel(c, a, _ []float64) {
	a = a[:len(c)]
	for i := range c {
		c[i] = streamScalar * a[i]
	}
}

func addKernel(c, a, b []float64) {
	a, b = a[:len(c)], b[:len(c)]
	for i := range c {
		c[i] = a[i] + b[i]
	}
}

func triadKernel(c, a, b []float64) {
	a, b = a[:len(c)], b[:len(c)]
	for i := range c {
		c[i] = a[i] + streamScalar*b[i]
	}
}

// streamScalar is STREAM's.
const streamScalar = 3.0

// readKernel sums a in order, with as many running sums as keep the adders busy.
func readKernel(a []float64) float64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for ; len(a) >= lineElements; a = a[lineElements:] {
		s0 += a[0]
		s1 += a[1]
		s2 += a[2]
		s3 += a[3]
		s4 += a[4]
		s5 += a[5]
		s6 += a[6]
		s7 += a[7]
	}
	for _, x := range a {
		s0 += x
	}
	return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
}

// stridedKernel sums the same elements, but one of each cache line in each of eight passes: every line travels eight times
// for what readKernel gets from it at once.
func stridedKernel(a []float64) float64 {
	sum := 0.0
	for first := range lineElements {
		var s0, s1, s2, s3 float64
		i := first
		for ; i+3*lineElements < len(a); i += 4 * lineElements {
			s0 += a[i]
			s1 += a[i+lineElements]
			s2 += a[i+2*lineElements]
			s3 += a[i+3*lineElements]
		}
		for ; i < len(a); i += lineElements {
			s0 += a[i]
		}
		sum += (s0 + s1) + (s2 + s3)
	}
	return sum
}

// lineElements is how many float64 a cache line of 64 bytes holds.
const lineElements = 8
