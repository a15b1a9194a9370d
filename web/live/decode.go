package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// ErrFrame is wrapped by every error of a frame that is not well formed.
var ErrFrame = errors.New("live: bad frame")

// Decoder turns frames back into what they say. The zero value is ready; the first frame must be a keyframe. After an
// error its state is as it was before that frame, and the next keyframe sets it right.
type Decoder struct {
	now   Frame
	begun bool
}

// Message is one decoded frame. Backfill is set for KindBackfill alone, Frame for the others.
type Message struct {
	Kind     Kind
	Seq      uint64
	Frame    Frame
	Backfill []Point
}

// Decode reads one binary message. The returned Frame is the caller's own.
func (d *Decoder) Decode(b []byte) (Message, error) {
	r := reader{b: b}
	m := Message{Kind: Kind(r.byte()), Seq: r.uint()}
	switch m.Kind {
	case KindKeyframe:
		m.Frame = r.keyframe(m.Seq)
	case KindDelta:
		if !d.begun || m.Seq != d.now.Seq+1 {
			return Message{}, fmt.Errorf("%w: delta %d does not follow frame %d", ErrFrame, m.Seq, d.now.Seq)
		}
		m.Frame = r.delta(m.Seq, d.now)
	case KindBackfill:
		if !d.begun || m.Seq != d.now.Seq {
			return Message{}, fmt.Errorf("%w: backfill %d does not belong to frame %d", ErrFrame, m.Seq, d.now.Seq)
		}
		m.Backfill = r.backfill(len(d.now.GPUs))
	default:
		return Message{}, fmt.Errorf("%w: kind %d", ErrFrame, m.Kind)
	}
	if r.err == "" && len(r.b) > 0 {
		r.fail("bytes after its end")
	}
	if r.err != "" {
		return Message{}, fmt.Errorf("%w: %s", ErrFrame, r.err)
	}
	if m.Kind != KindBackfill {
		d.now, d.begun = m.Frame, true
		m.Frame.GPUs = slices.Clone(m.Frame.GPUs)
	}
	return m, nil
}

// reader reads until its first error, after which everything is zero.
type reader struct {
	b   []byte
	err string
}

func (r *reader) fail(what string) {
	if r.err == "" {
		r.err = what
	}
	r.b = nil
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail("too short")
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

func (r *reader) bool() bool {
	v := r.byte()
	if v > 1 {
		r.fail("a flag that is neither 0 nor 1")
	}
	return v == 1
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail("bad number")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail("bad number")
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads how many things follow; each takes at least size bytes, so a huge count is refused before memory is taken.
func (r *reader) count(size int) int {
	n := r.uint()
	if n > uint64(len(r.b)/size) {
		r.fail("more announced than sent")
		return 0
	}
	return int(n)
}

func (r *reader) string() string {
	n := r.count(1)
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func (r *reader) time() time.Time {
	ms := r.uint()
	if ms > math.MaxInt64/2 {
		r.fail("time out of range")
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

func (r *reader) mask() uint64 {
	m := r.uint()
	if m>>gpu.NumMetrics != 0 {
		r.fail("unknown metric")
		return 0
	}
	return m
}

func (r *reader) why() gpu.Value { return gpu.Unknown(gpu.Why(r.byte())) }

func (r *reader) keyframe(seq uint64) Frame {
	f := Frame{Seq: seq, At: r.time()}
	f.GPUs = make([]GPU, r.count(5)) // two lengths, a flag and two masks
	for i := range f.GPUs {
		f.GPUs[i] = GPU{UUID: r.string(), Name: r.string(), Simulated: r.bool(), Values: r.values()}
	}
	f.Instance = r.instance()
	return f
}

func (r *reader) values() (v Values) {
	known := r.mask()
	for m := range v {
		if known&(1<<m) != 0 {
			v[m] = gpu.Known(r.int())
		}
	}
	why := r.mask()
	if why&known != 0 {
		r.fail("a reason for a known value")
	}
	for m := range v {
		if why&(1<<m) != 0 {
			v[m] = r.why()
		}
	}
	return v
}

func (r *reader) delta(seq uint64, prev Frame) Frame {
	dt := r.uint()
	if dt > math.MaxInt64/2/uint64(time.Millisecond) {
		r.fail("time out of range")
		return Frame{}
	}
	f := Frame{Seq: seq, At: prev.At.Add(time.Duration(dt) * time.Millisecond)}
	if n := r.count(3); n != len(prev.GPUs) {
		r.fail("another number of GPUs than the keyframe")
		return Frame{}
	}
	f.GPUs = slices.Clone(prev.GPUs)
	for i := range f.GPUs {
		r.changes(&f.GPUs[i].Values)
		age := r.uint()
		if age > math.MaxInt64/2/uint64(time.Millisecond) {
			r.fail("age out of range")
			return Frame{}
		}
		f.GPUs[i].Age = time.Duration(age) * time.Millisecond
	}
	f.Instance = r.instance()
	return f
}

func (r *reader) changes(v *Values) {
	changed, known := r.mask(), r.mask()
	if known&^changed != 0 {
		r.fail("a known value that did not change")
	}
	for m := range v {
		if known&(1<<m) != 0 {
			before, _ := v[m].Get()
			v[m] = gpu.Known(before + r.int())
		}
	}
	for m := range v {
		if changed&^known&(1<<m) != 0 {
			v[m] = r.why()
		}
	}
}

func (r *reader) backfill(ngpu int) []Point {
	points := make([]Point, r.count(3)) // time, number of GPUs, flag
	for i := range points {
		p := &points[i]
		p.At = r.time()
		if n := r.count(2); n != ngpu {
			r.fail("another number of GPUs than the keyframe")
			return nil
		}
		p.GPUs = make([]Values, ngpu)
		for j := range p.GPUs {
			p.GPUs[j] = r.values()
		}
		if r.bool() {
			cost := r.int()
			p.CostMicros = &cost
		}
		if r.err != "" {
			return nil
		}
	}
	return points
}

func (r *reader) instance() *Instance {
	if !r.bool() {
		return nil
	}
	return &Instance{Status: r.string(), CostMicros: r.int(), RateMicrosPerHour: r.int()}
}
