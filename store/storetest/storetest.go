// Package storetest opens stores for the tests of other packages, with a clock that is moved by hand.
package storetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// Start is when a new Clock stands: a Monday, 09:00 UTC.
var Start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// Clock is moved by hand. It is safe for concurrent use.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Set moves the clock to t.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = t
}

// Advance moves the clock on and returns its new time.
func (c *Clock) Advance(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	return c.at
}

// Open opens a new, empty store that is closed when the test ends.
func Open(t testing.TB) (*store.Store, *Clock) {
	t.Helper()
	clock := &Clock{at: Start}
	s, err := store.Open(context.Background(), store.Config{Path: t.TempDir(), Now: clock.Now})
	if err != nil {
		t.Fatalf("open store: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	return s, clock
}

// Seeded is what Seed made.
type Seeded struct {
	Admin, Member store.Person
	Team          store.Team
	Node          store.Node
	GPUs          []store.GPU // four simulated A100
	Password      string      // of both people
}

// Seed makes team research with an admin and a member, and a node with four simulated GPUs.
func Seed(t testing.TB, s *store.Store) Seeded {
	t.Helper()
	return Seeded{}
}
