// Package live encodes and decodes the frames of the live websocket: what PROTOCOL.md draws, byte by byte. It may import
// gpu for the metrics and the standard library, and knows no socket, clock or database. Its rule: a value that is not known
// travels as unknown with its reason and is never a zero.
package live

import (
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// Subprotocol is what both sides name when the websocket is opened.
const Subprotocol = "meterhouse.live.v1"

// Kind is a frame's first byte.
type Kind byte

const (
	KindKeyframe Kind = 1
	KindDelta    Kind = 2
	KindBackfill Kind = 3
)

// Values are one GPU's metrics, by gpu.Metric.
type Values = [gpu.NumMetrics]gpu.Value

// GPU is one GPU of a frame. Age is how old its reading is at the frame's time; keyframes do not carry it.
type GPU struct {
	UUID, Name string
	Simulated  bool
	Values     Values
	Age        time.Duration
}

// Instance is what a frame says of the watched instance; absent in frames of the fleet.
type Instance struct {
	Status            string
	CostMicros        int64
	RateMicrosPerHour int64
}

// Frame is all that is shown at one moment.
type Frame struct {
	Seq      uint64
	At       time.Time // millisecond resolution
	GPUs     []GPU
	Instance *Instance
}

// Point is one moment of the past: the GPUs are those of the keyframe before it, in its order.
type Point struct {
	At         time.Time
	GPUs       []Values
	CostMicros *int64 // nil where it is not known
}

// sameGPUs reports whether b can follow a as a delta.
func sameGPUs(a, b []GPU) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].UUID != b[i].UUID || a[i].Name != b[i].Name || a[i].Simulated != b[i].Simulated {
			return false
		}
	}
	return true
}
