package bench

import "unsafe"

// float is an element type that kernels exist for.
type float interface{ float32 | float64 }

// precision is how many bits a number has: IEEE 754 binary32 and binary64.
func precision[T float]() int {
	if width[T]() == 4 {
		return 24
	}
	return 53
}

// roundoff is half the distance from 1 to the next number.
func roundoff[T float]() float64 { return 1 / float64(int64(1)<<precision[T]()) }

// width is the size of an element in bytes.
func width[T float]() int64 {
	var x T
	return int64(unsafe.Sizeof(x))
}

// fillRandom fills x with numbers in [-1, 1): zeros would draw less power and hide errors. Equal seed and place give equal
// numbers, so that parts can be filled by different workers: part is the index of x[0] in the whole.
func fillRandom[T float](x []T, seed int64, part int) {
	bits := precision[T]()
	scale := 2 / T(int64(1)<<bits)
	state := uint64(seed)*0x9e3779b97f4a7c15 + uint64(part)*splitMixStep
	for i := range x {
		state += splitMixStep
		z := mix(state)
		x[i] = T(int64(z)>>(64-bits)) * scale // exact: no more bits than the type has
	}
}

const splitMixStep = 0xd1342543de82ef95 // odd, so that the state runs through all 2⁶⁴ values

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
