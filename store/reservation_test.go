package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func reserve(t *testing.T, s *store.Store, seed storetest.Seeded, count int, from, to time.Time, gpus ...string) store.Reservation {
	t.Helper()
	r, err := s.Reserve(ctx, store.NewReservation{PersonID: seed.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: count, GPUs: gpus, Start: from, End: to})
	if err != nil {
		t.Fatalf("reserve: %v", err)
	}
	return r
}

// L1: of 64 who book at once exactly as many get a GPU as there are, and the others are told the nearest free interval.
func TestNoTwoReservationsOverlapHoweverManyBookAtOnce(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	start := clock.Now().Add(72 * time.Hour)
	var wg sync.WaitGroup
	var mu sync.Mutex
	got, full := map[string]int{}, 0
	for k := range 64 {
		wg.Go(func() {
			r, err := s.Reserve(ctx, store.NewReservation{PersonID: seed.Member.ID, GPUCount: 1, GPUModel: "a100-sxm4-80gb",
				Start: start.Add(time.Duration(k%7) * time.Minute), End: start.Add(5 * time.Hour)})
			mu.Lock()
			defer mu.Unlock()
			switch store.KindOf(err) {
			case "":
				got[r.GPUs[0]]++
			case store.Conflict:
				e := kind(t, err, store.Conflict, "start")
				if e.Args["nearest_start"] == "" || e.Args["overlaps"] == "" {
					t.Errorf("refused without a way out: %v", e)
				}
				full++
			default:
				t.Errorf("reserve: %v", err)
			}
		})
	}
	wg.Wait()
	if len(got) != 4 || full != 60 {
		t.Errorf("%v are booked, %d were refused", got, full)
	}
}

func TestTheDatabaseRefusesOverlappingReservations(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	seed := storetest.SeedQuick(t, s)
	start := clock.Now().Add(72 * time.Hour)
	a := reserve(t, s, seed, 1, start, start.Add(time.Hour))
	b := reserve(t, s, seed, 1, start, start.Add(time.Hour))
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1, Duration: new(6 * 24 * time.Hour), GPUs: []string{seed.GPUs[3].UUID}})
	db := raw(t, dir)
	refused(t, db, "reservations_overlap", "UPDATE reservation_gpu SET gpu_uuid = ? WHERE reservation_id = ?", a.GPUs[0], b.ID)
	refused(t, db, "reservations_overlap", "INSERT INTO reservation_gpu SELECT ?, gpu_uuid, from_at + 5, to_at + 5 FROM reservation_gpu WHERE reservation_id = ?", b.ID, a.ID)
	refused(t, db, "gpu_in_use", "INSERT INTO reservation_gpu SELECT ?, ?, from_at, to_at FROM reservation_gpu WHERE reservation_id = ?", b.ID, i.GPUs[0], a.ID)
	refused(t, db, "terms_locked", "UPDATE reservation_part SET rate = 0")
	refused(t, db, "reservation_stays", "DELETE FROM reservation")
}

// L2: what is cancelled is out of everybody's way, and an empty interval can't exist.
func TestCancelIsFreeADayAheadAndHalfOfADayLater(t *testing.T) {
	for _, c := range []struct {
		name   string
		before time.Duration // its start
		length time.Duration
		fee    int64
	}{
		{"a day ahead", 24 * time.Hour, 48 * time.Hour, 0},
		{"later: half of 24 hours", 23 * time.Hour, 48 * time.Hour, 12 * 2_375_000}, // 5 % off for a day and more
		{"later, of a short one: half of it", time.Minute, 3 * time.Hour, 3_750_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, clock := storetest.Open(t)
			seed := storetest.SeedQuick(t, s)
			storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)
			start := clock.Now().Add(100 * time.Hour)
			r := reserve(t, s, seed, 1, start, start.Add(c.length))
			clock.Set(start.Add(-c.before))
			r, err := s.CancelReservation(ctx, r.ID, seed.Member.ID, nil)
			if err != nil || r.State != store.ReservationCancelled || r.FeeMicros != c.fee || r.CostMicros != c.fee || len(r.GPUs) != 0 {
				t.Fatalf("%+v, %v", r, err)
			}
			if _, err := s.CancelReservation(ctx, r.ID, seed.Member.ID, nil); err != nil {
				t.Errorf("again: %v", err)
			}
			clock.Set(start.Add(c.length * 2))
			for range 2 {
				if _, err := s.PostDue(ctx); err != nil {
					t.Fatal(err)
				}
			}
			holds(t, s, c.fee)
		})
	}
}

