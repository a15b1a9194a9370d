package store_test

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/spot"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func TestAPromiseThatCannotBeKeptIsTakenBack(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	held := spots(t, s, seed, clock, 4)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	for step := 1; step <= 3; step++ {
		if err := s.ReclaimStepTaken(ctx, held[3].ID, step); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.MarkStopped(ctx, held[3].ID, store.Proof{Notes: "a process is left"}); err != nil {
		t.Fatal(err)
	}
	reclaim(t, s, 0)
	if i = again(t, s, i); i.State != life.Queued || i.ExpectedAt == nil {
		t.Errorf("others are asked in its place: %+v", i)
	}
	if next := again(t, s, held[2]); next.ReclaimedFor != i.ID {
		t.Errorf("%+v", next)
	}
	// Who gives up waiting frees what was kept.
	if _, err := s.RequestStop(ctx, i.ID, seed.Member.ID, ""); err != nil {
		t.Fatal(err)
	}
	gone(t, s, held[2])
	if i := rent(t, s, seed, store.RentRequest{GPUCount: 1}); i.State != life.Starting {
		t.Errorf("%+v", i)
	}
}

func TestWhoWaitsWithoutATermIsHelpedWhereAGPUIsFreeForTooShort(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	short, begins := 20*time.Minute, clock.Now().Add(time.Hour)
	held := rent(t, s, seed, store.RentRequest{GPUCount: 1, GPUs: []string{seed.GPUs[3].UUID}, Duration: &short})
	running(t, s, held, clock.Now())
	for range 3 {
		running(t, s, rent(t, s, seed, store.RentRequest{GPUCount: 1, Kind: store.Spot}), clock.Now())
	}
	reserve(t, s, seed, 0, begins, begins.Add(time.Hour), seed.GPUs[3].UUID)
	clock.Advance(time.Minute)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1, Queue: true})
	clock.Advance(short)
	ended(t, s, held, store.End{})
	if n, err := s.PlaceQueued(ctx); err != nil || n != 0 {
		t.Fatalf("started with 39 minutes before a reservation: %d %v", n, err)
	}
	reclaim(t, s, 0)
	if i = again(t, s, i); i.ExpectedAt == nil {
		t.Errorf("neither starts it nor is it promised what yields: %+v", i)
	}
}

func TestNobodyIsPromisedGPUsUntilAnEndThatWasNotSaid(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	spots(t, s, seed, clock, 4)
	begins := clock.Now().Add(40 * time.Minute)
	reserve(t, s, seed, 4, begins, begins.Add(time.Hour))
	if offers, err := s.Offers(ctx); err != nil || offers[0].AfterNotice {
		t.Errorf("offered without a hard end: %v", err)
	}
	_, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
	kind(t, err, store.NoCapacity, "")
	short := 30 * time.Minute
	if i := rent(t, s, seed, store.RentRequest{GPUCount: 1, Duration: &short}); i.ExpectedAt == nil {
		t.Errorf("one that asks for less is not helped: %+v", i)
	}
}

func TestWhoIsPromisedGPUsKeepsNoOthersFromThoseBehind(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	held := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	running(t, s, held, clock.Now())
	running(t, s, rent(t, s, seed, store.RentRequest{GPUCount: 1, Kind: store.Spot}), clock.Now())
	clock.Advance(spot.Safe)
	for range 2 { // too young to be given notice
		running(t, s, rent(t, s, seed, store.RentRequest{GPUCount: 1, Kind: store.Spot}), clock.Now())
	}
	promised := rent(t, s, seed, store.RentRequest{GPUCount: 1, Queue: true})
	clock.Advance(time.Second) // of two who ask at once, either is first
	behind := rent(t, s, seed, store.RentRequest{GPUCount: 1, Queue: true})
	if promised.ExpectedAt == nil || behind.ExpectedAt != nil {
		t.Fatalf("%+v, %+v", promised, behind)
	}
	ended(t, s, held, store.End{})
	if q, _, err := s.QueueOf(ctx, promised.ID); err != nil || q.Waiting[0].Reason != store.WaitsForReclaim {
		t.Errorf("it waits for %q: %v", q.Waiting[0].Reason, err)
	}
	if n, err := s.PlaceQueued(ctx); err != nil || n != 1 {
		t.Errorf("%d started: %v", n, err)
	}
	if i := again(t, s, behind); i.State != life.Starting {
		t.Errorf("who is behind waits for a GPU that is free: %+v", i.State)
	}
}
