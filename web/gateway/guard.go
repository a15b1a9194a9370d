package gateway

import (
	"sync"
	"time"
)

const (
	// maxHandshakes may be under way at once, and maxOwnHandshakes from one address: they are the costly part of who has no key.
	maxHandshakes    = 64
	maxOwnHandshakes = 16
	// failures are forgiven one every failureTime, and an address with maxFailures is not listened to.
	maxFailures    = 20
	failureTime    = 6 * time.Second
	maxConnections = 1000
	maxOwn         = 64 // of one person
	maxChannels    = 64 // of one connection: VS Code has some ten, a browser behind a forwarded port more
)

// guard bounds what strangers may cost.
type guard struct {
	now func() time.Time

	mu     sync.Mutex
	inside int
	from   map[string]*caller
}

// caller is an address: how many handshakes it has under way, and how many failed.
type caller struct {
	inside   int
	failures float64
	at       time.Time // of failures
}

// enter begins a handshake, or refuses it.
func (g *guard) enter(from string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.from == nil {
		g.from = map[string]*caller{}
	}
	c := g.from[from]
	if c == nil {
		g.forget()
		c = &caller{at: g.now()}
		g.from[from] = c
	}
	c.forgive(g.now())
	if g.inside >= maxHandshakes || c.inside >= maxOwnHandshakes || c.failures >= maxFailures {
		return false
	}
	g.inside++
	c.inside++
	return true
}

// leave ends a handshake.
func (g *guard) leave(from string, failed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.from[from]
	g.inside--
	c.inside--
	if failed {
		c.forgive(g.now())
		c.failures++
	}
}

func (c *caller) forgive(now time.Time) {
	c.failures = max(0, c.failures-float64(now.Sub(c.at))/float64(failureTime))
	c.at = now
}

// forget drops addresses that nothing is held against, once there are many.
func (g *guard) forget() {
	if len(g.from) < 4*maxHandshakes {
		return
	}
	for from, c := range g.from {
		if c.forgive(g.now()); c.inside == 0 && c.failures == 0 {
			delete(g.from, from)
		}
	}
}
