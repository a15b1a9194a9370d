package web

import (
	"crypto/rand"
	"sync"
	"time"
)

const (
	// maxVisits bounds the memory of visits; beyond it all are forgotten, and whoever comes again is let in anew.
	maxVisits = 10_000
	// handOver is how long the ticket is good that takes a browser to the origin of an app.
	handOver = 30 * time.Second
)

// visit is what lets one session in to the port of one instance. Its key is a secret that an app's page may know: it opens nothing
// but that app.
type visit struct {
	key, instance string
	session       string // its secret
}

// visits are kept in memory: after a restart a browser is let in anew by its session.
type visits struct {
	now     func() time.Time
	mu      sync.Mutex
	byKey   map[string]visit
	keys    map[visit]string // of a visit without its key
	tickets map[string]ticket
}

// ticket hands a visit over to another origin, once.
type ticket struct {
	visit   visit
	expires time.Time
}

// begin returns the visit of a session to an instance: the same each time, so that the addresses of its pages stay.
func (v *visits) begin(session, instance string) visit {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.byKey == nil || len(v.byKey) >= maxVisits {
		v.byKey, v.keys = make(map[string]visit), make(map[visit]string)
	}
	who := visit{instance: instance, session: session}
	key, known := v.keys[who]
	if !known {
		key = rand.Text()
		v.keys[who] = key
		v.byKey[key] = visit{key: key, instance: instance, session: session}
	}
	return v.byKey[key]
}

// find returns the visit of a key to an instance.
func (v *visits) find(key, instance string) (visit, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	found, ok := v.byKey[key]
	return found, ok && found.instance == instance
}

// end forgets a visit whose session is over.
func (v *visits) end(over visit) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.byKey, over.key)
	delete(v.keys, visit{instance: over.instance, session: over.session})
}

// ticket makes a secret that hands a visit over.
func (v *visits) ticket(to visit) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.now()
	for secret, t := range v.tickets {
		if !now.Before(t.expires) {
			delete(v.tickets, secret)
		}
	}
	if v.tickets == nil || len(v.tickets) >= maxVisits {
		v.tickets = make(map[string]ticket)
	}
	secret := rand.Text()
	v.tickets[secret] = ticket{to, now.Add(handOver)}
	return secret
}

// use takes a ticket.
func (v *visits) use(secret, instance string) (visit, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	t, ok := v.tickets[secret]
	if !ok || t.visit.instance != instance {
		return visit{}, false
	}
	delete(v.tickets, secret)
	return t.visit, v.now().Before(t.expires)
}
