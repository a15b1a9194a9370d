package store

import "sync"

// Event says that something has changed. It is published after the change was committed, never before.
type Event struct {
	Kind string // "instance", "gpu", "node", "budget", "quota", "outbox", "benchmark", "person", "ledger", "site" or "missed"
	ID   string // of what changed; "" where the kind has none, and with "missed"
}

// feedBuffer is how many events a subscriber may be behind: a page that is further behind refetches all it shows.
const feedBuffer = 256

// feed hands events to those who asked for them. A slow one never holds up the others: it gets one "missed" in the place
// of what no longer fitted.
type feed struct {
	mu     sync.Mutex
	subs   map[*subscriber]bool
	closed bool
}

type subscriber struct {
	ch     chan Event
	missed bool // told so, and has not caught up since
}

// Subscribe returns what changes from now on, until cancel is called or the store closes; then the channel is closed.
func (s *Store) Subscribe() (events <-chan Event, cancel func()) {
	f := &s.feed
	sub := &subscriber{ch: make(chan Event, feedBuffer)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		close(sub.ch)
		return sub.ch, func() {}
	}
	if f.subs == nil {
		f.subs = map[*subscriber]bool{}
	}
	f.subs[sub] = true
	return sub.ch, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.subs[sub] {
			delete(f.subs, sub)
			close(sub.ch)
		}
	}
}

func (f *feed) publish(events []Event) {
	if len(events) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for sub := range f.subs {
		for _, e := range events {
			sub.offer(e)
		}
	}
}

// offer never blocks: the last place in the buffer is kept for "missed", and publish alone sends.
func (sub *subscriber) offer(e Event) {
	switch {
	case len(sub.ch) < cap(sub.ch)-1:
		sub.missed = false
		sub.ch <- e
	case !sub.missed:
		sub.missed = true
		sub.ch <- Event{Kind: "missed"}
	}
}

func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for sub := range f.subs {
		delete(f.subs, sub)
		close(sub.ch)
	}
}
