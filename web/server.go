// Package web is everything that listens: pages, the API, the live charts, terminals, and the mail that leaves. It may
// import store, gpu, gpu/fleet, views and static, and is the only package that knows echo and status codes. Its rules:
// routes.go is the one table of what exists and who may; a handler returns its error and errors.go alone turns it into an
// answer; nothing in a request waits for hardware.
package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/crypto/ssh"
	"golang.org/x/sync/errgroup"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/gateway"
	"github.com/meterhouse/meterhouse/web/mail"
)

// Config is what a Server works with. Store, Fleet and Now are needed.
type Config struct {
	Store *store.Store
	Fleet Fleet
	Now   func() time.Time
	Log   *slog.Logger
	// Listen is host:port; port 0 chooses a free one.
	Listen string
	// BaseURL is how people reach the console, e.g. "https://gpu.example.com"; "" where they reach it by Listen.
	BaseURL string
	// AppsURL is where each instance's port has an origin of its own, e.g. "https://*.apps.example"; "": they are below the console's own
	// address, in a sandbox of the browser. It needs BaseURL.
	AppsURL string
	// TLSCert and TLSKey are PEM files; both or none.
	TLSCert, TLSKey string
	// Mail says where mail goes; its zero value sends none, and what is due waits.
	Mail mail.Config
	// RequestsPerSecond bounds one caller; 0: DefaultRequestsPerSecond, below 0: no bound.
	RequestsPerSecond int
	// BenchArgv is the command line of a benchmark run, given its id; nil where this console can run none.
	BenchArgv func(b Bench) []string
	Version   string // of this build, for health
	// Link is where agents of other machines arrive; nil: there are none.
	Link http.Handler
	// SSHListen is host:port of the SSH gateway, "" for none; it needs SSHKey, the host key.
	SSHListen string
	SSHKey    ssh.Signer
}

// Bench is what a benchmark run is told.
type Bench struct {
	ID, Suite, Backend  string
	Size, Seed, Seconds int64
}

// Server is the console's web server.
type Server struct {
	store        *store.Store
	fleet        Fleet
	now          func() time.Time
	log          *slog.Logger
	config       Config
	base         *url.URL
	apps         *url.URL // of apps' own origins, its Host begins with a dot; nil: there are none
	echo         *echo.Echo
	listener     net.Listener
	hub          *hub
	mailer       *mail.Mailer
	limits       limiter
	secrets      secrets
	sockets      sockets
	visits       visits
	appTransport *http.Transport
	gateway      *gateway.Gateway       // nil: none
	describe     func() ([]byte, error) // openapi.json, made once
	zones        sync.Map               // name → *time.Location: loading one reads a file
	setUp        atomic.Bool            // known to be set up: it never goes back
}

// New makes a Server; it listens only in Listen or Run.
func New(c Config) (*Server, error) {
	switch {
	case c.Store == nil:
		return nil, errors.New("web: no store")
	case c.Fleet == nil:
		return nil, errors.New("web: no fleet")
	case c.Now == nil:
		return nil, errors.New("web: no clock")
	case c.SSHListen != "" && c.SSHKey == nil:
		return nil, errors.New("web: the SSH gateway needs a host key")
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return nil, errors.New("web: a TLS certificate needs its key, and a key its certificate: give both --tls-cert and --tls-key")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Listen == "" {
		c.Listen = "127.0.0.1:8080"
	}
	s := &Server{store: c.Store, fleet: c.Fleet, now: c.Now, log: c.Log, config: c}
	if err := s.setBase(c.BaseURL); err != nil {
		return nil, err
	}
	if err := s.setApps(c.AppsURL); err != nil {
		return nil, err
	}
	if c.Mail.Site == "" {
		c.Mail.Site = s.BaseURL()
	}
	mailer, err := mail.New(c.Mail, c.Store, c.Now, c.Log)
	if err != nil {
		return nil, err
	}
	s.mailer = mailer
	s.hub = newHub(s)
	s.limits = newLimiter(c.RequestsPerSecond, c.Now)
	s.visits.now, s.appTransport = c.Now, s.newAppTransport()
	s.secrets = secrets{now: c.Now}
	s.describe = sync.OnceValues(func() ([]byte, error) { return json.Marshal(document(routes)) })
	s.echo = s.newEcho()
	if c.SSHListen != "" {
		s.gateway = gateway.New(gateway.Config{Store: c.Store, Fleet: c.Fleet, Now: c.Now, Log: c.Log, Listen: c.SSHListen, HostKey: c.SSHKey, Explain: explainInside})
	}
	return s, nil
}

// setBase works out the console's own address from what was given.
func (s *Server) setBase(given string) error {
	if given == "" {
		return nil
	}
	u, err := url.Parse(strings.TrimRight(given, "/"))
	if err != nil || u.Host == "" || u.Path != "" || u.RawQuery != "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("web: the base URL %q must be http(s)://host[:port] without a path", given)
	}
	s.base = u
	return nil
}

