package link

import (
	"sync"
	"time"
)

// shift is how far an agent's clock lags behind the console's. Its estimate is never too large: an agent's time, moved by it,
// is not later than the moment really was, so that an old reading can't pass for a fresh one.
type shift struct {
	mu    sync.Mutex
	by    time.Duration
	since time.Time
}

const (
	// shiftStep is how much better an estimate must be to be taken: times that were told twice stay the same.
	shiftStep = 10 * time.Millisecond
	// shiftAge is how old an estimate may become: clocks drift and are set.
	shiftAge = 10 * time.Minute
)

func (s *shift) begin(by time.Duration, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by, s.since = by, now
}

// learn takes in a reply that was asked for at sent and tells the agent's time.
func (s *shift) learn(sent, theirs time.Time) {
	by := sent.Sub(theirs)
	s.mu.Lock()
	defer s.mu.Unlock()
	if by > s.by+shiftStep || sent.Sub(s.since) > shiftAge {
		s.by, s.since = by, sent
	}
}

func (s *shift) get() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.by
}

// coarse is the shift for what is told of an instance: clocks that are kept by a time service are left as they are, so that
// the same time is the same over every line.
func (s *shift) coarse() time.Duration {
	by := s.get()
	if by < time.Second && by > -time.Second {
		return 0
	}
	return by
}
