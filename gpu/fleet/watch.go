package fleet

import (
	"maps"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// Tick is what one round of reading found, by UUID, with what other machines have told since the last. Its map is shared by all
// who watch: read it only.
type Tick struct {
	At       time.Time
	Readings map[string]gpu.Reading
}

// watchers are those who wait for ticks. Each has room for one: who is slow gets the latest, never a queue.
type watchers struct {
	mu   sync.Mutex
	next int
	ch   map[int]chan Tick
}

func (w *watchers) add() (<-chan Tick, func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ch == nil {
		w.ch = make(map[int]chan Tick)
	}
	id, ch := w.next, make(chan Tick, 1)
	w.next++
	w.ch[id] = ch
	return ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if _, there := w.ch[id]; there {
			delete(w.ch, id)
			close(ch)
		}
	}
}

// send gives t to everyone, in place of what they have not taken yet. Only one goroutine may send.
func (w *watchers) send(t Tick) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, ch := range w.ch {
		select {
		case <-ch:
		default:
		}
		ch <- t
	}
}

// beat gathers what other machines tell between the ticks: the console's own reader sends them all, so that watchers have one
// tick a second however many machines there are.
type beat struct {
	mu       sync.Mutex
	readings map[string]gpu.Reading
}

func (b *beat) add(t Tick) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.readings == nil {
		b.readings = make(map[string]gpu.Reading)
	}
	maps.Copy(b.readings, t.Readings)
}

// with returns t with what was gathered since the last.
func (b *beat) with(t Tick) Tick {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.readings) == 0 {
		return t
	}
	maps.Copy(b.readings, t.Readings)
	t.Readings, b.readings = b.readings, nil
	return t
}