// holds compares what the ledger, its totals and the fold say was used in all.
func holds(t *testing.T, s *store.Store, want int64) {
	t.Helper()
	if check, err := s.CheckLedger(ctx); err != nil || !check.OK {
		t.Errorf("ledger: %+v %v", check, err)
	}
	for _, group := range []string{"team", "day", "kind"} {
		kept, err := s.Usage(ctx, store.UsageQuery{GroupBy: group})
		if err != nil {
			t.Fatal(err)
		}
		folded, err := s.UsageFolded(ctx, store.UsageQuery{GroupBy: group})
		if err != nil {
			t.Fatal(err)
		}
		if costs(kept) != want || costs(folded) != want {
			t.Errorf("by %s: the totals say %d, the segments %d, want %d", group, costs(kept), costs(folded), want)
		}
	}
}

func TestAReservationIsPaidForWhetherItIsUsedOrNot(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)
	if err := s.UpdateSite(ctx, store.Site{TimeZone: "Europe/Berlin"}); err != nil {
		t.Fatal(err)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	// The last week of March, with the hour that it lacks: 167 hours at 20 % off.
	start := time.Date(2026, 3, 25, 0, 0, 0, 0, berlin)
	r := reserve(t, s, seed, 1, start, start.AddDate(0, 0, 7))
	if want := int64(167 * 2_000_000); r.TotalMicros != want || r.Parts[0].DiscountPPM != 200_000 {
		t.Fatalf("costs %d, want %d: %+v", r.TotalMicros, want, r)
	}
	clock.Set(start.Add(36 * time.Hour))
	holds(t, s, 36*2_000_000)
	if n, err := s.PostDue(ctx); err != nil || n != 1 {
		t.Fatalf("%d entries for a midnight, %v", n, err)
	}
	holds(t, s, 36*2_000_000)
	clock.Set(start.AddDate(0, 0, 9))
	if _, err := s.PostDue(ctx); err != nil {
		t.Fatal(err)
	}
	if n, err := s.PostDue(ctx); err != nil || n != 0 {
		t.Errorf("again: %d entries, %v", n, err)
	}
	holds(t, s, r.TotalMicros)
	if r, err = s.Reservation(ctx, r.ID); err != nil || r.State != store.ReservationEnded || r.CostMicros != r.TotalMicros {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWhatIsReleasedEarlyIsRefundedAsFarAsItIsRentedAgain(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)
	start := clock.Now().Add(time.Hour)
	r := reserve(t, s, seed, 1, start, start.Add(10*time.Hour), seed.GPUs[0].UUID)
	clock.Set(start.Add(2 * time.Hour))
	if _, err := s.CancelReservation(ctx, r.ID, seed.Admin.ID, nil); err != nil {
		t.Fatal(err)
	}
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1, GPUs: []string{seed.GPUs[0].UUID}})
	running(t, s, i, clock.Now())
	clock.Advance(3 * time.Hour)
	ended(t, s, i, store.End{})
	clock.Set(start.Add(11 * time.Hour))
	if _, err := s.PostDue(ctx); err != nil {
		t.Fatal(err)
	}
	r, err := s.Reservation(ctx, r.ID)
	if err != nil || r.RefundMicros != 7_500_000 || r.CostMicros != 17_500_000 || r.State != store.ReservationEnded {
		t.Errorf("%+v, %v", r, err)
	}
	holds(t, s, 17_500_000+7_500_000)
}

func TestBookingsByCountMakeRoomForThoseByName(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	start := clock.Now().Add(48 * time.Hour)
	r := reserve(t, s, seed, 2, start, start.Add(time.Hour))
	named := reserve(t, s, seed, 1, start, start.Add(time.Hour), r.GPUs[0])
	again := reserve(t, s, seed, 1, start, start.Add(time.Hour))
	moved, err := s.Reservation(ctx, r.ID)
	if err != nil || len(moved.GPUs) != 2 || named.GPUs[0] != r.GPUs[0] || moved.GPUs[0] == named.GPUs[0] || again.GPUs[0] == named.GPUs[0] {
		t.Errorf("%v moved to %v for %v and %v, %v", r.GPUs, moved.GPUs, named.GPUs, again.GPUs, err)
	}
	_, err = s.Reserve(ctx, store.NewReservation{PersonID: seed.Member.ID, GPUs: []string{named.GPUs[0]}, Start: start, End: start.Add(time.Minute * 30)})
	if e := kind(t, err, store.Conflict, "start"); e.Args["nearest_start"] != start.Add(-30*time.Minute).Format(time.RFC3339) {
		t.Errorf("nearest: %v", e)
	}
}

