package store_test

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// What is reserved keeps its GPUs for the handover that plans count in, used or not: who is first would start sooner than was
// said, where those behind were to start. What is given up is free at once.
func TestWhoWaitsForTheEndOfAReservationStartsWhenItIsSaid(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	start := clock.Now()
	waits := func(end time.Time) store.Instance {
		t.Helper()
		if _, err := s.Reserve(ctx, store.NewReservation{PersonID: seed.Member.ID, GPUModel: aPool, GPUCount: 4, Start: clock.Now(), End: end}); err != nil {
			t.Fatal(err)
		}
		return rent(t, s, seed, store.RentRequest{GPUCount: 2, Queue: true, Duration: new(time.Hour)})
	}
	placed := func(want int) {
		t.Helper()
		if n, err := s.PlaceQueued(ctx); err != nil || n != want {
			t.Errorf("at %v %d started, want %d: %v", clock.Now(), n, want, err)
		}
	}
	end := start.Add(2 * time.Hour)
	i := waits(end)
	for _, at := range []time.Time{start, end.Add(-time.Microsecond), end, end.Add(time.Minute - time.Microsecond)} {
		clock.Set(at)
		placed(0)
		q, k, err := s.QueueOf(ctx, i.ID)
		if err != nil {
			t.Fatal(err)
		}
		if said := q.Waiting[k].StartsAt; said == nil || !said.Equal(end.Add(time.Minute)) {
			t.Errorf("at %v it is said to start at %v", at, said)
		}
	}
	clock.Set(end.Add(time.Minute))
	placed(1)
	ended(t, s, i, store.End{})
	if err := s.MarkStopped(ctx, i.ID, store.Proof{Clean: true}); err != nil {
		t.Fatal(err)
	}

	waits(clock.Now().Add(2 * time.Hour))
	all, err := s.Reservations(ctx, store.ReservationFilter{})
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(time.Hour)
	placed(0)
	for _, r := range all {
		if _, err := s.CancelReservation(ctx, r.ID, seed.Member.ID, nil); err != nil {
			t.Fatal(err)
		}
	}
	placed(1)
}
