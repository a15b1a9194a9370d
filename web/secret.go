package web

import (
	"sync"
	"time"
)

const (
	// secretTime is how long a new token waits for the page that shows it.
	secretTime = 2 * time.Minute
	maxSecrets = 10_000
)

// secrets holds what is shown once on the page after a form: a new token must not stand in an address, nor on the disk.
type secrets struct {
	now  func() time.Time
	mu   sync.Mutex
	kept map[string]secret // by session
}

type secret struct {
	text string
	at   time.Time
}

func (s *secrets) put(session, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil || len(s.kept) >= maxSecrets {
		s.kept = make(map[string]secret)
	}
	s.kept[session] = secret{text, s.now()}
}

// waits reports whether there is something to be shown.
func (s *secrets) waits(session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, found := s.kept[session]
	return found && s.now().Sub(kept.at) <= secretTime
}

func (s *secrets) take(session string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.kept[session]
	delete(s.kept, session)
	if s.now().Sub(kept.at) > secretTime {
		return ""
	}
	return kept.text
}
