package store_test

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
	"github.com/meterhouse/meterhouse/store/term"
)

const aPlan, aPool = "a100-sxm4-80gb-x1", "a100-sxm4-80gb"

func less(ppm int64) *int64 { return &ppm }

func setDiscount(t *testing.T, s *store.Store, seed storetest.Seeded, d store.Discount) {
	t.Helper()
	if err := s.SetDiscount(ctx, seed.Admin.ID, d, nil, store.Request{}); err != nil {
		t.Fatal(err)
	}
}

func TestTheMostSpecificDiscountHoldsAndIsLockedWhenItIsRented(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_001)
	rented := func(want int64) store.Instance {
		t.Helper()
		i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
		if i.DiscountPPM != want || i.RateMicrosPerHour != term.Rate(2_500_001, want) || want > 0 && i.ListMicrosPerHour != 2_500_001 {
			t.Errorf("rate %d of %d less %d, want less %d", i.RateMicrosPerHour, i.ListMicrosPerHour, i.DiscountPPM, want)
		}
		running(t, s, i, clock.Now())
		clock.Advance(3723 * time.Second)
		ended(t, s, i, store.End{})
		if err := s.MarkStopped(ctx, i.ID, store.Proof{Clean: true}); err != nil {
			t.Fatal(err)
		}
		return i
	}
	rented(0)
	setDiscount(t, s, seed, store.Discount{PoolID: aPool, PPM: less(100_000)})
	rented(100_000)
	setDiscount(t, s, seed, store.Discount{TeamID: seed.Team.ID, PPM: less(250_000)})
	rented(250_000)
	setDiscount(t, s, seed, store.Discount{TeamID: seed.Team.ID, PoolID: aPool, PPM: less(0)})
	rented(0)
	setDiscount(t, s, seed, store.Discount{TeamID: seed.Team.ID, PoolID: aPool, PPM: less(700_000), StartsAt: clock.Now().Add(12 * time.Hour)})
	rented(0) // it begins later
	clock.Advance(12 * time.Hour)
	last := rented(700_000)
	total(t, s, last.ID, 775_625) // 0.75 an hour, for 3,723 s
	setDiscount(t, s, seed, store.Discount{TeamID: seed.Team.ID, PoolID: aPool})
	rented(250_000)
	setDiscount(t, s, seed, store.Discount{TeamID: seed.Team.ID})
	rented(100_000)
	setDiscount(t, s, seed, store.Discount{PoolID: aPool})
	rented(0)
	if all, err := s.Discounts(ctx); err != nil || len(all) != 7 || all[0].PPM != nil || all[0].By != seed.Admin.Name {
		t.Errorf("%+v %v", all, err)
	}
}

func TestADiscountThatCanNotBeIsRefused(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	for name, c := range map[string]struct {
		by   string
		d    store.Discount
		kind store.Kind
	}{
		"of everybody":    {seed.Admin.ID, store.Discount{PPM: less(1)}, store.Invalid},
		"more than 70 %":  {seed.Admin.ID, store.Discount{PoolID: aPool, PPM: less(700_001)}, store.Invalid},
		"below zero":      {seed.Admin.ID, store.Discount{PoolID: aPool, PPM: less(-1)}, store.Invalid},
		"of no such team": {seed.Admin.ID, store.Discount{TeamID: "t-x", PPM: less(1)}, store.NotFound},
		"of no such pool": {seed.Admin.ID, store.Discount{PoolID: "x", PPM: less(1)}, store.NotFound},
		"by a member":     {seed.Member.ID, store.Discount{PoolID: aPool, PPM: less(1)}, store.Forbidden},
	} {
		if err := s.SetDiscount(ctx, c.by, c.d, nil, store.Request{}); store.KindOf(err) != c.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTermsHaveVersionsAndATeamsDiscountIsTakenOffWhatTheyLeave(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_001)

	at := clock.Now().Add(100 * day)
	reserved := func(want int64) {
		t.Helper()
		r, err := s.Reserve(ctx, store.NewReservation{PersonID: seed.Member.ID, GPUModel: aPool, GPUCount: 1, Start: at, End: at.Add(3 * day)})
		if err != nil {
			t.Fatal(err)
		}
		if p := r.Parts[0]; p.DiscountPPM != want || p.ListMicrosPerHour != 2_500_001 || p.RateMicrosPerHour != term.Rate(2_500_001, want) {
			t.Errorf("%+v, want less %d", p, want)
		}
	}
	reserved(150_000) // MONEY: 3 days
	steps := []term.Step{{From: term.Length{Days: 2}, DiscountPPM: 123_456}, {From: term.Length{Months: 1}, DiscountPPM: 700_000}}
	if err := s.SetTerms(ctx, seed.Admin.ID, steps, clock.Now().Add(time.Hour), nil, store.Request{}); err != nil {
		t.Fatal(err)
	}
	reserved(150_000)
	clock.Advance(time.Hour)
	reserved(123_456)
	setDiscount(t, s, seed, store.Discount{TeamID: seed.Team.ID, PPM: less(200_000)})
	reserved(298_765) // 1 − 0.876544 × 0.8
	if held, err := s.Terms(ctx); err != nil || len(held) != 2 || held[1] != steps[1] {
		t.Errorf("%+v %v", held, err)
	}
	lists, err := s.TermLists(ctx)
	if err != nil || len(lists) != 2 || lists[0].Version != 1 || lists[1].Version != 0 || len(lists[1].Steps) != 6 {
		t.Errorf("%+v %v", lists, err)
	}
	kind(t, s.SetTerms(ctx, seed.Admin.ID, []term.Step{{From: term.Length{Days: 1}, DiscountPPM: 700_001}}, clock.Now(), nil, store.Request{}), store.Invalid, "terms")
	if err := s.SetTerms(ctx, seed.Member.ID, steps, clock.Now(), nil, store.Request{}); store.KindOf(err) != store.Forbidden {
		t.Errorf("by a member: %v", err)
	}
}

func TestATrialOfPricesKeepsDiscountsAndSpotsShare(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_000_000)
	setDiscount(t, s, seed, store.Discount{TeamID: seed.Team.ID, PPM: less(250_000)})
	start := clock.Now()
	used(t, s, clock, seed, start, start.Add(time.Hour))
	rows, err := s.TryPrices(ctx, start, start.Add(day), []store.PriceChange{{PlanID: aPlan, Kind: store.OnDemand, MicrosPerHour: 4_000_000}})
	if err != nil || len(rows) != 1 || rows[0].WasMicros != 1_500_000 || rows[0].WouldBeMicros != 3_000_000 {
		t.Errorf("%+v %v", rows, err)
	}
	list, err := s.Prices(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if v, ok := p.Holds(clock.Now()); p.Plan.ID == aPlan && (!ok || v.MicrosPerHour != 2_000_000 || v.Version != 2 || p.PoolID != aPool) {
			t.Errorf("%+v", p)
		}
	}
	if err := s.SetPrices(ctx, seed.Admin.ID, []store.PriceChange{{PlanID: aPlan, Kind: store.OnDemand, MicrosPerHour: 1}, {PlanID: "nope", Kind: store.OnDemand}}, clock.Now(), store.Request{}); store.KindOf(err) != store.NotFound {
		t.Errorf("%v", err)
	}
	if after, err := s.Prices(ctx); err != nil || len(after[0].Versions) != len(list[0].Versions) {
		t.Errorf("half of a change was made: %+v %v", after, err)
	}
}

const day = 24 * time.Hour
