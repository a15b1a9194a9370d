package queue

import (
	"math"
	"time"
)

// HalfLife is the time after which GPU time that a team used counts half.
const HalfLife = 7 * 24 * time.Hour

// Usage is the GPU time of a team, decayed. The zero value is none.
type Usage struct {
	gpuSeconds float64 // as of at
	at         time.Time
}

// Spread adds GPU time that was used evenly over [from, to).
func (u Usage) Spread(gpuTime time.Duration, from, to time.Time) Usage {
	if !from.Before(to) {
		return u
	}
	return u.add(gpuTime.Seconds()/to.Sub(from).Seconds(), from, to)
}

// Add adds thousandths of a GPU held over [from, to), decayed at each of its moments: the integral, not a sum over ticks,
// so that it makes no difference where a stretch is cut.
func (u Usage) Add(milli int64, from, to time.Time) Usage {
	return u.add(float64(milli)/Share, from, to)
}

func (u Usage) add(gpus float64, from, to time.Time) Usage {
	if !from.Before(to) || gpus <= 0 {
		return u
	}
	// ∫ 2^(-(to-s)/h) ds over [from, to) is h/ln 2 × (1 - 2^(-(to-from)/h)); Expm1 keeps it exact for short stretches.
	k := math.Ln2 / HalfLife.Seconds()
	stretch := -math.Expm1(-k*to.Sub(from).Seconds()) / k * gpus
	if u.at.After(to) {
		return Usage{u.gpuSeconds + stretch*decay(u.at.Sub(to)), u.at}
	}
	return Usage{u.At(to) + stretch, to}
}

// At returns the decayed GPU-seconds as of a moment; before the last one added, as of that one.
func (u Usage) At(t time.Time) float64 {
	if !t.After(u.at) || u.gpuSeconds == 0 {
		return u.gpuSeconds
	}
	return u.gpuSeconds * decay(t.Sub(u.at))
}

func decay(d time.Duration) float64 { return math.Exp2(-d.Seconds() / HalfLife.Seconds()) }
