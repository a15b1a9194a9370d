package live

import (
	"encoding/binary"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// AppendKeyframe appends f as a keyframe to b.
func AppendKeyframe(b []byte, f Frame) []byte {
	b = appendHead(b, KindKeyframe, f.Seq)
	b = binary.AppendUvarint(b, millis(f.At))
	b = binary.AppendUvarint(b, uint64(len(f.GPUs)))
	for i := range f.GPUs {
		g := &f.GPUs[i]
		b = appendString(b, g.UUID)
		b = appendString(b, g.Name)
		b = appendBool(b, g.Simulated)
		b = appendValues(b, &g.Values)
	}
	return appendInstance(b, f.Instance)
}

// AppendDelta appends what changed from prev to f. It reports false, and appends nothing, where a keyframe must be sent
// instead: other GPUs, or f does not directly follow prev.
func AppendDelta(b []byte, prev, f Frame) ([]byte, bool) {
	if f.Seq != prev.Seq+1 || !sameGPUs(prev.GPUs, f.GPUs) || millis(f.At) < millis(prev.At) {
		return b, false
	}
	b = appendHead(b, KindDelta, f.Seq)
	b = binary.AppendUvarint(b, millis(f.At)-millis(prev.At))
	b = binary.AppendUvarint(b, uint64(len(f.GPUs)))
	for i := range f.GPUs {
		b = appendChanges(b, &prev.GPUs[i].Values, &f.GPUs[i].Values)
		b = binary.AppendUvarint(b, uint64(max(f.GPUs[i].Age, 0)/time.Millisecond))
	}
	return appendInstance(b, f.Instance), true
}

// AppendBackfill appends the past of a keyframe's GPUs; seq is that keyframe's.
func AppendBackfill(b []byte, seq uint64, points []Point) []byte {
	b = appendHead(b, KindBackfill, seq)
	b = binary.AppendUvarint(b, uint64(len(points)))
	for i := range points {
		p := &points[i]
		b = binary.AppendUvarint(b, millis(p.At))
		b = binary.AppendUvarint(b, uint64(len(p.GPUs)))
		for j := range p.GPUs {
			b = appendValues(b, &p.GPUs[j])
		}
		b = appendBool(b, p.CostMicros != nil)
		if p.CostMicros != nil {
			b = binary.AppendVarint(b, *p.CostMicros)
		}
	}
	return b
}

func appendHead(b []byte, k Kind, seq uint64) []byte {
	return binary.AppendUvarint(append(b, byte(k)), seq)
}

// appendValues writes the known values, then the reasons that are not gpu.NotRead.
func appendValues(b []byte, v *Values) []byte {
	var known, why uint64
	for m := range v {
		if _, ok := v[m].Get(); ok {
			known |= 1 << m
		} else if v[m].Why() != gpu.NotRead {
			why |= 1 << m
		}
	}
	b = binary.AppendUvarint(b, known)
	for m := range v {
		if n, ok := v[m].Get(); ok {
			b = binary.AppendVarint(b, n)
		}
	}
	b = binary.AppendUvarint(b, why)
	for m := range v {
		if why&(1<<m) != 0 {
			b = append(b, byte(v[m].Why()))
		}
	}
	return b
}

func appendChanges(b []byte, old, now *Values) []byte {
	var changed, known uint64
	for m := range now {
		if same(old[m], now[m]) {
			continue
		}
		changed |= 1 << m
		if _, ok := now[m].Get(); ok {
			known |= 1 << m
		}
	}
	b = binary.AppendUvarint(b, changed)
	b = binary.AppendUvarint(b, known)
	if changed == 0 {
		return b
	}
	for m := range now {
		if known&(1<<m) != 0 {
			before, _ := old[m].Get()
			n, _ := now[m].Get()
			b = binary.AppendVarint(b, n-before) // wraps around, and the reader's sum wraps back
		}
	}
	for m := range now {
		if changed&^known&(1<<m) != 0 {
			b = append(b, byte(now[m].Why()))
		}
	}
	return b
}

// same compares values as the wire sees them: the reason of a known value means nothing.
func same(a, b gpu.Value) bool {
	x, xok := a.Get()
	y, yok := b.Get()
	if xok != yok {
		return false
	}
	if xok {
		return x == y
	}
	return a.Why() == b.Why()
}

func appendInstance(b []byte, in *Instance) []byte {
	b = appendBool(b, in != nil)
	if in == nil {
		return b
	}
	b = appendString(b, in.Status)
	b = binary.AppendVarint(b, in.CostMicros)
	return binary.AppendVarint(b, in.RateMicrosPerHour)
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func millis(t time.Time) uint64 { return uint64(max(t.UnixMilli(), 0)) }
