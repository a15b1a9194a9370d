package link

import (
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/gputest"
	"github.com/meterhouse/meterhouse/gpu/process"
	"github.com/meterhouse/meterhouse/gpu/sim"
)

// rig is a console and an agent with a real TLS websocket between them.
type rig struct {
	t       *testing.T
	console *Console
	node    *Node
	server  *httptest.Server
	agent   *Agent
	stop    func() // ends the agent and the console; may be called again
	ended   chan error
}

// newRig starts both, and does not wait for the line.
func newRig(t *testing.T, x gpu.Executor, s gpu.Source, change func(*rig)) *rig {
	t.Helper()
	r := &rig{t: t, node: NewNode("far", time.Now), ended: make(chan error, 1)}
	r.console = &Console{Build: "console-build", Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Admit: func(context.Context, Claim) (*Node, error) { return r.node, nil }}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	r.agent = &Agent{Key: key, Name: "far", Build: "agent-build", Executor: x, Source: s, Now: time.Now}
	r.server = httptest.NewUnstartedServer(r.console)
	r.server.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	r.server.StartTLS()
	roots := x509.NewCertPool()
	roots.AddCert(r.server.Certificate())
	r.agent.Trust = &tls.Config{RootCAs: roots}
	if r.agent.Console, err = url.Parse(r.server.URL); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.ended <- r.agent.Run(ctx)
	}()
	r.stop = sync.OnceFunc(func() {
		cancel()
		<-done
		r.server.Close()
		for !r.gone() {
			time.Sleep(time.Millisecond)
		}
	})
	t.Cleanup(r.stop)
	return r
}

func (r *rig) gone() bool { return !r.node.Info().Connected }

// connected waits for the line, and until both ends use it.
func (r *rig) connected() *rig {
	r.t.Helper()
	for limit := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if r.node.Info().Connected && errors.Is(r.node.Executor().Signal(r.t.Context(), "nobody", 0), gpu.ErrNoInstance) {
			return r
		}
		if time.Now().After(limit) {
			r.t.Fatal("no line within a minute")
		}
	}
}

func processes(t *testing.T, dir string) gpu.Executor {
	t.Helper()
	x, err := process.New(process.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestANodeIsAnExecutor passes the suite over two lines, as two consoles after each other would have.
func TestANodeIsAnExecutor(t *testing.T) {
	dir := t.TempDir()
	lines := []*rig{newRig(t, processes(t, dir), nil, nil).connected(), newRig(t, processes(t, dir), nil, nil).connected()}
	next := 0
	var mu sync.Mutex
	gputest.Executor(t, func(t *testing.T) gpu.Executor {
		mu.Lock()
		defer mu.Unlock()
		next++
		return lines[next%len(lines)].node.Executor()
	}, dir)
}

// withLine is a source whose Close puts its line and its agent's source away too.
type withLine struct {
	gpu.Source
	stop func() error
}

func (w withLine) Close() error { return errors.Join(w.Source.Close(), w.stop()) }

func TestANodeIsASource(t *testing.T) {
	const inOrder = `"devices": [{"id": "a", "model": "A100-SXM4-80GB", "pci_bus_id": "00000000:17:00.0"},
		{"id": "b", "model": "L4", "pci_bus_id": "00000000:3B:00.0"}, {"id": "c", "model": "GeForce RTX 4090", "pci_bus_id": "00000000:5E:00.0"}]`
	const otherOrder = `"devices": [{"id": "c", "model": "GeForce RTX 4090", "pci_bus_id": "00000000:5E:00.0"},
		{"id": "a", "model": "A100-SXM4-80GB", "pci_bus_id": "00000000:17:00.0"}, {"id": "b", "model": "L4", "pci_bus_id": "00000000:3B:00.0"}]`
	gputest.Source(t, func(t *testing.T) gputest.Hardware {
		clock := &steps{t: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
		path := filepath.Join(t.TempDir(), "sim.json")
		var real *sim.Source
		boot := func(devices string) gpu.Source {
			if err := os.WriteFile(path, []byte(`{"version": 1, `+devices+`}`), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := sim.Open(sim.Config{File: path, Now: clock.now})
			if err != nil {
				t.Fatal(err)
			}
			real = s
			r := newRig(t, processes(t, t.TempDir()), s, nil).connected()
			return withLine{r.node.Source(), func() error { r.stop(); return s.Close() }}
		}
		s := boot(inOrder)
		return gputest.Hardware{Source: s, Pass: clock.pass,
			Break: func(uuid string, f gputest.Fault) {
				real.Break(uuid, string(f), 0)
				clock.pass()
			},
			Mend: func(uuid string, f gputest.Fault) { real.Mend(uuid, string(f)) },
			Xid:  func(uuid string, code int) { real.Break(uuid, "xid", code) },
			Reboot: func() gpu.Source {
				_ = s.Close() // it has been used
				return boot(otherOrder)
			}}
	})
}

// steps is a clock that each pass moves on.
type steps struct {
	mu sync.Mutex
	t  time.Time
}

func (s *steps) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.t
}

func (s *steps) pass() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.t = s.t.Add(time.Second)
}
