package store_test

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/spot"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// place has the queue looked at, and returns how many started.
func place(t *testing.T, s *store.Store) int {
	t.Helper()
	if _, err := s.Reclaim(ctx); err != nil {
		t.Fatal(err)
	}
	n, err := s.PlaceQueued(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// L12: a job of several GPUs ends as one, and what finds no place waits for as long as it takes.
func TestAReclaimedJobGoesWholeAndWaitsForAsLongAsItTakes(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	follow(t, s)
	job := rent(t, s, seed, store.RentRequest{GPUCount: 4, Kind: store.Spot, Requeue: true})
	running(t, s, job, clock.Now())
	clock.Advance(spot.Safe)
	needed := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	clock.Advance(spot.Notice)
	job = gone(t, s, job)
	fleet, err := s.GPUs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range fleet {
		if g.InstanceID != "" {
			t.Errorf("%s still holds %s", g.InstanceID, g.UUID)
		}
	}
	if reclaim(t, s, 1); again(t, s, needed).State != life.Starting {
		t.Fatal("who needed a GPU has none")
	}
	running(t, s, needed, clock.Now())
	next := again(t, s, store.Instance{ID: job.LaterID})
	for range 60 {
		clock.Advance(12 * time.Hour)
		if n := place(t, s); n != 0 {
			t.Fatalf("%d started on three GPUs", n)
		}
	}
	if next = again(t, s, next); next.State != life.Queued || next.StopReason != "" {
		t.Fatalf("after a month it is %s (%s)", next.State, next.StopReason)
	}
	if _, err := s.RequestStop(ctx, needed.ID, "", ""); err != nil {
		t.Fatal(err)
	}
	ended(t, s, needed, store.End{})
	if n := place(t, s); n != 1 || len(again(t, s, next).GPUs) != 4 {
		t.Errorf("%d started where all four are free", n)
	}
}

// L13: who is still setting up is not reclaimed, however long that takes, so that it can't look like the person's failure.
func TestWhoIsStillSettingUpIsNotReclaimed(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	follow(t, s)
	job := rent(t, s, seed, store.RentRequest{GPUCount: 4, Kind: store.Spot, Requeue: true})
	clock.Advance(10 * spot.Safe)
	waits := rent(t, s, seed, store.RentRequest{GPUCount: 1, Queue: true})
	if n := place(t, s); n != 0 {
		t.Fatalf("%d started", n)
	}
	if job = again(t, s, job); job.State != life.Starting || job.NoticeAt != nil {
		t.Errorf("%s, notice %v", job.State, job.NoticeAt)
	}
	running(t, s, job, clock.Now())
	clock.Advance(spot.Safe)
	place(t, s)
	if job = again(t, s, job); job.ReclaimedFor != waits.ID {
		t.Errorf("set up, it may be reclaimed: %+v", job)
	}
}

// L17: what a budget has stopped is not started again, and what waits for money is not started to be stopped.
func TestWhatABudgetStopsNothingStartsAgain(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 1_000_000)
	follow(t, s)
	newBudget(t, s, store.NewBudget{Name: "month", TeamID: seed.Team.ID, LimitMicros: 1_000_000, Action: "stop"})
	var held []store.Instance
	for range 4 {
		i := rent(t, s, seed, store.RentRequest{GPUCount: 1, Kind: store.Spot, Requeue: true})
		running(t, s, i, clock.Now())
		held = append(held, i)
	}
	clock.Advance(spot.Safe)
	rent(t, s, seed, store.RentRequest{GPUCount: 1})
	var victim store.Instance
	for _, i := range held {
		if i = again(t, s, i); i.NoticeAt != nil {
			victim = i
		}
	}
	clock.Advance(spot.Notice)
	victim = gone(t, s, victim)
	next := store.Instance{ID: victim.LaterID}
	clock.Advance(3 * time.Hour) // the others use the budget up
	if _, err := s.CheckBudgets(ctx); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		clock.Advance(budget.StopNotice)
		if _, err := s.CheckBudgets(ctx); err != nil {
			t.Fatal(err)
		}
		for _, i := range held {
			if i = again(t, s, i); i.State == life.Stopping {
				ended(t, s, i, store.End{})
			}
		}
		place(t, s)
	}
	for _, i := range held {
		if i = again(t, s, i); i.ID != victim.ID && (i.State != life.Stopped || i.StopReason != "budget" || i.LaterID != "") {
			t.Errorf("%s (%s), run again as %q", i.State, i.StopReason, i.LaterID)
		}
	}
	if next = again(t, s, next); next.State != life.Queued || events(t, s, next.ID, "started") != 0 {
		t.Errorf("with GPUs free and no money it is %s", next.State)
	}
}
