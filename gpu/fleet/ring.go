package fleet

import (
	"sort"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// ringLength is how many readings are kept of each GPU: 15 minutes at one a second.
const ringLength = 15 * 60

// sample is a gpu.Reading without what repeats: 120 bytes instead of about 230.
type sample struct {
	at int64 // microseconds since 1970, UTC
	n  [gpu.NumMetrics]int64
	// why is 0 where n is known, else 1 + the gpu.Why.
	why [gpu.NumMetrics]uint8
}

func pack(r gpu.Reading) sample {
	s := sample{at: r.At.UnixMicro()}
	for m, v := range r.Values {
		n, known := v.Get()
		if !known {
			s.why[m] = 1 + uint8(v.Why())
			continue
		}
		s.n[m] = n
	}
	return s
}

func (s sample) unpack(uuid string) gpu.Reading {
	r := gpu.Reading{UUID: uuid, At: time.UnixMicro(s.at).UTC()}
	for m := range r.Values {
		if s.why[m] != 0 {
			r.Values[m] = gpu.Unknown(gpu.Why(s.why[m] - 1))
			continue
		}
		r.Values[m] = gpu.Known(s.n[m])
	}
	return r
}

// ring keeps the last readings of one GPU, oldest first from next on once it is full.
type ring struct {
	samples []sample
	next    int
}

func (r *ring) add(s sample) {
	if len(r.samples) < ringLength {
		r.samples = append(r.samples, s)
		return
	}
	r.samples[r.next] = s
	r.next = (r.next + 1) % ringLength
}

func (r *ring) len() int { return len(r.samples) }

// at returns the i-th oldest sample.
func (r *ring) at(i int) sample { return r.samples[(r.next+i)%len(r.samples)] }

// last returns the newest sample, nil if there is none.
func (r *ring) last() *sample {
	if len(r.samples) == 0 {
		return nil
	}
	return &r.samples[(r.next+len(r.samples)-1)%len(r.samples)]
}

// history holds a ring for each GPU that was ever read since the start.
type history struct {
	mu    sync.RWMutex
	rings map[string]*ring
}

// add keeps a reading, unless it is older than the last one. One of the same moment takes its place: a source that answers
// with what it had before must not make an old value look like a new one.
func (h *history) add(r gpu.Reading) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rings == nil {
		h.rings = make(map[string]*ring)
	}
	have := h.rings[r.UUID]
	if have == nil {
		have = &ring{}
		h.rings[r.UUID] = have
	}
	s := pack(r)
	switch last := have.last(); {
	case last == nil || last.at < s.at:
		have.add(s)
	case last.at == s.at:
		*last = s
	}
}

func (h *history) latest(uuid string) (gpu.Reading, bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	r := h.rings[uuid]
	if r == nil || r.last() == nil {
		return gpu.Reading{}, false
	}
	return r.last().unpack(uuid), true
}

// between returns the readings in [from, to), oldest first.
func (h *history) between(uuid string, from, to time.Time) []gpu.Reading {
	h.mu.RLock()
	defer h.mu.RUnlock()
	r := h.rings[uuid]
	if r == nil {
		return nil
	}
	first := sort.Search(r.len(), func(i int) bool { return r.at(i).at >= from.UnixMicro() })
	var found []gpu.Reading
	for i := first; i < r.len() && r.at(i).at < to.UnixMicro(); i++ {
		found = append(found, r.at(i).unpack(uuid))
	}
	return found
}
