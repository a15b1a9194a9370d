// Package webtest starts a whole console without hardware and processes for the tests of web: the real server on a real
// port, a real store with a clock moved by hand, and a Fleet that keeps its instances in memory. It imports web and
// store/storetest, and is imported by tests alone.
package webtest

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
	"github.com/meterhouse/meterhouse/web"
)

// Site is a running console with people in two teams.
type Site struct {
	storetest.Seeded
	Viewer, Manager, Stranger store.Person // Stranger is a member of another team
	Store                     *store.Store
	Clock                     *storetest.Clock
	Fleet                     *Fleet
	Server                    *web.Server
	URL                       string
	stop                      func()
}

// Start starts a console; it ends with the test. Each change may change its configuration before.
func Start(t testing.TB, change ...func(*web.Config)) *Site {
	t.Helper()
	s := seed(t)
	s.Fleet = NewFleet(s.Store, s.Clock.Now)
	s.serve(t, change...)
	return s
}

// seeded is a database with people and GPUs in it. Hashing passwords is slow on purpose, so that it is made once and copied.
var seeded struct {
	once sync.Once
	file []byte
	site Site
}

const databaseFile = "meterhouse.db"

func seed(t testing.TB) *Site {
	t.Helper()
	seeded.once.Do(func() {
		dir, first := t.TempDir(), &seeded.site
		first.open(t, dir)
		first.Seeded = storetest.Seed(t, first.Store)
		first.Viewer = first.person(t, "viewer", store.Viewer, first.Team.Name)
		first.Manager = first.person(t, "manager", store.Manager, first.Team.Name)
		first.Stranger = first.person(t, "stranger", store.Member, "physics")
		err := first.Store.Close() // writes everything into the one file
		if err == nil {
			seeded.file, err = os.ReadFile(filepath.Join(dir, databaseFile))
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	s, dir := seeded.site, t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, databaseFile), seeded.file, 0o600); err != nil {
		t.Fatal(err)
	}
	s.open(t, dir)
	t.Cleanup(func() {
		if err := s.Store.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	return &s
}

func (s *Site) open(t testing.TB, dir string) {
	t.Helper()
	s.Clock = &storetest.Clock{}
	s.Clock.Set(storetest.Start)
	var err error
	if s.Store, err = store.Open(context.Background(), store.Config{Path: dir, Now: s.Clock.Now}); err != nil {
		t.Fatal(err)
	}
}

// StartEmpty starts a console that nobody has set up.
func StartEmpty(t testing.TB) *Site {
	t.Helper()
	s := &Site{}
	s.Store, s.Clock = storetest.Open(t)
	s.Fleet = NewFleet(s.Store, s.Clock.Now)
	s.serve(t)
	return s
}

func (s *Site) person(t testing.TB, name string, role store.Role, team string) store.Person {
	t.Helper()
	p, err := s.Store.AddPerson(context.Background(), store.NewPerson{Name: name, Email: name + "@example.org", Role: role, Team: team})
	if err != nil {
		t.Fatalf("add %s: %v", name, err)
	}
	return p
}

func (s *Site) serve(t testing.TB, change ...func(*web.Config)) {
	t.Helper()
	c := web.Config{Store: s.Store, Fleet: s.Fleet, Now: s.Clock.Now, Listen: "127.0.0.1:0", Log: slog.New(slog.NewTextHandler(logWriter{t}, nil)), RequestsPerSecond: -1,
		BenchArgv: func(b web.Bench) []string { return []string{"/bin/gpubench", "--suite", b.Suite} }, Version: "test"}
	for _, f := range change {
		f(&c)
	}
	var err error
	if s.Server, err = web.New(c); err != nil {
		t.Fatal(err)
	}
	if err := s.Server.Listen(); err != nil {
		t.Fatal(err)
	}
	s.URL = s.Server.BaseURL()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Server.Run(ctx) }()
	stopped := false
	s.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(15 * time.Second):
			t.Error("the server did not end")
		}
	}
	t.Cleanup(s.Stop)
}

// Stop ends the server as SIGTERM does, and waits for it.
func (s *Site) Stop() {
	http.DefaultClient.CloseIdleConnections()
	s.stop()
}

// logWriter puts the server's log into the test's.
type logWriter struct{ t testing.TB }

func (w logWriter) Write(p []byte) (int, error) {
	if w.t.Context().Err() == nil { // a test's log is closed when it has ended
		w.t.Logf("%s", p)
	}
	return len(p), nil
}

// Running rents an instance with one GPU for a person and makes it run.
func (s *Site) Running(t testing.TB, p store.Person, name string) store.Instance {
	t.Helper()
	ctx := context.Background()
	in, _, err := s.Store.Rent(ctx, store.RentRequest{PersonID: p.ID, Name: name, GPUModel: s.GPUs[0].Model, GPUCount: 1, Kind: store.OnDemand, Command: "sleep 1000"})
	if err == nil {
		err = s.Store.MarkRunning(ctx, in.ID, s.Clock.Now())
	}
	if err == nil {
		in, err = s.Store.Instance(ctx, in.ID)
	}
	if err != nil {
		t.Fatalf("rent %s: %v", name, err)
	}
	return in
}
