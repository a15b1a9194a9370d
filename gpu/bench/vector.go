//go:build goexperiment.simd && amd64 && go1.26 && !go1.27

package bench

import "simd/archsimd"

// This build has vector kernels: it was made with GOEXPERIMENT=simd. They are written in Go; the compiler turns each operation
// into one instruction. The package they use is experimental, so the file only builds with the release it was written for,
// and every other build does without (vector_none.go).

// vectorName is the widest instruction set that this machine has a kernel for.
func vectorName() string {
	switch {
	case archsimd.X86.AVX512():
		return "avx512"
	case archsimd.X86.AVX2() && archsimd.X86.FMA():
		return "avx2"
	}
	return ""
}

// newVectorTiling is a tiling with the widest kernel of this machine; nil if there is none.
func newVectorTiling[T float](n, workers int) *tiling[T] {
	height, registerBytes := 0, int64(0)
	var single, double any
	switch vectorName() {
	case "avx512":
		height, registerBytes, single, double = avx512Height, 64, avx512Single, avx512Double
	case "avx2":
		height, registerBytes, single, double = avx2Height, 32, avx2Single, avx2Double
	default:
		return nil
	}
	for _, kernel := range []any{single, double} {
		if kernel, ok := kernel.(func(tile, a, b []T, depth int)); ok {
			return newTiling(n, workers, height, int(2*registerBytes/width[T]()), kernel)
		}
	}
	return nil
}
