package web

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	// replayTime is how long the same form, sent again, has no second effect; sameTime the same for one without a key of
	// its own, which a person may well mean to send again.
	replayTime = 10 * time.Minute
	sameTime   = 10 * time.Second
	maxReplays = 10_000
)

// replays remembers what forms without a key of their own in the database led to.
type replays struct {
	now  func() time.Time
	mu   sync.Mutex
	done map[[32]byte]replay
}

type replay struct {
	path string
	at   time.Time
}

// once runs do unless this form was carried out already, and returns where it leads. One with an idempotency_key is known
// by that; without, by everything in it.
func (r *replays) once(c *call, do func() (path string, err error)) (string, error) {
	if key := c.text("idempotency_key"); key != "" {
		return r.keyed(c, key, do)
	}
	return r.run(c, c.Request().PostForm.Encode(), sameTime, do)
}

// keyed is once for what has a key that its sender made.
func (r *replays) keyed(c *call, key string, do func() (string, error)) (string, error) {
	return r.run(c, "key "+key, replayTime, do)
}

func (r *replays) run(c *call, what string, valid time.Duration, do func() (string, error)) (string, error) {
	key := sha256.Sum256([]byte(c.who.ID + "\x00" + c.Request().URL.Path + "\x00" + what))
	r.mu.Lock()
	defer r.mu.Unlock() // also while it is done: two at once must not both be first
	now := r.now()
	if before, found := r.done[key]; found && now.Sub(before.at) < valid {
		return before.path, nil
	}
	path, err := do()
	if err != nil {
		return "", err
	}
	if r.done == nil || len(r.done) >= maxReplays {
		r.done = make(map[[32]byte]replay)
	}
	r.done[key] = replay{path, now}
	return path, nil
}

// secrets holds what is shown once on the page after a form: a new token must not stand in an address.
type secrets struct {
	now  func() time.Time
	mu   sync.Mutex
	kept map[string]secret // by session
}

type secret struct {
	text string
	at   time.Time
}

const secretTime = 2 * time.Minute

func (s *secrets) put(session, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil || len(s.kept) >= maxReplays {
		s.kept = make(map[string]secret)
	}
	s.kept[session] = secret{text, s.now()}
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
