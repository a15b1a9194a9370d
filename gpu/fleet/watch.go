package fleet

import (
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// Tick is what one round of reading found, by UUID. Its map is shared by all who watch: read it only.
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
