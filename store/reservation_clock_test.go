package store_test

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// TestWhatAReservationWasBookedStaysRightWhereTheClockWasSetBack looks at the books from before, within and after its time.
func TestWhatAReservationWasBookedStaysRightWhereTheClockWasSetBack(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 1_000_000)
	start := clock.Now().Add(time.Hour)
	r := extend(t, s, reserve(t, s, seed, 1, start, start.Add(2*time.Hour)), start.Add(3*time.Hour))
	clock.Set(r.End)
	if _, err := s.PostDue(ctx); err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Time{r.End, start.Add(150 * time.Minute), start.Add(time.Minute), start.Add(-time.Minute)} {
		clock.Set(at)
		if check, err := s.CheckLedger(ctx); err != nil || !check.OK {
			t.Errorf("at %v: %+v %v", at, check, err)
		}
		if v, err := s.Reservation(ctx, r.ID); err != nil || v.CostMicros != 3_000_000 {
			t.Errorf("at %v it costs %d, %v", at, v.CostMicros, err)
		}
		holds(t, s, 3_000_000)
	}
}

// Booked up to a midnight, and looked at before it.
func TestWhatIsBookedOfARunningReservationStaysRightWhereTheClockWasSetBack(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 1_000_000)
	midnight := clock.Now().Truncate(24 * time.Hour).Add(24 * time.Hour)
	reserve(t, s, seed, 1, midnight.Add(-3*time.Hour), midnight.Add(3*time.Hour))
	clock.Set(midnight.Add(time.Minute))
	if _, err := s.PostDue(ctx); err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Time{midnight, midnight.Add(-time.Minute), midnight.Add(-2 * time.Hour), midnight.Add(-4 * time.Hour)} {
		clock.Set(at)
		holds(t, s, 3_000_000)
	}
}

// The fee that a person was told holds in the moment in which it is booked, or nothing is.
func TestAReservationIsGivenUpForTheFeeThatWasTold(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 1_000_000)
	start := clock.Now().Add(24 * time.Hour)
	r := reserve(t, s, seed, 1, start, start.Add(10*time.Hour))
	told, _ := r.CancelCost(clock.Now())
	clock.Advance(time.Microsecond) // it is no longer a day before
	_, err := s.CancelReservation(ctx, r.ID, seed.Member.ID, &told)
	if e := kind(t, err, store.Conflict, ""); e.Message != "price_changed" {
		t.Errorf("%+v", e)
	}
	now, _ := r.CancelCost(clock.Now())
	if told != 0 || now == 0 {
		t.Errorf("told %d, then %d", told, now)
	}
	if got, err := s.CancelReservation(ctx, r.ID, seed.Member.ID, &now); err != nil || got.State != store.ReservationCancelled || got.CostMicros != now {
		t.Errorf("%+v %v", got, err)
	}
}