func TestWhatRunsWithoutAnEndYieldsToAReservationAnHourAhead(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 4})
	running(t, s, i, clock.Now())
	soon := clock.Now().Add(30 * time.Minute)
	_, err := s.Reserve(ctx, store.NewReservation{PersonID: seed.Member.ID, GPUCount: 1, GPUModel: "a100-sxm4-80gb", Start: soon, End: soon.Add(time.Hour)})
	kind(t, err, store.Conflict, "start")
	start := clock.Now().Add(time.Hour)
	reserve(t, s, seed, 1, start, start.Add(time.Hour))
	if i, err = s.Instance(ctx, i.ID); err != nil || i.EndsAt == nil || !i.EndsAt.Equal(start) {
		t.Errorf("its hard end is %v, %v", i.EndsAt, err)
	}
	later := start.Add(time.Minute)
	if _, err := s.Extend(ctx, i.ID, seed.Member.ID, &later, store.Request{}); store.KindOf(err) != store.Conflict {
		t.Errorf("extended into the reservation: %v", err)
	}
}

func TestOnDemandFillsTheGapUntilAReservation(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	start := clock.Now().Add(5 * time.Hour)
	reserve(t, s, seed, 4, start, start.Add(time.Hour))
	offers, err := s.Offers(ctx)
	if err != nil || offers[0].HardEnd == nil || !offers[0].HardEnd.Equal(start) {
		t.Fatalf("offered until %v, %v", offers[0].HardEnd, err)
	}
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	if i.EndsAt == nil || !i.EndsAt.Equal(start) {
		t.Errorf("rented until %v, the reservation begins %v", i.EndsAt, start)
	}
	long, short := 6*time.Hour, time.Hour
	_, _, err = s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1, Duration: &long})
	if e := kind(t, err, store.NoCapacity, ""); e.Args["until"] != start.Format(time.RFC3339) {
		t.Errorf("for too long: %v", e)
	}
	if i = rent(t, s, seed, store.RentRequest{GPUCount: 1, Duration: &short}); !i.EndsAt.Equal(clock.Now().Add(short)) {
		t.Errorf("for an hour: until %v", i.EndsAt)
	}
	clock.Set(start.Add(-14 * time.Minute))
	_, _, err = s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
	kind(t, err, store.NoCapacity, "")
}

func TestAReservationIsUsedAtNoFurtherCost(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	start := clock.Now().Add(time.Hour)
	r := reserve(t, s, seed, 2, start, start.Add(3*time.Hour))
	claim := func(count int) (store.Instance, error) {
		i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, Kind: store.Reserved, GPUCount: count})
		return i, err
	}
	_, err := claim(1)
	kind(t, err, store.Conflict, "kind")
	clock.Set(start)
	a, err := claim(1)
	if err != nil || a.RateMicrosPerHour != 0 || a.ReservationID != r.ID || a.EndsAt == nil || !a.EndsAt.Equal(r.End) {
		t.Fatalf("%+v, %v", a, err)
	}
	running(t, s, a, clock.Now())
	b, err := claim(1)
	if err != nil || b.GPUs[0] == a.GPUs[0] {
		t.Fatalf("%+v, %v", b, err)
	}
	_, err = claim(1)
	kind(t, err, store.NoCapacity, "")
	if _, err := s.CancelReservation(ctx, r.ID, seed.Member.ID, nil); store.KindOf(err) != store.Conflict {
		t.Errorf("released while it is used: %v", err)
	}
	clock.Advance(time.Hour)
	holds(t, s, 2*100_000)
	ended(t, s, a, store.End{})
	clock.Set(r.End.Add(time.Minute))
	if due, err := s.DueEnds(ctx); err != nil || len(due) != 1 || due[0].ID != b.ID {
		t.Errorf("due at the reservation's end: %+v, %v", due, err)
	}
	ended(t, s, b, store.End{})
	if _, err := s.PostDue(ctx); err != nil {
		t.Fatal(err)
	}
	holds(t, s, r.TotalMicros)
	if r, err = s.Reservation(ctx, r.ID); err != nil || r.ClaimedAt == nil || r.State != store.ReservationEnded {
		t.Errorf("%+v, %v", r, err)
	}
}

// Looking for what is due, each minute, costs no commit while nothing is.
func TestBookingWritesNothingWhereNothingIsDue(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	seed := storetest.SeedQuick(t, s)
	start := clock.Now().Add(time.Hour)
	reserve(t, s, seed, 1, start, start.Add(5*time.Hour))
	clock.Set(start.Add(time.Hour))
	conn, err := raw(t, dir).Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	version := func() (v int) {
		if err := conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	before := version()
	if n, err := s.PostDue(ctx); err != nil || n != 0 {
		t.Fatalf("%d entries, %v", n, err)
	}
	if after := version(); after != before {
		t.Errorf("the database changed: %d, then %d", before, after)
	}
}
