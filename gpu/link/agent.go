package link

import (
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/gorilla/websocket"
	"github.com/hashicorp/yamux"

	"github.com/meterhouse/meterhouse/gpu"
)

const (
	// firstWait and longestWait bound how long an agent waits before it dials again; each wait is up to twice the last.
	firstWait   = 250 * time.Millisecond
	longestWait = 15 * time.Second
	// servedAtOnce bounds the calls under way at an agent.
	servedAtOnce = 4096
)

// Agent serves this machine to a console. All but Source, Trust, Join, Log and Joined is needed.
type Agent struct {
	Console  *url.URL // https, or http to this machine alone
	Trust    *tls.Config
	Key      ed25519.PrivateKey
	Join     string // makes the key known, once
	Name     string // of this machine
	Build    string
	Executor gpu.Executor
	Source   gpu.Source       // nil: no GPUs
	Now      func() time.Time // the machine's own clock, which the executor's shims know too
	Log      *slog.Logger
	// Joined is told what the console calls this node, each time it is taken in; the token is not needed any more.
	Joined func(node string) error

	version int // instead of Protocol, for tests
	record  *recorder
}

func (a *Agent) protocol() int {
	if a.version != 0 {
		return a.version
	}
	return Protocol
}

// Run dials and serves until ctx ends, and again whenever the line is down. It fails where the console will refuse this agent
// whatever time passes. Instances go on. It may be called once.
func (a *Agent) Run(ctx context.Context) error {
	if a.Log == nil {
		a.Log = slog.New(slog.DiscardHandler)
	}
	a.record = newRecorder(a.Source)
	recording, cancel := context.WithCancel(ctx)
	var work crew
	defer work.wait()
	defer cancel()
	work.start(func() { a.record.run(recording) })
	wait, said := firstWait, ""
	for {
		served, err := a.connect(ctx)
		var refusal *Refusal
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &refusal) && refusal.Final:
			return err
		case err != nil && err.Error() != said:
			said = err.Error()
			a.Log.Warn("no line to the console; this machine's work goes on", "console", a.Console.String(), "error", err)
		}
		if served {
			wait, said = firstWait, ""
		}
		if !sleep(ctx, wait/2+rand.N(wait/2)) {
			return nil
		}
		wait = min(2*wait, longestWait)
	}
}

// connect dials once, and serves until the line is down.
func (a *Agent) connect(ctx context.Context) (served bool, err error) {
	target := *a.Console
	target.Path = Path
	switch target.Scheme {
	case "https":
		target.Scheme = "wss"
	default:
		target.Scheme = "ws"
	}
	trust := &tls.Config{}
	if a.Trust != nil {
		trust = a.Trust.Clone()
	}
	trust.MinVersion = tls.VersionTLS13
	dialer := websocket.Dialer{TLSClientConfig: trust, HandshakeTimeout: helloPatience, Proxy: http.ProxyFromEnvironment}
	dialing, cancel := context.WithTimeout(ctx, helloPatience)
	defer cancel()
	ws, answer, err := dialer.DialContext(dialing, target.String(), nil)
	if err != nil {
		if answer != nil {
			_ = answer.Body.Close()
			return false, fmt.Errorf("the console answered %s: %w", answer.Status, err)
		}
		return false, err
	}
	l := newLine(ws)
	defer func() { _ = l.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	if err := ws.SetReadDeadline(time.Now().Add(helloPatience)); err != nil {
		return false, err
	}
	node, err := a.introduce(l)
	if err != nil {
		return false, err
	}
	if a.Joined != nil {
		if err := a.Joined(node); err != nil {
			return false, err
		}
	}
	a.Join = ""
	if err := ws.SetReadDeadline(time.Time{}); err != nil {
		return false, err
	}
	a.Log.Info("line to the console", "console", a.Console.String(), "node", node)
	return true, a.serve(ctx, l)
}

// serve answers calls until the line is down, and returns when each has ended.
func (a *Agent) serve(ctx context.Context, l *line) error {
	mux, err := yamux.Server(l, muxConfig())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var calls crew
	defer calls.wait()
	defer cancel()
	defer func() { _ = mux.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = mux.Close() })
	defer stop()
	room := make(chan struct{}, servedAtOnce)
	for {
		raw, err := mux.AcceptStream()
		if err != nil {
			return fmt.Errorf("the line is down: %w", err)
		}
		room <- struct{}{}
		calls.start(func() {
			defer func() { <-room }()
			a.answer(ctx, raw)
		})
	}
}

// sleep waits, and reports whether ctx still goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
