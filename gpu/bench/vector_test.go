//go:build goexperiment.simd && amd64 && go1.26 && !go1.27

package bench

import (
	"fmt"
	"simd/archsimd"
	"testing"
)

// A machine only runs its widest kernel; the others that it could run are held to the same bound here.
func TestEveryVectorKernelComputesTheProduct(t *testing.T) {
	for _, n := range []int{16, 33, 70, 257} {
		if archsimd.X86.AVX2() && archsimd.X86.FMA() {
			vectorProduct(t, "avx2", n, avx2Height, 16, avx2Single)
			vectorProduct(t, "avx2", n, avx2Height, 8, avx2Double)
		}
		if archsimd.X86.AVX512() {
			vectorProduct(t, "avx512", n, avx512Height, 32, avx512Single)
			vectorProduct(t, "avx512", n, avx512Height, 16, avx512Double)
		}
	}
}

func vectorProduct[T float](t *testing.T, name string, n, height, width int, kernel func(tile, a, b []T, depth int)) {
	t.Run(fmt.Sprintf("%s %T %d", name, T(0), n), func(t *testing.T) {
		team := newCrew(1)
		defer team.close()
		m := newProduct[T]("x", plan{size: n, seed: 7}, team)
		m.fill()
		m.tiled(newTiling(n, 1, height, width, kernel), n)
		all := span(0, n)
		m.want.prepare(team, all, m.a, m.b)
		if ratio := m.want.ratio(m.c, all); !(ratio <= 1) {
			t.Errorf("error ratio %v", ratio)
		}
	})
}
