// Package spot holds the rules of GPUs that are rented cheaply while nobody needs them: what they cost by how full their
// pool is, who has to give them back, and with which notice. It imports store/money and the standard library, reads no
// clock and touches no database. The rule it keeps: all of it is integer arithmetic on a grid of time, so that the same
// uses at the same times give the same prices on every machine, however often anybody looked.
package spot

import "github.com/meterhouse/meterhouse/store/money"

// Whole is a factor or a use of 100 %, in parts per million.
const Whole int64 = 1_000_000

// LowestMinimum is the lowest floor of the price factor that an admin can set, in parts per million.
const LowestMinimum int64 = 100_000

// bend is a point of the curve between which it is straight.
type bend struct{ use, factor int64 }

var bends = [...]bend{{500_000, 300_000}, {900_000, 700_000}, {Whole, 900_000}}

// Curve returns the price factor that a pool's use leads to, both in parts per million: 30 % of the on-demand price up to
// half of the pool, then rising to 70 % at nine tenths and to 90 % when it is full.
func Curve(usePPM int64) int64 {
	low := bends[0]
	for _, high := range bends {
		if usePPM <= high.use {
			if high == low {
				return low.factor
			}
			return low.factor + (usePPM-low.use)*(high.factor-low.factor)/(high.use-low.use)
		}
		low = high
	}
	return low.factor
}

// Price returns the spot price an hour, in micro-units, rounded half away from zero.
func Price(onDemandMicrosPerHour, factorPPM int64) int64 {
	return money.Product(onDemandMicrosPerHour, factorPPM).Over(Whole)
}
