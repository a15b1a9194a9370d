package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/quota"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func extend(t *testing.T, s *store.Store, r store.Reservation, end time.Time) store.Reservation {
	t.Helper()
	q, err := s.QuoteExtension(ctx, r.ID, r.PersonID, end)
	if err != nil {
		t.Fatalf("quote: %v", err)
	}
	longer, err := s.ExtendReservation(ctx, r.ID, r.PersonID, end, &q.TotalMicros, store.Request{})
	if err != nil {
		t.Fatalf("extend: %v", err)
	}
	if longer.TotalMicros != r.TotalMicros+q.TotalMicros {
		t.Errorf("%d and %d more make %d", r.TotalMicros, q.TotalMicros, longer.TotalMicros)
	}
	return longer
}

// What was booked keeps its rate; what is added has the price of now and the discount of the whole term.
func TestAnExtensionIsAPartWithItsOwnRate(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)
	start := clock.Now().Add(48 * time.Hour)
	r := reserve(t, s, seed, 1, start, start.Add(12*time.Hour))
	if r.TotalMicros != 30_000_000 {
		t.Fatalf("12 h cost %d", r.TotalMicros)
	}
	r = extend(t, s, r, start.Add(24*time.Hour)) // a day: 5 % off the added half
	if len(r.Parts) != 2 || r.Parts[0].RateMicrosPerHour != 2_500_000 || r.Parts[1].RateMicrosPerHour != 2_375_000 || r.TotalMicros != 58_500_000 {
		t.Fatalf("%+v", r)
	}
	clock.Set(start.Add(6 * time.Hour))
	r = extend(t, s, r, start.AddDate(0, 0, 3)) // within its interval, to 3 days: 15 %
	if r.Parts[2].DiscountPPM != 150_000 || r.TotalMicros != 58_500_000+48*2_125_000 {
		t.Errorf("%+v", r)
	}
	clock.Set(r.End.Add(time.Hour))
	if _, err := s.PostDue(ctx); err != nil {
		t.Fatal(err)
	}
	holds(t, s, r.TotalMicros)
	_, err := s.ExtendReservation(ctx, r.ID, r.PersonID, r.End.Add(time.Hour), nil, store.Request{})
	kind(t, err, store.Conflict, "")
}

func TestAnExtensionIsRefusedOnOverlapWithWhatIsPossible(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	start := clock.Now().Add(48 * time.Hour)
	r := reserve(t, s, seed, 1, start, start.Add(2*time.Hour), seed.GPUs[0].UUID)
	next := reserve(t, s, seed, 1, start.Add(5*time.Hour), start.Add(6*time.Hour), seed.GPUs[0].UUID)
	_, err := s.ExtendReservation(ctx, r.ID, r.PersonID, start.Add(6*time.Hour), nil, store.Request{})
	e := kind(t, err, store.Conflict, "end")
	if e.Message != "extension_partly" || e.Args["until"] != next.Start.Format(time.RFC3339) || e.Args["overlaps"] != next.ID || e.Args["nearest_start"] != r.End.Format(time.RFC3339) {
		t.Errorf("%v", e)
	}
	extend(t, s, r, next.Start) // half-open: it may touch
	for _, end := range []time.Time{r.End, r.End.Add(-time.Minute)} {
		_, err = s.ExtendReservation(ctx, r.ID, r.PersonID, end, nil, store.Request{})
		kind(t, err, store.Invalid, "end")
	}
}

func TestTheQuoteOfAnExtensionRefusesWhatALimitOrABudgetWould(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*store.Store, storetest.Seeded) error
		want store.Kind
	}{
		"the longest term": {func(s *store.Store, seed storetest.Seeded) error {
			_, err := s.SetQuota(ctx, "", store.NewQuota{TeamID: seed.Member.TeamID, Kind: quota.Term, Limit: 3 * 3600})
			return err
		}, store.QuotaBlocks},
		"a budget that is used up": {func(s *store.Store, seed storetest.Seeded) error {
			_, err := s.CreateBudget(ctx, "", store.NewBudget{Name: "small", TeamID: seed.Member.TeamID, LimitMicros: 1, Action: "block"})
			return err
		}, store.BudgetBlocks},
	} {
		t.Run(name, func(t *testing.T) {
			s, clock := storetest.Open(t)
			seed := storetest.SeedQuick(t, s)
			start := clock.Now().Add(time.Minute)
			r := reserve(t, s, seed, 1, start, start.Add(2*time.Hour))
			clock.Set(start.Add(time.Hour)) // it has cost something
			if err := c.set(s, seed); err != nil {
				t.Fatal(err)
			}
			_, err := s.QuoteExtension(ctx, r.ID, r.PersonID, start.Add(4*time.Hour))
			kind(t, err, c.want, "")
			_, err = s.ExtendReservation(ctx, r.ID, r.PersonID, start.Add(4*time.Hour), nil, store.Request{})
			kind(t, err, c.want, "")
		})
	}
}

