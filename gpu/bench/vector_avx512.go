//go:build goexperiment.simd && amd64 && go1.26 && !go1.27

package bench

import "simd/archsimd"

// Four rows of two AVX-512 registers each: eight running sums keep both units busy (latency 4). The compiler uses 16 of the 32
// registers, and one for each multiplication that it overwrites: with five or more rows it spills sums and loses two fifths.
const avx512Height = 4

// avx512Single keeps 4 × 32 numbers of the product in registers.
func avx512Single(tile, a, b []float32, depth int) {
	var c00, c01, c10, c11, c20, c21, c30, c31 archsimd.Float32x16
	a, b = a[:depth*avx512Height], b[:depth*32]
	for len(a) >= avx512Height && len(b) >= 32 {
		b0, b1 := archsimd.LoadFloat32x16Slice(b[:16]), archsimd.LoadFloat32x16Slice(b[16:32])
		x := archsimd.BroadcastFloat32x16(a[0])
		c00, c01 = x.MulAdd(b0, c00), x.MulAdd(b1, c01)
		x = archsimd.BroadcastFloat32x16(a[1])
		c10, c11 = x.MulAdd(b0, c10), x.MulAdd(b1, c11)
		x = archsimd.BroadcastFloat32x16(a[2])
		c20, c21 = x.MulAdd(b0, c20), x.MulAdd(b1, c21)
		x = archsimd.BroadcastFloat32x16(a[3])
		c30, c31 = x.MulAdd(b0, c30), x.MulAdd(b1, c31)
		a, b = a[avx512Height:], b[32:]
	}
	c00.StoreSlice(tile[0:])
	c01.StoreSlice(tile[16:])
	c10.StoreSlice(tile[32:])
	c11.StoreSlice(tile[48:])
	c20.StoreSlice(tile[64:])
	c21.StoreSlice(tile[80:])
	c30.StoreSlice(tile[96:])
	c31.StoreSlice(tile[112:])
	archsimd.ClearAVXUpperBits()
}

// avx512Double keeps 4 × 16 numbers of the product in registers.
func avx512Double(tile, a, b []float64, depth int) {
	var c00, c01, c10, c11, c20, c21, c30, c31 archsimd.Float64x8
	a, b = a[:depth*avx512Height], b[:depth*16]
	for len(a) >= avx512Height && len(b) >= 16 {
		b0, b1 := archsimd.LoadFloat64x8Slice(b[:8]), archsimd.LoadFloat64x8Slice(b[8:16])
		x := archsimd.BroadcastFloat64x8(a[0])
		c00, c01 = x.MulAdd(b0, c00), x.MulAdd(b1, c01)
		x = archsimd.BroadcastFloat64x8(a[1])
		c10, c11 = x.MulAdd(b0, c10), x.MulAdd(b1, c11)
		x = archsimd.BroadcastFloat64x8(a[2])
		c20, c21 = x.MulAdd(b0, c20), x.MulAdd(b1, c21)
		x = archsimd.BroadcastFloat64x8(a[3])
		c30, c31 = x.MulAdd(b0, c30), x.MulAdd(b1, c31)
		a, b = a[avx512Height:], b[16:]
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
