package gateway

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/lang"
)

// connection is one client that has proven a key.
type connection struct {
	g    *Gateway
	conn *ssh.ServerConn
	from string
	work sync.WaitGroup // one for each channel, and the keepalive

	person   store.Person // does not change, but for what is asked again
	key      string       // the id of the key in use
	instance string       // its id; "" where they can't enter what they asked for
	refused  error        // why not

	mu       sync.Mutex
	sessions map[*session]bool
	channels int
	told     bool // why it ends
}

// opened is the audit's word for somebody entering an instance by SSH.
const opened = "ssh_opened"

// serve finds out where the person wants to go and serves channels until the connection ends.
func (c *connection) serve(ctx context.Context, channels <-chan ssh.NewChannel, requests <-chan *ssh.Request) {
	defer c.work.Wait()
	defer func() { _ = c.conn.Close() }()
	c.work.Go(func() { ssh.DiscardRequests(requests) }) // remote forwarding among them: refused
	stopping := context.AfterFunc(ctx, func() { c.end(errConsole) })
	defer stopping()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // words come before the end
	defer cancel()
	c.find(ctx)
	if c.refused == nil {
		c.refused = c.g.Store.Audit(ctx, store.AuditRecord{PersonID: c.person.ID, Action: opened, Target: c.instance, Detail: c.key, Addr: c.from})
	}
	if !c.g.admit(c) {
		c.refused = &store.Error{Kind: store.TooMany, Message: "too_many_sockets"}
	}
	defer c.g.dismiss(c)
	c.work.Go(func() { c.keepAlive(ctx) })
	for n := range channels {
		c.channel(ctx, n)
	}
}

// find resolves the name that was asked for, as one of the people whose key it is.
func (c *connection) find(ctx context.Context) {
	for _, id := range strings.Fields(c.conn.Permissions.Extensions[keyIDs]) {
		p, err := c.g.Store.SSHKeyPerson(ctx, id)
		if err != nil {
			c.refused = err
			continue
		}
		c.key, c.person = id, p
		in, err := c.g.find(ctx, p, c.conn.User())
		if c.refused = err; err == nil {
			c.instance = in.ID
			return
		}
	}
}

// keepAlive asks whether the client is still there. A network that is gone says nothing by itself.
func (c *connection) keepAlive(ctx context.Context) {
	tick := time.NewTicker(aliveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		gone := time.AfterFunc(aliveEvery, func() { _ = c.conn.Close() })
		_, _, err := c.conn.SendRequest("keepalive@openssh.com", true, nil)
		gone.Stop()
		if err != nil {
			return
		}
	}
}

// channel opens what the client asks for.
func (c *connection) channel(ctx context.Context, n ssh.NewChannel) {
	var serve func(context.Context, ssh.NewChannel)
	switch n.ChannelType() {
	case "session":
		serve = c.session
	case "direct-tcpip":
		serve = c.forward
	default:
		_ = n.Reject(ssh.UnknownChannelType, "not offered here")
		return
	}
	c.mu.Lock()
	full := c.channels >= maxChannels
	if !full {
		c.channels++
	}
	c.mu.Unlock()
	if full {
		_ = n.Reject(ssh.ResourceShortage, "too many channels")
		return
	}
	c.work.Go(func() {
		defer func() {
			c.mu.Lock()
			c.channels--
			c.mu.Unlock()
		}()
		serve(ctx, n)
	})
}

// words are an error's in the person's language.
func (c *connection) words(err error) string {
	t, ok := lang.Parse(c.person.Lang)
	if !ok {
		t = lang.Match("")
	}
	e := c.g.Explain(err)
	return t.Error(string(e.Message), e.Args)
}

// tell writes to every session.
func (c *connection) tell(err error) {
	text := c.words(err)
	c.mu.Lock()
	all := slices.Collect(maps.Keys(c.sessions))
	c.mu.Unlock()
	for _, s := range all {
		s.say(text)
	}
}
