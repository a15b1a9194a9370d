package fleet

import (
	"slices"
	"sync"
)

// waker wakes one loop. It has room for one: waking twice is waking once.
type waker chan struct{}

func (w waker) wake() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// wakers are the loops' wakers, and which events of the store each cares for.
type wakers struct {
	mu  sync.Mutex
	all []listener
}

// missed is the kind of the event that stands for those that a slow subscriber did not get.
const missed = "missed"

type listener struct {
	waker
	kinds []string // of store.Event
}

// add makes a waker that store events of these kinds wake.
func (w *wakers) add(kinds ...string) waker {
	l := listener{make(waker, 1), kinds}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, l)
	return l.waker
}

// event wakes the loops that care for this kind of event; a missed event may have been of any kind. Loops that care for none
// are woken one by one.
func (w *wakers) event(kind string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.all {
		if slices.Contains(l.kinds, kind) || kind == missed && len(l.kinds) > 0 {
			l.wake()
		}
	}
}
