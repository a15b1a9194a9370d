package store_test

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/spot"
	"github.com/meterhouse/meterhouse/store/storetest"
)

const pool = "a100-sxm4-80gb"

func follow(t *testing.T, s *store.Store) store.SpotMarket {
	t.Helper()
	if err := s.FollowSpotMarkets(ctx); err != nil {
		t.Fatal(err)
	}
	all, err := s.SpotMarkets(ctx)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v %v", all, err)
	}
	return all[0]
}

func spotOffer(t *testing.T, s *store.Store) store.Offer {
	t.Helper()
	offers, err := s.Offers(ctx)
	if err != nil || offers[0].SpotMicrosPerHour == nil || offers[0].Plan.GPUCount != 1 {
		t.Fatalf("%+v %v", offers, err)
	}
	return offers[0]
}

func TestTheSpotPriceFollowsTheUseAtItsPaceAndIsLockedAtRent(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)
	if m := follow(t, s); m.FactorPPM != 300_000 || m.UsePPM != 0 || m.Runs != 0 {
		t.Fatalf("%+v", m)
	}
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1, Kind: store.Spot})
	if i.RateMicrosPerHour != 750_000 || i.ListMicrosPerHour != 2_500_000 {
		t.Fatalf("%+v", i)
	}
	rent(t, s, seed, store.RentRequest{GPUCount: 2})
	rent(t, s, seed, store.RentRequest{GPUCount: 1})
	if m := follow(t, s); m.UsePPM != spot.Whole || m.FactorPPM != 300_000 {
		t.Fatalf("%+v", m)
	}
	clock.Advance(spot.Pace)
	if o := spotOffer(t, s); *o.SpotMicrosPerHour != spot.Price(2_500_000, 300_000) {
		t.Errorf("the average is still below the bend: %d", *o.SpotMicrosPerHour)
	}
	clock.Advance(30 * 24 * time.Hour)
	if o := spotOffer(t, s); *o.SpotMicrosPerHour != 2_250_000 {
		t.Errorf("full for long: %d", *o.SpotMicrosPerHour)
	}
	if m := follow(t, s); m.FactorPPM != 900_000 {
		t.Errorf("%+v", m)
	}
	prices, err := s.SpotPrices(ctx, pool, storetest.Start)
	if err != nil || len(prices) < 50 || prices[0].FactorPPM != 300_000 || prices[len(prices)-1].FactorPPM != 900_000 {
		t.Fatalf("%d prices, %v", len(prices), err)
	}
	for k, p := range prices[1:] {
		before := prices[k].FactorPPM
		if p.FactorPPM-before > before/50 || p.At.Sub(prices[k].At) < spot.Pace {
			t.Fatalf("from %+v to %+v", prices[k], p)
		}
	}
	if i, err = s.Instance(ctx, i.ID); err != nil || i.RateMicrosPerHour != 750_000 {
		t.Errorf("%d %v", i.RateMicrosPerHour, err)
	}
}

// However often the loop looks, and whether it ran at all, the same prices are written down.
func TestAConsoleThatWasDownWritesTheSamePrices(t *testing.T) {
	var all [2][]store.SpotPrice
	for k := range all {
		s, clock := storetest.Open(t)
		seed := storetest.SeedQuick(t, s)
		follow(t, s)
		rent(t, s, seed, store.RentRequest{GPUCount: 4})
		follow(t, s)
		for range 300 {
			clock.Advance(time.Minute)
			if k == 0 {
				follow(t, s)
			}
		}
		follow(t, s)
		var err error
		if all[k], err = s.SpotPrices(ctx, pool, storetest.Start); err != nil {
			t.Fatal(err)
		}
	}
	if len(all[0]) != len(all[1]) || len(all[0]) < 20 {
		t.Fatalf("%d and %d prices", len(all[0]), len(all[1]))
	}
	for k := range all[0] {
		if all[0][k] != all[1][k] {
			t.Fatalf("%+v and %+v", all[0][k], all[1][k])
		}
	}
}

func TestTheAdminsMinimumIsAFloor(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	for ppm, field := range map[int64]string{99_999: "minimum", 1_000_001: "minimum"} {
		kind(t, s.SetSpotMinimum(ctx, pool, ppm, seed.Admin.ID), store.Invalid, field)
	}
	kind(t, s.SetSpotMinimum(ctx, "x", 200_000, seed.Admin.ID), store.NotFound, "")
	kind(t, s.SetPrices(ctx, "", []store.PriceChange{{PlanID: pool + "-x1", Kind: store.Spot, MicrosPerHour: 5}}, clock.Now(), store.Request{}), store.Invalid, "kind")
	if err := s.SetSpotMinimum(ctx, pool, 600_000, seed.Admin.ID); err != nil {
		t.Fatal(err)
	}
	if m := follow(t, s); m.MinimumPPM != 600_000 || m.FactorPPM != 300_000 {
		t.Errorf("at its own pace: %+v", m)
	}
	clock.Advance(10 * time.Hour)
	if m := follow(t, s); m.FactorPPM != 600_000 {
		t.Errorf("%+v", m)
	}
}

func TestSavingIsWhatOnDemandWouldHaveCost(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1, Kind: store.Spot})
	running(t, s, i, clock.Now())
	clock.Advance(4 * time.Hour)
	i, err := s.Instance(ctx, i.ID)
	if err != nil || i.SavedMicros == nil || *i.SavedMicros != 7_000_000 || i.State != life.Running {
		t.Errorf("%+v %v", i, err)
	}
	other := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	if other.SavedMicros != nil {
		t.Error("a saving on demand")
	}
}
