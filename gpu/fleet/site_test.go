package fleet

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/process"
	"github.com/meterhouse/meterhouse/gpu/sim"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/meter"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// patience is how long a test waits for what should happen at once, on a machine that is busy.
const patience = 20 * time.Second

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "shim" {
		os.Exit(process.Shim(os.Args[2:]))
	}
	code := m.Run()
	if left := leaked(); left != "" {
		fmt.Fprintf(os.Stderr, "goroutines are left:\n%s\n", left)
		code = max(code, 1)
	}
	os.Exit(code)
}

// site is a console without its web server: a store with a clock moved by hand, simulated GPUs, an executor, and one fleet
// after another.
type site struct {
	t        *testing.T
	dir      string // the store's
	store    *store.Store
	clock    *storetest.Clock
	memory   *memoryExecutor // nil with another executor
	executor gpu.Executor
	source   gpu.Source
	person   store.Person
	fleet    *Fleet // the one that runs now
	end      func()
}

// newSite makes a site with simulated GPUs as a file's text says; "" is the built-in four.
func newSite(t *testing.T, simulation string) *site {
	t.Helper()
	s := &site{t: t}
	s.dir, s.clock = t.TempDir(), storetest.NewClock()
	s.store = storetest.OpenDir(t, s.dir, s.clock)
	s.memory = newMemoryExecutor(s.clock.Now)
	s.executor = s.memory
	s.person = s.add("member", store.Manager)
	file := ""
	if simulation != "" {
		file = filepath.Join(t.TempDir(), "sim.json")
		if err := os.WriteFile(file, []byte(simulation), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source, err := sim.Open(sim.Config{File: file, Now: s.clock.Now, Load: func(uuid string) (time.Duration, int64, bool) { return s.fleet.Load(uuid) }})
	if err != nil {
		t.Fatal(err)
	}
	s.source = source
	t.Cleanup(func() {
		s.drop()
		if err := source.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *site) add(name string, role store.Role) store.Person {
	s.t.Helper()
	p, err := s.store.AddPerson(context.Background(), store.NewPerson{Name: name, Email: name + "@example.com", Role: role, Team: "research"})
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// start runs a new fleet, as a console's start does, and waits until it is ready.
func (s *site) start() {
	s.t.Helper()
	f, err := New(Config{Store: s.store, Source: s.source, Executor: s.executor, Node: "here", Now: s.clock.Now, Log: slog.New(slog.NewTextHandler(testLog{s.t}, nil))})
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	s.fleet = f
	go func() { done <- f.Run(ctx) }()
	s.end = func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Errorf("the fleet ended with: %v", err)
		}
	}
	s.until("the fleet is ready", f.Ready)
}

// drop ends the fleet as a kill does: nothing is stopped.
func (s *site) drop() {
	if s.end != nil {
		s.end()
		s.end = nil
	}
}

type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// until waits for a condition.
func (s *site) until(what string, holds func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("not after %v: %s", patience, what)
		}
	}
}

func (s *site) rent(r store.RentRequest) store.Instance {
	s.t.Helper()
	r.PersonID = s.person.ID
	if r.GPUCount == 0 && r.PlanID == "" && !r.CPUOnly {
		r.GPUCount = 1
	}
	inst, _, err := s.store.Rent(context.Background(), r)
	if err != nil {
		s.t.Fatalf("rent: %v", err)
	}
	return inst
}

func (s *site) instance(id string) store.Instance {
	s.t.Helper()
	inst, err := s.store.Instance(context.Background(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return inst
}

// reaches waits until an instance is in a state.
func (s *site) reaches(id string, state life.State) store.Instance {
	s.t.Helper()
	var inst store.Instance
	s.until(fmt.Sprintf("%s is %s", id, state), func() bool {
		inst = s.instance(id)
		return inst.State == state
	})
	return inst
}

func (s *site) running(r store.RentRequest) store.Instance {
	s.t.Helper()
	return s.reaches(s.rent(r).ID, life.Running)
}

func (s *site) stop(id string) {
	s.t.Helper()
	if _, err := s.store.RequestStop(context.Background(), id, s.person.ID, "by_person"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) gpu(uuid string) store.GPU {
	s.t.Helper()
	g, err := s.store.GPU(context.Background(), uuid)
	if err != nil {
		s.t.Fatal(err)
	}
	return g
}

// spans are the lines of an instance's bill, without what the minimum adds.
func (s *site) spans(id string) []meter.Line {
	s.t.Helper()
	return slices.DeleteFunc(s.bill(id).Lines, func(l meter.Line) bool { return l.Minimum })
}

func (s *site) bill(id string) meter.Bill {
	s.t.Helper()
	b, err := s.store.Bill(context.Background(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// happened reports whether an instance has an event of a kind.
func (s *site) happened(id, kind string) bool {
	s.t.Helper()
	events, err := s.store.InstanceEvents(context.Background(), id, 100)
	if err != nil {
		s.t.Fatal(err)
	}
	return slices.ContainsFunc(events, func(e store.InstanceEvent) bool { return e.Kind == kind })
}

// phase is what the memory executor says of an instance; "" if it does not know it.
func (s *site) phase(id string) gpu.Phase {
	st, err := s.memory.State(context.Background(), id)
	if err != nil {
		return ""
	}
	return st.Phase
}

// leaked waits a moment for the last goroutines of this package to end, and returns those that don't.
func leaked() (left string) {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if left = ours(); left == "" {
			break
		}
	}
	return left
}

// ours are the stacks of goroutines that were started in package fleet, tests aside.
func ours() string {
	buffer := make([]byte, 1<<20)
	buffer = buffer[:runtime.Stack(buffer, true)]
	var left []string
	for stack := range strings.SplitSeq(string(buffer), "\n\n") {
		if strings.Contains(stack, "created by github.com/meterhouse/meterhouse/gpu/fleet.(") && !strings.Contains(stack, "_test.go") {
			left = append(left, stack)
		}
	}
	return strings.Join(left, "\n\n")
}
