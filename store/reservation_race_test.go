package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// L2: whatever is done to a reservation at the same moment, each step is taken from the state in which it was decided: what
// is given up holds nothing, costs what its state says, and no interval is ever empty.
func TestCancellingExtendingAndUsingAtTheSameMomentLeaveOneOutcome(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	seed := storetest.SeedQuick(t, s)
	for round := range 12 {
		start := clock.Now().Add(time.Duration(1+round%2) * time.Hour)
		r := reserve(t, s, seed, 1, start, start.Add(2*time.Hour), seed.GPUs[round%4].UUID)
		if round%2 == 0 {
			clock.Set(start)
		}
		var wg sync.WaitGroup
		for k := range 6 {
			wg.Go(func() {
				var err error
				switch k % 3 {
				case 0:
					_, err = s.CancelReservation(ctx, r.ID, seed.Member.ID, nil)
				case 1:
					_, err = s.ExtendReservation(ctx, r.ID, seed.Member.ID, start.Add(time.Duration(3+k)*time.Hour), nil, store.Request{})
				case 2:
					_, _, err = s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, Kind: store.Reserved, ReservationID: r.ID})
				}
				switch store.KindOf(err) {
				case "", store.Conflict, store.NoCapacity, store.NotFound, store.Invalid:
				default:
					t.Errorf("%v", err)
				}
			})
		}
		wg.Wait()
		got, err := s.Reservation(ctx, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		users, err := s.ReservationUse(ctx, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case got.State == store.ReservationCancelled && (len(got.GPUs) != 0 || len(users.Instances) != 0),
			got.State == store.ReservationReleased && len(users.Instances) != 0,
			got.State == store.ReservationBooked && len(got.GPUs) != 1,
			!got.End.Equal(got.Parts[len(got.Parts)-1].To):
			t.Errorf("round %d: %+v used by %d", round, got, len(users.Instances))
		}
		for _, i := range users.Instances {
			if !i.EndsAt.Equal(got.End) {
				t.Errorf("round %d: an instance ends %v, its reservation %v", round, i.EndsAt, got.End)
			}
			ended(t, s, i, store.End{})
		}
		if _, err := s.CancelReservation(ctx, r.ID, seed.Member.ID, nil); err != nil {
			t.Fatal(err)
		}
		clock.Advance(12 * time.Hour)
		if _, err := s.PostDue(ctx); err != nil {
			t.Fatal(err)
		}
	}
	var empty int
	if err := raw(t, dir).QueryRow(`SELECT (SELECT count(*) FROM reservation_gpu WHERE to_at <= from_at) + (SELECT count(*) FROM reservation WHERE end_at <= start_at)
		+ (SELECT count(*) FROM reservation_gpu h JOIN reservation r ON r.id = h.reservation_id WHERE r.state = 'cancelled')`).Scan(&empty); err != nil || empty != 0 {
		t.Errorf("%d intervals are empty or held by what is cancelled, %v", empty, err)
	}
	if check, err := s.CheckLedger(ctx); err != nil || !check.OK {
		t.Errorf("ledger: %+v %v", check, err)
	}
}

// M12: whatever day it begins on, a term of months is counted from there and clipped to a month's end, and its discount with it.
func TestATermFromTheLastOfAMonthIsAMonth(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	if err := s.UpdateSite(ctx, store.Site{TimeZone: "Europe/Berlin"}); err != nil {
		t.Fatal(err)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	clock.Set(time.Date(2026, 12, 1, 9, 0, 0, 0, berlin))
	for _, c := range []struct {
		from, to string
		ppm      int64
	}{
		{"2027-01-31 09:00", "2027-02-28 09:00", 300_000}, // a month, of 28 days
		{"2027-01-31 09:00", "2027-02-28 08:59", 200_000},
		{"2027-03-31 09:00", "2027-04-30 09:00", 300_000}, // over the change of the clocks
		{"2027-08-31 09:00", "2027-11-30 09:00", 400_000}, // three
		{"2027-08-31 09:00", "2028-02-29 09:00", 500_000}, // six, to a leap day
	} {
		at := func(text string) time.Time {
			m, err := time.ParseInLocation("2006-01-02 15:04", text, berlin)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		q, err := s.QuoteReservation(ctx, store.NewReservation{PersonID: seed.Member.ID, GPUModel: "a100-sxm4-80gb", Start: at(c.from), End: at(c.to)})
		if err != nil || q.Part.DiscountPPM != c.ppm {
			t.Errorf("%s to %s: %d, want %d; %v", c.from, c.to, q.Part.DiscountPPM, c.ppm, err)
		}
	}
}
