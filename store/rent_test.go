package store_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func kind(t *testing.T, err error, want store.Kind, field string) *store.Error {
	t.Helper()
	var e *store.Error
	if !errors.As(err, &e) || e.Kind != want || e.Field != field {
		t.Fatalf("got %v (kind %s), want kind %s of field %q", err, store.KindOf(err), want, field)
	}
	return e
}

// L1: of 64 people who ask at once exactly as many get a GPU as there are.
func TestOneGPUIsNeverInTwoInstances(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	var wg sync.WaitGroup
	var mu sync.Mutex
	got, full := map[string]int{}, 0
	for range 64 {
		wg.Go(func() {
			i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
			mu.Lock()
			defer mu.Unlock()
			switch store.KindOf(err) {
			case "":
				got[i.GPUs[0]]++
			case store.NoCapacity:
				full++
			default:
				t.Errorf("rent: %v", err)
			}
		})
	}
	wg.Wait()
	if len(got) != 4 || full != 60 {
		t.Errorf("%v got a GPU, %d were refused", got, full)
	}
}

func TestARequestThatIsWrongSaysWhichFieldIs(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	long, zero, minus := 366*24*time.Hour, time.Duration(0), -time.Hour
	labels := map[string]string{}
	for k := range 21 {
		labels[strings.Repeat("k", k+1)] = "v"
	}
	for _, c := range []struct {
		name, field string
		r           store.RentRequest
	}{
		{"nothing asked for", "gpu_count", store.RentRequest{}},
		{"negative count", "gpu_count", store.RentRequest{GPUCount: -1}},
		{"huge count", "gpu_count", store.RentRequest{GPUCount: 1 << 40}},
		{"a count that is no plan", "gpu_count", store.RentRequest{GPUCount: 3}},
		{"more than a node has", "gpu_count", store.RentRequest{GPUCount: 8}},
		{"unknown model", "gpu_model", store.RentRequest{GPUModel: "A20 (no such)"}},
		{"unknown plan", "plan", store.RentRequest{PlanID: "x"}},
		{"long name", "name", store.RentRequest{GPUCount: 1, Name: strings.Repeat("x", 61)}},
		{"enormous name", "name", store.RentRequest{GPUCount: 1, Name: strings.Repeat("x", 1<<20)}},
		{"a header in the name", "name", store.RentRequest{GPUCount: 1, Name: "\r\nBcc: a@example.com"}},
		{"markup in the name", "name", store.RentRequest{GPUCount: 1, Name: "<b>"}},
		{"a name that turns text around", "name", store.RentRequest{GPUCount: 1, Name: "a\u202eb"}},
		{"broken text", "name", store.RentRequest{GPUCount: 1, Name: "\xff\xfe"}},
		{"NUL in the command", "command", store.RentRequest{GPUCount: 1, Command: "a\x00b"}},
		{"enormous command", "command", store.RentRequest{GPUCount: 1, Command: strings.Repeat("x", 64<<10+1)}},
		{"NUL in an argument", "command", store.RentRequest{GPUCount: 1, Argv: []string{"/bin/true", "\x00"}}},
		{"no time", "hours", store.RentRequest{GPUCount: 1, Duration: &zero}},
		{"negative time", "hours", store.RentRequest{GPUCount: 1, Duration: &minus}},
		{"more than a year", "hours", store.RentRequest{GPUCount: 1, Duration: &long}},
		{"too many labels", "labels", store.RentRequest{GPUCount: 1, Labels: labels}},
		{"a label without a key", "labels", store.RentRequest{GPUCount: 1, Labels: map[string]string{"": "v"}}},
		{"unknown kind", "kind", store.RentRequest{GPUCount: 1, Kind: "free"}},
		{"spot without a GPU", "kind", store.RentRequest{CPUOnly: true, Kind: store.Spot}},
		{"a checkpoint on demand", "checkpoint_command", store.RentRequest{GPUCount: 1, CheckpointCommand: "true"}},
		{"NUL in the checkpoint", "checkpoint_command", store.RentRequest{GPUCount: 1, Kind: store.Spot, CheckpointCommand: "\x00"}},
		{"a GPU for CPU-only work", "gpu_count", store.RentRequest{GPUCount: 1, CPUOnly: true}},
		{"a GPU that is none", "gpus", store.RentRequest{GPUs: []string{"GPU-x"}}},
		{"a GPU twice", "gpus", store.RentRequest{GPUs: []string{seed.GPUs[0].UUID, seed.GPUs[0].UUID}}},
		{"a key with a line end", "idempotency_key", store.RentRequest{GPUCount: 1, IdempotencyKey: "a\nb"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.r.PersonID = seed.Member.ID
			_, _, err := s.Rent(ctx, c.r)
			kind(t, err, store.Invalid, c.field)
		})
	}
	if list, _, err := s.Instances(ctx, store.Filter{}); err != nil || len(list) != 0 {
		t.Errorf("something was rented: %v %v", list, err)
	}
	_, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUModel: "A20"})
	if e := kind(t, err, store.Invalid, "gpu_model"); e.Args["models"] != "NVIDIA A100-SXM4-80GB" {
		t.Errorf("what exists: %v", e.Args)
	}
}

