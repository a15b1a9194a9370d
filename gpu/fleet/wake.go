package fleet

import "sync"

// wakers are the loops' wake-up channels, each with room for one: waking twice is waking once.
type wakers struct {
	mu sync.Mutex
	ch []waker
}

type waker struct {
	ch    chan struct{}
	kinds map[string]bool // of store.Event; empty: woken by Kick alone
}

// add makes a channel that is woken by store events of these kinds.
func (w *wakers) add(kinds ...string) <-chan struct{} {
	k := waker{ch: make(chan struct{}, 1), kinds: make(map[string]bool)}
	for _, kind := range kinds {
		k.kinds[kind] = true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ch = append(w.ch, k)
	return k.ch
}

// all wakes every loop.
func (w *wakers) all() { w.wake(func(waker) bool { return true }) }

// event wakes the loops that care for this kind of event; a missed event may have been of any kind.
func (w *wakers) event(kind string) {
	w.wake(func(k waker) bool { return k.kinds[kind] || kind == "missed" })
}

func (w *wakers) wake(which func(waker) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range w.ch {
		if !which(k) {
			continue
		}
		select {
		case k.ch <- struct{}{}:
		default:
		}
	}
}
