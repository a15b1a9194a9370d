package web

import (
	"context"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/live"
)

const (
	fleetSet = "fleet" // no instance's id
	// tickWait is when a frame is made without a tick: nothing reads hardware here, or its reader hangs, and the ages must
	// be seen to grow.
	tickWait = 1500 * time.Millisecond
	// markCount is how many frames can be resumed after: 15 minutes at one a second.
	markCount = 15 * 60
	// inventoryTime is how long the list of GPUs may be old without an event that says it changed.
	inventoryTime = 10 * time.Second
)

// hub makes one frame a second for each set that is watched, and wakes its clients. Nothing is queued: a client takes the
// set's newest frame when it is ready for it.
type hub struct {
	s    *Server
	mu   sync.Mutex
	seq  uint64
	sets map[string]*set
	// marks says when a frame was made, by seq modulo its length.
	marks     [markCount]mark
	inventory []store.GPU
	takenAt   time.Time
}

type mark struct {
	seq uint64
	at  time.Time
}

// newHub begins to count at the second of the day that it is, so that numbers from before a restart are lower.
func newHub(s *Server) *hub {
	return &hub{s: s, seq: uint64(max(s.now().Unix(), 1)), sets: make(map[string]*set)}
}

// run makes frames until ctx ends.
func (h *hub) run(ctx context.Context) error {
	ticks, cancel := h.s.fleet.Watch()
	defer cancel()
	events, unsubscribe := h.s.store.Subscribe()
	defer unsubscribe()
	timer := time.NewTimer(tickWait)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-events:
			if !open {
				events = nil
				continue
			}
			if e.Kind == "gpu" || e.Kind == "missed" {
				h.forgetInventory()
			}
			if e.Kind == "person" || e.Kind == "missed" {
				h.s.sockets.recheck()
			}
			if e.Kind != "instance" || !h.moved(ctx, e.ID) {
				continue
			}
		case _, open := <-ticks:
			if !open {
				ticks = nil
				continue
			}
		case <-timer.C:
		}
		timer.Reset(tickWait)
		h.step(ctx)
	}
}

// moved reports whether a watched instance is in another state than its clients know: they are told at once, and not at the
// next tick.
func (h *hub) moved(ctx context.Context, id string) bool {
	h.mu.Lock()
	of := h.sets[id]
	h.mu.Unlock()
	if of == nil {
		return false
	}
	in, err := h.s.store.Instance(ctx, id)
	return err == nil && of.status() != string(in.State)
}

// step makes the next frame of every set.
func (h *hub) step(ctx context.Context) {
	h.mu.Lock()
	h.seq++
	seq, at := h.seq, h.s.now()
	h.marks[seq%markCount] = mark{seq, at}
	sets := make([]*set, 0, len(h.sets))
	for _, set := range h.sets {
		sets = append(sets, set)
	}
	h.mu.Unlock()
	for _, set := range sets {
		frame, end, err := h.frame(ctx, set.key, seq, at)
		if err != nil {
			h.s.log.Warn("live frame not made", "set", set.key, "error", err)
			continue // the next one is a keyframe, as it does not follow
		}
		set.put(frame, end)
	}
}

// watch adds a client to a set, which begins with it if nobody watches yet.
func (h *hub) watch(ctx context.Context, key string) (*set, chan struct{}, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := h.sets[key]
	if of == nil {
		frame, end, err := h.frameLocked(ctx, key, h.seq, h.s.now())
		if err != nil {
			return nil, nil, err
		}
		of = &set{key: key, frame: frame, end: end, clients: make(map[chan struct{}]bool)}
		h.sets[key] = of
	}
	wake := make(chan struct{}, 1)
	of.mu.Lock()
	of.clients[wake] = true
	of.mu.Unlock()
	return of, wake, nil
}

// leave takes a client out of its set.
func (h *hub) leave(of *set, wake chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	of.mu.Lock()
	defer of.mu.Unlock()
	delete(of.clients, wake)
	if len(of.clients) == 0 {
		delete(h.sets, of.key)
	}
}

// madeAt says when a frame was made; false where it is too long ago.
func (h *hub) madeAt(seq uint64) (time.Time, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.marks[seq%markCount]
	return m.at, m.seq == seq && !m.at.IsZero()
}

func (h *hub) forgetInventory() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.takenAt = time.Time{}
}

func (h *hub) frame(ctx context.Context, key string, seq uint64, at time.Time) (live.Frame, string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.frameLocked(ctx, key, seq, at)
}

// frameLocked makes a set's frame from the database and the last readings; end is why there will be no other.
func (h *hub) frameLocked(ctx context.Context, key string, seq uint64, at time.Time) (f live.Frame, end string, err error) {
	f = live.Frame{Seq: seq, At: at}
	list, err := h.gpusLocked(ctx, at)
	if err != nil {
		return f, "", err
	}
	if key == fleetSet {
		for i := range list {
			f.GPUs = append(f.GPUs, h.gpu(&list[i], h.s.fleet.Latest))
		}
		return f, "", nil
	}
	in, err := h.s.store.Instance(ctx, key)
	if store.KindOf(err) == store.NotFound {
		return f, endGone, nil
	}
	if err != nil {
		return f, "", err
	}
	f.Instance = &live.Instance{Status: string(in.State), CostMicros: in.CostMicros, RateMicrosPerHour: in.RateMicrosPerHour}
	own := func(uuid string) (gpu.Reading, time.Duration, bool) { return h.s.latestOf(in, uuid) }
	for _, uuid := range in.GPUs {
		for i := range list {
			if list[i].UUID == uuid {
				f.GPUs = append(f.GPUs, h.gpu(&list[i], own))
			}
		}
	}
	if in.State.Ended() {
		end = endStopped
	}
	return f, end, nil
}

func (h *hub) gpusLocked(ctx context.Context, at time.Time) ([]store.GPU, error) {
	if !h.takenAt.IsZero() && at.Sub(h.takenAt) < inventoryTime {
		return h.inventory, nil
	}
	list, err := h.s.store.GPUs(ctx)
	if err != nil {
		return nil, err
	}
	h.inventory, h.takenAt = list, at
	return list, nil
}

func (h *hub) gpu(g *store.GPU, latest func(uuid string) (gpu.Reading, time.Duration, bool)) live.GPU {
	out := live.GPU{UUID: g.UUID, Name: gpuName(g), Simulated: g.Simulated}
	if r, age, ok := latest(g.UUID); ok {
		out.Values, out.Age = r.Values, age
	} else if g.State == store.GPULost {
		for m := range out.Values {
			out.Values[m] = gpu.Unknown(gpu.Lost)
		}
	}
	return out
}
