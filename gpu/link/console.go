package link

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
	"github.com/hashicorp/yamux"
)

// Path is where a console waits for agents.
const Path = "/link"

// Console takes agents in: an http.Handler whose requests last as long as the agent's line.
type Console struct {
	Build string
	Now   func() time.Time // the billing clock: what agents tell of times is moved to it
	Log   *slog.Logger
	// Admit says which node an agent is. A *Refusal reaches the agent in its words.
	Admit func(context.Context, Claim) (*Node, error)

	version int // instead of Protocol, for tests
}

func (c *Console) protocol() int {
	if c.version != 0 {
		return c.version
	}
	return Protocol
}

var upgrader = websocket.Upgrader{
	HandshakeTimeout: helloPatience,
	// A browser sends its origin; an agent is none.
	CheckOrigin: func(r *http.Request) bool { return r.Header.Get("Origin") == "" },
}

// ServeHTTP takes one agent in and returns when its line is down.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !private(r) {
		http.Error(w, "an agent reaches the console by TLS 1.3; without it from this machine alone", http.StatusUpgradeRequired)
		return
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // it has answered
	}
	if err := c.take(r.Context(), newLine(ws)); err != nil {
		c.Log.Warn("an agent's line is down", "remote", r.RemoteAddr, "error", err)
	}
}

// private reports whether nobody on the way can read along. A proxy on this machine may end TLS.
func private(r *http.Request) bool {
	if r.TLS != nil {
		return r.TLS.Version >= tls.VersionTLS13
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}

func (c *Console) take(ctx context.Context, l *line) error {
	defer func() { _ = l.Close() }()
	if err := l.ws.SetReadDeadline(time.Now().Add(helloPatience)); err != nil {
		return err
	}
	claim, shift, err := c.greet(l)
	if err != nil {
		return err
	}
	admitting, cancel := context.WithTimeout(ctx, helloPatience)
	defer cancel()
	node, err := c.Admit(admitting, claim)
	out := &frameWriter{w: l}
	if err != nil {
		return errors.Join(err, refuse(out, err))
	}
	if err := out.sendJSON(frameHello, verdict{Node: node.name}); err != nil {
		return err
	}
	if err := l.ws.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	mux, err := yamux.Client(l, muxConfig())
	if err != nil {
		return err
	}
	s := &session{mux: mux, claim: claim, opening: make(chan struct{}, openingAtOnce)}
	s.clock.begin(shift, c.Now())
	return node.hold(ctx, s)
}
