package gateway

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
)

// find returns the instance that a person calls by its id or name. What is not there and what is not theirs to enter is one
// answer.
func (g *Gateway) find(ctx context.Context, p store.Person, name string) (store.Instance, error) {
	none := &store.Error{Kind: store.NotFound, Message: "ssh_no_instance"}
	in, err := g.Store.Instance(ctx, name)
	if err == nil && mayEnter(p, in) {
		return in, running(in)
	}
	if err != nil && store.KindOf(err) != store.NotFound {
		return in, err
	}
	f := store.Filter{Live: true, Query: name, Limit: 500}
	if !p.Admin {
		f.TeamID = p.TeamID
	}
	all, _, err := g.Store.Instances(ctx, f)
	if err != nil {
		return in, err
	}
	var own, others []store.Instance
	for _, in := range all {
		switch {
		case in.Name != name || !mayEnter(p, in):
		case in.PersonID == p.ID:
			own = append(own, in)
		default:
			others = append(others, in)
		}
	}
	if len(own) == 0 {
		own = others
	}
	switch len(own) {
	case 0:
		return in, none
	case 1:
		return own[0], running(own[0])
	}
	return in, &store.Error{Kind: store.Conflict, Message: "ssh_ambiguous"}
}

// mayEnter is the rule of the terminal.
func mayEnter(p store.Person, in store.Instance) bool {
	return p.RoleIn(in.TeamID).Acts(in.PersonID == p.ID)
}

// running refuses what can't be entered just now. One that was told that it will be reclaimed still works.
func running(in store.Instance) error {
	if in.State == life.Running || in.State == life.Reclaiming {
		return nil
	}
	return errNotRunning
}

var (
	errNotRunning = &store.Error{Kind: store.Conflict, Message: "instance_not_running"}
	errEnding     = &store.Error{Kind: store.Conflict, Message: "ssh_ending"}
	errRevoked    = &store.Error{Kind: store.Forbidden, Message: "ssh_revoked"}
	errConsole    = &store.Error{Kind: store.Unavailable, Message: "ssh_console_stops"}
)

// admit counts a connection in, unless there are too many.
func (g *Gateway) admit(c *connection) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	own := 0
	for o := range g.open {
		if o.person.ID == c.person.ID {
			own++
		}
	}
	if own >= maxOwn || len(g.open) >= maxConnections {
		return false
	}
	g.open[c] = true
	return true
}

func (g *Gateway) dismiss(c *connection) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, c)
}

func (g *Gateway) connections(which func(*connection) bool) (all []*connection) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.open {
		if which(c) {
			all = append(all, c)
		}
	}
	return all
}

// recheckEvery is how soon who was revoked by another process is out; by this one they are at once.
const recheckEvery = 1500 * time.Millisecond

// watch asks again who may be inside: when something of theirs has changed, and every now and then.
func (g *Gateway) watch(ctx context.Context) {
	events, cancel := g.Store.Subscribe()
	defer cancel()
	tick := time.NewTicker(recheckEvery)
	defer tick.Stop()
	everyone := func(*connection) bool { return true }
	for {
		which := everyone
		select {
		case <-ctx.Done():
			return
		case e, ok := <-events:
			if !ok {
				events = nil // the store is closed: so will we be
				continue
			}
			switch e.Kind {
			case "person":
				which = func(c *connection) bool { return c.person.ID == e.ID }
			case "instance":
				which = func(c *connection) bool { return c.instance == e.ID }
			case "missed":
			default:
				continue
			}
		case <-tick.C:
		}
		for _, c := range g.connections(which) {
			g.work.Go(func() { c.check(ctx) }) // one that waits for its client holds no other up
		}
	}
}

// check ends a connection that is not allowed any more. What can't be found out just now changes nothing.
func (c *connection) check(ctx context.Context) {
	p, err := c.g.Store.SSHKeyPerson(ctx, c.key)
	if kind := store.KindOf(err); kind == store.NotFound || kind == store.Forbidden {
		c.end(errRevoked)
		return
	}
	if err != nil || c.instance == "" {
		return
	}
	in, err := c.g.Store.Instance(ctx, c.instance)
	if err != nil {
		return
	}
	switch {
	case !mayEnter(p, in):
		c.end(errRevoked)
	case in.State.Ended():
		c.end(errEnding)
	case in.State == life.Stopping:
		if c.first() {
			c.tell(errEnding)
		}
	}
}

// end says why and closes the connection, and with it all that it runs. A client that does not read is not waited for.
func (c *connection) end(why error) {
	closing := time.AfterFunc(endTime, func() { _ = c.conn.Close() })
	defer closing.Stop()
	if c.first() {
		c.tell(why)
	}
	_ = c.conn.Close()
}

// first reports, once, that nothing was said yet.
func (c *connection) first() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := !c.told
	c.told = true
	return first
}

// endTime is how long last words may take.
const endTime = time.Second
