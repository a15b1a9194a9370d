// Package storetest opens stores for the tests of other packages, with a clock that is moved by hand.
package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// Start is when a new Clock stands: a Monday, 09:00 UTC.
var Start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// Clock is moved by hand. It is safe for concurrent use.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Set moves the clock to t.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = t
}

// Advance moves the clock on and returns its new time.
func (c *Clock) Advance(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	return c.at
}

// Open opens a new, empty store that is closed when the test ends.
func Open(t testing.TB) (*store.Store, *Clock) {
	t.Helper()
	clock := NewClock()
	return OpenDir(t, t.TempDir(), clock), clock
}

// NewClock returns a clock that stands at Start.
func NewClock() *Clock { return &Clock{at: Start} }

// OpenDir opens the store of a directory, closed when the test ends: to open it again, or beside another.
func OpenDir(t testing.TB, dir string, clock *Clock) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), store.Config{Path: dir, Now: clock.Now})
	if err != nil {
		t.Fatalf("open store: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	return s
}

// Seeded is what Seed made.
type Seeded struct {
	Admin, Member store.Person
	Team          store.Team
	Node          store.Node
	GPUs          []store.GPU // four simulated A100
	Password      string      // of both people
}

// Password is that of both people of Seed.
const Password = "correct horse battery"

// GiB is 2^30 bytes.
const GiB = int64(1) << 30

// Seed makes team research with an admin and a member, and a local node with four simulated GPUs.
func Seed(t testing.TB, s *store.Store) Seeded {
	t.Helper()
	return seed(t, s, Password)
}

// SeedQuick is Seed with people who have no password: hashing takes most of its time.
func SeedQuick(t testing.TB, s *store.Store) Seeded {
	t.Helper()
	return seed(t, s, "")
}

func seed(t testing.TB, s *store.Store, password string) Seeded {
	t.Helper()
	ctx := context.Background()
	seeded := Seeded{Password: password}
	var err error
	must := func(what string) {
		t.Helper()
		if err != nil {
			t.Fatalf("seed %s: %v", what, err)
		}
	}
	seeded.Admin, err = s.AddPerson(ctx, store.NewPerson{Name: "admin", Email: "admin@example.org", Password: password, Role: store.Admin, Team: "research"})
	must("admin")
	seeded.Member, err = s.AddPerson(ctx, store.NewPerson{Name: "member", Email: "member@example.org", Password: password, Role: store.Member, Team: "research"})
	must("member")
	seeded.Team, err = s.Team(ctx, seeded.Member.TeamID)
	must("team")
	seeded.Node, err = s.EnsureNode(ctx, "local", true, "process", []store.NodeLimit{{Name: "cpu", Enforced: true, Detail: "cgroup"}})
	must("node")
	err = s.SeeGPUs(ctx, seeded.Node.ID, SimulatedGPUs(4), s.Now())
	must("GPUs")
	seeded.GPUs, err = s.GPUs(ctx)
	must("GPUs")
	return seeded
}

// Price sets what a plan costs on demand from now on.
func Price(t testing.TB, s *store.Store, planID string, microsPerHour int64) {
	t.Helper()
	if err := s.SetPrices(t.Context(), "", []store.PriceChange{{PlanID: planID, Kind: store.OnDemand, MicrosPerHour: microsPerHour}}, s.Now(), store.Request{}); err != nil {
		t.Fatal(err)
	}
}

// SimulatedGPUs returns n GPUs of one simulated model as a node would find them.
func SimulatedGPUs(n int) []store.GPU {
	found := make([]store.GPU, n)
	for k := range found {
		power := int64(400_000)
		found[k] = store.GPU{UUID: fmt.Sprintf("GPU-51a1ed00-0000-4000-8000-%012d", k), Model: "NVIDIA A100-SXM4-80GB", Vendor: "nvidia",
			PCIBusID: fmt.Sprintf("00000000:%02X:00.0", k+1), Driver: "simulated", Index: k, MemoryBytes: 80 * GiB, PowerLimitMilliwatts: &power, Simulated: true}
	}
	return found
}
