//go:build goexperiment.simd && amd64 && go1.26 && !go1.27

package bench

import "simd/archsimd"

// Four rows of two AVX2 registers each: the running sums stay in 8 of the 16 registers, and eight chains keep both units busy.
const avx2Height = 4

// avx2Single keeps 4 × 16 numbers of the product in registers.
func avx2Single(tile, a, b []float32, depth int) {
	var c00, c01, c10, c11, c20, c21, c30, c31 archsimd.Float32x8
	a, b = a[:depth*avx2Height], b[:depth*16]
	for len(a) >= avx2Height && len(b) >= 16 {
		b0, b1 := archsimd.LoadFloat32x8Slice(b[:8]), archsimd.LoadFloat32x8Slice(b[8:16])
		x := archsimd.BroadcastFloat32x8(a[0])
		c00, c01 = x.MulAdd(b0, c00), x.MulAdd(b1, c01)
		x = archsimd.BroadcastFloat32x8(a[1])
		c10, c11 = x.MulAdd(b0, c10), x.MulAdd(b1, c11)
		x = archsimd.BroadcastFloat32x8(a[2])
		c20, c21 = x.MulAdd(b0, c20), x.MulAdd(b1, c21)
		x = archsimd.BroadcastFloat32x8(a[3])
		c30, c31 = x.MulAdd(b0, c30), x.MulAdd(b1, c31)
		a, b = a[avx2Height:], b[16:]
	}
	c00.StoreSlice(tile[0:])
	c01.StoreSlice(tile[8:])
	c10.StoreSlice(tile[16:])
	c11.StoreSlice(tile[24:])
	c20.StoreSlice(tile[32:])
	c21.StoreSlice(tile[40:])
	c30.StoreSlice(tile[48:])
	c31.StoreSlice(tile[56:])
	archsimd.ClearAVXUpperBits()
}

// avx2Double keeps 4 × 8 numbers of the product in registers.
func avx2Double(tile, a, b []float64, depth int) {
	var c00, c01, c10, c11, c20, c21, c30, c31 archsimd.Float64x4
	a, b = a[:depth*avx2Height], b[:depth*8]
	for len(a) >= avx2Height && len(b) >= 8 {
		b0, b1 := archsimd.LoadFloat64x4Slice(b[:4]), archsimd.LoadFloat64x4Slice(b[4:8])
		x := archsimd.BroadcastFloat64x4(a[0])
		c00, c01 = x.MulAdd(b0, c00), x.MulAdd(b1, c01)
		x = archsimd.BroadcastFloat64x4(a[1])
		c10, c11 = x.MulAdd(b0, c10), x.MulAdd(b1, c11)
		x = archsimd.BroadcastFloat64x4(a[2])
		c20, c21 = x.MulAdd(b0, c20), x.MulAdd(b1, c21)
		x = archsimd.BroadcastFloat64x4(a[3])
		c30, c31 = x.MulAdd(b0, c30), x.MulAdd(b1, c31)
		a, b = a[avx2Height:], b[8:]
	}
	c00.StoreSlice(tile[0:])
	c01.StoreSlice(tile[4:])
	c10.StoreSlice(tile[8:])
	c11.StoreSlice(tile[12:])
	c20.StoreSlice(tile[16:])
	c21.StoreSlice(tile[20:])
	c30.StoreSlice(tile[24:])
	c31.StoreSlice(tile[28:])
	archsimd.ClearAVXUpperBits()
}