func TestOthersBookedByCountMoveForAnExtensionAndSoDoesItselfBeforeItBegins(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	start := clock.Now().Add(48 * time.Hour)
	r := reserve(t, s, seed, 1, start, start.Add(2*time.Hour), seed.GPUs[0].UUID)
	other := reserve(t, s, seed, 4, start.Add(3*time.Hour), start.Add(4*time.Hour))
	_, err := s.ExtendReservation(ctx, r.ID, r.PersonID, start.Add(4*time.Hour), nil, store.Request{})
	kind(t, err, store.Conflict, "end") // all four are taken
	if _, err := s.CancelReservation(ctx, other.ID, seed.Member.ID, nil); err != nil {
		t.Fatal(err)
	}
	other = reserve(t, s, seed, 2, start.Add(3*time.Hour), start.Add(4*time.Hour))
	r = extend(t, s, r, start.Add(4*time.Hour))
	if moved, err := s.Reservation(ctx, other.ID); err != nil || len(moved.GPUs) != 2 || other.GPUs[0] != r.GPUs[0] || moved.GPUs[0] == r.GPUs[0] {
		t.Errorf("%v beside %v, %v", moved.GPUs, r.GPUs, err)
	}
	loose := reserve(t, s, seed, 1, start.Add(10*time.Hour), start.Add(11*time.Hour))
	reserve(t, s, seed, 1, start.Add(11*time.Hour), start.Add(12*time.Hour), loose.GPUs[0])
	if loose = extend(t, s, loose, start.Add(12*time.Hour)); len(loose.GPUs) != 1 || !loose.End.Equal(start.Add(12*time.Hour)) {
		t.Errorf("%+v", loose)
	}
}

// L1 for extensions: of many who extend into the same gap as others book it, no two get it.
func TestNoExtensionOverlapsWhatIsBookedAtTheSameMoment(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	seed := storetest.SeedQuick(t, s)
	start := clock.Now().Add(72 * time.Hour)
	var booked []store.Reservation
	for _, g := range seed.GPUs {
		booked = append(booked, reserve(t, s, seed, 1, start, start.Add(time.Hour), g.UUID))
	}
	var wg sync.WaitGroup
	for k := range 32 {
		wg.Go(func() {
			var err error
			if r := booked[k%4]; k%2 == 0 {
				_, err = s.ExtendReservation(ctx, r.ID, r.PersonID, start.Add(time.Duration(2+k)*time.Hour), nil, store.Request{})
			} else {
				_, err = s.Reserve(ctx, store.NewReservation{PersonID: seed.Member.ID, GPUs: []string{seed.GPUs[k/8].UUID}, Start: start.Add(time.Duration(1+k%3) * time.Hour), End: start.Add(time.Duration(4+k) * time.Hour)})
			}
			if kind := store.KindOf(err); kind != "" && kind != store.Conflict && kind != store.Invalid {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
	var overlaps int
	if err := raw(t, dir).QueryRow(`SELECT count(*) FROM reservation_gpu a JOIN reservation_gpu b ON a.gpu_uuid = b.gpu_uuid AND a.reservation_id < b.reservation_id
		AND a.from_at < b.to_at AND b.from_at < a.to_at`).Scan(&overlaps); err != nil || overlaps != 0 {
		t.Errorf("%d overlap, %v", overlaps, err)
	}
}

func TestWhatUsesAReservationGoesOnWithItAndNoFurther(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	start := clock.Now().Add(time.Hour)
	r := reserve(t, s, seed, 1, start, start.Add(2*time.Hour))
	clock.Set(start)
	i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, Kind: store.Reserved})
	if err != nil || i.EndsBecause != "reservation_ends" {
		t.Fatalf("%+v, %v", i, err)
	}
	running(t, s, i, clock.Now())
	beyond := r.End.Add(time.Hour)
	for _, until := range []*time.Time{nil, &beyond} {
		_, err = s.Extend(ctx, i.ID, seed.Member.ID, until, store.Request{})
		if e := kind(t, err, store.Conflict, "until"); e.Message != "beyond_reservation" {
			t.Errorf("used without being paid for: %v", e)
		}
	}
	extend(t, s, r, beyond)
	if i, err = s.Instance(ctx, i.ID); err != nil || !i.EndsAt.Equal(beyond) {
		t.Errorf("ends %v, its reservation %v, %v", i.EndsAt, beyond, err)
	}
}

func TestNobodyBooksAPriceThatTheyHaveNotSeen(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)
	start := clock.Now().Add(48 * time.Hour)
	n := store.NewReservation{PersonID: seed.Member.ID, GPUModel: "a100-sxm4-80gb", Start: start, End: start.AddDate(0, 0, 1)}
	q, err := s.QuoteReservation(ctx, n)
	if err != nil || q.TotalMicros != 57_000_000 || q.ListMicros != 60_000_000 || q.CancelMicros != 28_500_000 || !q.FreeUntil.Equal(start.Add(-24*time.Hour)) || len(q.GPUs) != 1 {
		t.Fatalf("%+v, %v", q, err)
	}
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 3_000_000)
	n.Expect = &q.TotalMicros
	_, err = s.Reserve(ctx, n)
	if e := kind(t, err, store.Conflict, ""); e.Message != "price_changed" {
		t.Errorf("%v", e)
	}
	if all, err := s.Reservations(ctx, store.ReservationFilter{}); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}
