package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/storetest"
)

var ctx = context.Background()

func TestALifeFromRentToStopIsBilledToTheMicroUnit(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	i, created, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
	if err != nil || !created || i.State != life.Starting || len(i.GPUs) != 1 || i.GPUs[0] != seed.GPUs[0].UUID {
		t.Fatalf("rent: %+v %v %v", i, created, err)
	}
	at := clock.Advance(time.Second)
	if err := s.MarkRunning(ctx, i.ID, at); err != nil {
		t.Fatal(err)
	}
	clock.Advance(3600 * time.Second)
	if i, err = s.RequestStop(ctx, i.ID, seed.Member.ID, ""); err != nil || i.State != life.Stopping || i.CostMicros != 100_000 {
		t.Fatalf("stop: %+v %v", i, err)
	}
	if err := s.MarkEnded(ctx, i.ID, store.End{}); err != nil {
		t.Fatal(err)
	}
	if err := s.MarkStopped(ctx, i.ID, store.Proof{Clean: true}); err != nil {
		t.Fatal(err)
	}
	bill, err := s.Bill(ctx, i.ID)
	if err != nil || bill.TotalMicros != 100_000 || bill.BookedMicros != 100_000 || len(bill.Lines) != 1 {
		t.Fatalf("bill: %+v %v", bill, err)
	}
	if check, err := s.CheckLedger(ctx); err != nil || !check.OK || check.Instances != 1 {
		t.Fatalf("check: %+v %v", check, err)
	}
	offers, err := s.Offers(ctx)
	if err != nil || offers[0].Free != 4 {
		t.Fatalf("offers: %+v %v", offers, err)
	}
	list, next, err := s.Entries(ctx, store.EntryFilter{})
	if err != nil || next != "" || len(list) != 1 || list[0].AmountMicros != 100_000 {
		t.Fatalf("entries: %+v %v", list, err)
	}
}

func TestLiveInstancesAreCountedByTeam(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	other := addPerson(t, s, "other", store.Member, "physics")
	over := rent(t, s, seed, store.RentRequest{GPUCount: 4})
	running(t, s, over, clock.Now())
	waits := rent(t, s, seed, store.RentRequest{PersonID: other.ID, GPUCount: 1, Queue: true})
	ended(t, s, over, store.End{})
	rent(t, s, seed, store.RentRequest{CPUOnly: true})
	for team, want := range map[string]int{"": 2, seed.Team.ID: 1, waits.TeamID: 1, "nobody": 0} {
		if n, err := s.LiveInstances(ctx, team); err != nil || n != want {
			t.Errorf("%q: %d, want %d: %v", team, n, want, err)
		}
	}
}
