// Package gateway lets people into their instances by SSH: `ssh NAME@console`, with the keys of their settings. It may import
// store, gpu and web/lang. The rules it keeps: a key says who somebody is, and only then is looked which instance they mean, so
// that who has no key of ours learns nothing; who may enter is the rule of the terminal, asked again while they are inside; all
// that runs, and all that is dialed, runs and is dialed in the instance, never here.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
)

// Fleet is the way into running instances.
type Fleet interface {
	Exec(ctx context.Context, instanceID string, req gpu.ExecRequest) (gpu.Exit, error)
	Dial(ctx context.Context, instanceID, network, address string) (net.Conn, error)
}

// Config is what a Gateway works with. All is needed.
type Config struct {
	Store   *store.Store
	Fleet   Fleet
	Now     func() time.Time
	Log     *slog.Logger
	Listen  string // host:port
	HostKey ssh.Signer
	Explain func(error) *store.Error // what went wrong, by a key that web/lang has words for
}

// Gateway is the SSH server.
type Gateway struct {
	Config
	server   *ssh.ServerConfig
	listener net.Listener
	guard    guard
	work     sync.WaitGroup // one for each connection

	mu   sync.Mutex
	open map[*connection]bool
}

// New makes a Gateway; Listen opens its port.
func New(c Config) *Gateway {
	g := &Gateway{Config: c, guard: guard{now: c.Now}, open: map[*connection]bool{}}
	g.server = g.protocol()
	return g
}

// Listen opens the port, so that one in use is known before anything is started.
func (g *Gateway) Listen() error {
	l, err := net.Listen("tcp", g.Config.Listen)
	if err != nil {
		return fmt.Errorf("can't listen for SSH on %s (is another program using it? choose another with --ssh-listen): %w", g.Config.Listen, err)
	}
	g.listener = l
	return nil
}

// Port is the port that Listen opened.
func (g *Gateway) Port() int {
	if a, ok := g.listener.Addr().(*net.TCPAddr); ok {
		return a.Port
	}
	return 0
}

// Run serves until ctx ends; then every session is told so and ends. Instances go on.
func (g *Gateway) Run(ctx context.Context) error {
	var loops sync.WaitGroup
	loops.Go(func() { g.watch(ctx) })
	loops.Go(func() {
		<-ctx.Done()
		_ = g.listener.Close() // ends the loop below
	})
	for {
		c, err := g.listener.Accept()
		if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
			if c != nil {
				_ = c.Close()
			}
			break
		}
		if err != nil { // out of descriptors: the next one may be luckier
			time.Sleep(acceptPause)
			continue
		}
		g.work.Go(func() { g.serve(ctx, c) })
	}
	loops.Wait()
	g.work.Wait()
	return nil
}

const (
	acceptPause   = 50 * time.Millisecond
	handshakeTime = 20 * time.Second
	// aliveEvery is how often an idle client is asked whether it is there; one that answers nothing for as long again is gone.
	aliveEvery = 30 * time.Second
)

// serve takes one connection from its handshake to its end.
func (g *Gateway) serve(ctx context.Context, raw net.Conn) {
	defer func() { _ = raw.Close() }()
	from := host(raw.RemoteAddr())
	if !g.guard.enter(from) {
		return // without a word: words would cost more than the connection
	}
	stop := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Now()) })
	_ = raw.SetDeadline(time.Now().Add(handshakeTime))
	conn, channels, requests, err := ssh.NewServerConn(raw, g.server)
	g.guard.leave(from, err != nil)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		g.Log.Debug("no SSH connection", "from", from, "error", err)
		return
	}
	_ = raw.SetDeadline(time.Time{})
	c := &connection{g: g, conn: conn, from: from, sessions: map[*session]bool{}}
	c.serve(ctx, channels, requests)
}

// host is an address without its port.
func host(a net.Addr) string {
	h, _, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	return h
}