func TestWhoMayRentAndStop(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	viewer, err := s.AddPerson(ctx, store.NewPerson{Name: "viewer", Email: "viewer@example.org", Role: store.Viewer, Team: "research"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.AddPerson(ctx, store.NewPerson{Name: "other", Email: "other@example.org", Team: "teaching"})
	if err != nil {
		t.Fatal(err)
	}
	colleague, err := s.AddPerson(ctx, store.NewPerson{Name: "colleague", Email: "colleague@example.org", Team: "research"})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Rent(ctx, store.RentRequest{PersonID: viewer.ID, GPUCount: 1})
	kind(t, err, store.Forbidden, "")
	_, _, err = s.Rent(ctx, store.RentRequest{PersonID: other.ID, TeamID: seed.Team.ID, GPUCount: 1})
	kind(t, err, store.NotFound, "team")
	_, _, err = s.Rent(ctx, store.RentRequest{PersonID: "p-none", GPUCount: 1})
	kind(t, err, store.NotFound, "")
	if i := rent(t, s, seed, store.RentRequest{PersonID: seed.Admin.ID, TeamID: other.TeamID, GPUCount: 1}); i.TeamID != other.TeamID {
		t.Errorf("the admin's instance is paid by %s", i.TeamName)
	}
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	_, err = s.RequestStop(ctx, i.ID, other.ID, "")
	kind(t, err, store.NotFound, "")
	for _, id := range []string{viewer.ID, colleague.ID} {
		_, err = s.RequestStop(ctx, i.ID, id, "")
		kind(t, err, store.Forbidden, "")
	}
	if err := s.DisablePerson(ctx, seed.Admin.ID, seed.Member.ID, true); err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
	kind(t, err, store.Forbidden, "")
	if _, err := s.RequestStop(ctx, i.ID, seed.Admin.ID, ""); err != nil {
		t.Errorf("the admin stops: %v", err)
	}
}

func TestTheSameKeyRentsOnce(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	r := store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1, Name: "one", IdempotencyKey: "k1", Labels: map[string]string{"a": "b", "c": "d"}}
	var wg sync.WaitGroup
	ids := make([]string, 16)
	var made int
	var mu sync.Mutex
	for k := range ids {
		wg.Go(func() {
			i, created, err := s.Rent(ctx, r)
			if err != nil {
				t.Errorf("rent: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			ids[k] = i.ID
			if created {
				made++
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("several instances: %v", ids)
		}
	}
	if made != 1 {
		t.Errorf("%d were told they made it", made)
	}
	r.Name = "another"
	_, _, err := s.Rent(ctx, r)
	kind(t, err, store.Conflict, "idempotency_key")
	r.PersonID = seed.Admin.ID
	if _, created, err := s.Rent(ctx, r); err != nil || !created {
		t.Errorf("another person's same key: %v %v", created, err)
	}
}

func TestNoCapacitySaysWhatIsNearest(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	hour := time.Hour
	rent(t, s, seed, store.RentRequest{GPUCount: 4, Duration: &hour})
	_, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 2})
	e := kind(t, err, store.NoCapacity, "")
	if e.Args["free_at"] != clock.Now().Add(hour).Format(time.RFC3339) || e.Args["free"] != "0" {
		t.Errorf("args: %v", e.Args)
	}
	offers, err := s.Offers(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range offers {
		if o.Plan.GPUCount > 0 && (o.Free != 0 || o.BlockedCounts["in_use"] != 4 || o.FreeAt == nil) {
			t.Errorf("offer: %+v", o)
		}
		if o.Plan.ID == store.CPUPlan && (o.Free != 4 || o.Total != 4 || o.OnDemandMicrosPerHour != 50_000) {
			t.Errorf("CPU offer: %+v", o)
		}
	}
}

func TestWhoWaitsIsServedInOrder(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	hour := time.Hour
	first := rent(t, s, seed, store.RentRequest{GPUCount: 2})
	big := rent(t, s, seed, store.RentRequest{GPUCount: 4, Queue: true, Duration: &hour})
	small := rent(t, s, seed, store.RentRequest{GPUCount: 1, Queue: true})
	if big.State != life.Queued || small.State != life.Queued || big.QueuePlace != 1 || small.QueuePlace != 2 || big.EndsAt != nil {
		t.Fatalf("queue: %+v, %+v", big, small)
	}
	// Two GPUs are free, but the one that waits for four comes first.
	if _, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1}); store.KindOf(err) != store.NoCapacity {
		t.Errorf("overtaking: %v", err)
	}
	if n, err := s.PlaceQueued(ctx); err != nil || n != 0 {
		t.Errorf("placed %d, %v", n, err)
	}
	offers, err := s.Offers(ctx)
	if err != nil || offers[0].Free != 0 || offers[0].BlockedCounts["waiting"] != 2 {
		t.Errorf("offers: %+v %v", offers[0], err)
	}
	clock.Advance(time.Minute)
	if _, err := s.RequestStop(ctx, first.ID, seed.Member.ID, ""); err != nil {
		t.Fatal(err)
	}
	ended(t, s, first, store.End{})
	if n, err := s.PlaceQueued(ctx); err != nil || n != 1 {
		t.Errorf("placed %d, %v", n, err)
	}
	if big, err = s.Instance(ctx, big.ID); err != nil || big.State != life.Starting || len(big.GPUs) != 4 || !big.EndsAt.Equal(clock.Now().Add(hour)) {
		t.Errorf("big: %+v %v", big, err)
	}
	// Giving up the place in the queue ends it at once, and costs nothing.
	if small, err = s.RequestStop(ctx, small.ID, seed.Member.ID, ""); err != nil || small.State != life.Stopped || small.CostMicros != 0 {
		t.Errorf("small: %+v %v", small, err)
	}
}

func TestCPUOnlyWorkHasItsPlaces(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	for range 4 {
		if i := rent(t, s, seed, store.RentRequest{CPUOnly: true}); i.NodeID != seed.Node.ID || i.GPUCount != 0 || i.RateMicrosPerHour != 50_000 {
			t.Fatalf("instance: %+v", i)
		}
	}
	_, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, PlanID: store.CPUPlan})
	kind(t, err, store.NoCapacity, "")
}

func TestOnlyGoodGPUsOnNodesThatAreUpAreGiven(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	for k, state := range []string{store.GPUWatch, store.GPUFenced, store.GPUQuarantined} {
		if err := s.SetGPUState(ctx, seed.GPUs[k].UUID, state, "a reason"); err != nil {
			t.Fatal(err)
		}
	}
	i := rent(t, s, seed, store.RentRequest{GPUModel: "nvidia a100-sxm4-80gb"})
	if i.GPUs[0] != seed.GPUs[3].UUID {
		t.Errorf("given %v", i.GPUs)
	}
	ended(t, s, i, store.End{})
	if _, err := s.Cordon(ctx, seed.Node.ID, "", ""); err != nil {
		t.Fatal(err)
	}
	_, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
	kind(t, err, store.NoCapacity, "")
	offers, err := s.Offers(ctx)
	if err != nil || offers[0].BlockedCounts["node_cordoned"] != 4 {
		t.Errorf("offers: %+v %v", offers[0], err)
	}
}
