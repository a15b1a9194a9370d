//go:build !(goexperiment.simd && amd64 && go1.26 && !go1.27)

package bench

// vectorName: this build has no vector kernels.
func vectorName() string { return "" }

func newVectorTiling[T float](_, _ int) *tiling[T] { return nil }