// BaseURL is the console's address as people type it, without a slash at its end.
func (s *Server) BaseURL() string {
	if s.base != nil {
		return s.base.String()
	}
	scheme, host := "http", s.config.Listen
	if s.config.TLSCert != "" {
		scheme = "https"
	}
	if s.listener != nil {
		host = s.listener.Addr().String()
	}
	if name, port, err := net.SplitHostPort(host); err == nil {
		if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
			host = net.JoinHostPort("localhost", port)
		}
	}
	return scheme + "://" + host
}

// Handler serves everything, for tests; the live charts need Run.
func (s *Server) Handler() http.Handler { return s.echo }

// Listen opens the port, so that a port in use is known before anything is started. Run does it where it was not done.
func (s *Server) Listen() error {
	if s.listener != nil {
		return nil
	}
	l, err := net.Listen("tcp", s.config.Listen)
	if err != nil {
		return fmt.Errorf("can't listen on %s (is another program using it? choose another with --listen): %w", s.config.Listen, err)
	}
	s.listener = l
	if s.gateway != nil {
		return s.gateway.Listen()
	}
	return nil
}

// Addr is the address that Listen opened, nil before.
func (s *Server) Addr() net.Addr {
	if s.listener == nil {
		return nil
	}
	return s.listener.Addr()
}

const (
	// drainTime is how long requests may go on after the end was asked for; the whole console must end within 10 s.
	drainTime = 7 * time.Second
	// headerTime bounds how slowly a client may send its request's head.
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	maxHeader  = 64 << 10 // bytes
)

// Run serves until ctx ends; then sockets are closed, requests finished, and it returns nil. Instances go on.
func (s *Server) Run(ctx context.Context) error {
	if err := s.Listen(); err != nil {
		return err
	}
	s.warnWithoutTLS()
	server := &http.Server{
		Handler: s.echo, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		TLSConfig: tlsConfig(), ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		var err error
		if s.config.TLSCert != "" {
			err = server.ServeTLS(s.listener, s.config.TLSCert, s.config.TLSKey)
		} else {
			err = server.Serve(s.listener)
		}
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return fmt.Errorf("web: %w", err)
	})
	group.Go(func() error { return s.hub.run(ctx) })
	if s.gateway != nil {
		group.Go(func() error { return s.gateway.Run(ctx) })
	}
	group.Go(func() error { return s.mailer.Run(ctx) })
	group.Go(func() error {
		<-ctx.Done()
		s.sockets.closeAll()
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		if err := server.Shutdown(drain); err != nil {
			return errors.Join(err, server.Close())
		}
		return nil
	})
	err := group.Wait()
	s.sockets.wait()
	s.appTransport.CloseIdleConnections()
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("some requests did not end in time and were cut", "after", drainTime)
		return nil
	}
	return err
}
