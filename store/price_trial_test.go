package store_test

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func TestAPriceIsTriedOnWhatWasUsed(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)
	start := clock.Now()
	used(t, s, clock, seed, start, start.Add(3723*time.Second)) // 2,585,417
	used(t, s, clock, seed, start.Add(2*time.Hour), start.Add(2*time.Hour+12*time.Second))
	try := func(from, to time.Time, changes ...store.PriceChange) store.TrialRow {
		t.Helper()
		rows, err := s.TryPrices(ctx, from, to, changes)
		if err != nil || len(rows) != 1 {
			t.Fatalf("%+v, %v", rows, err)
		}
		return rows[0]
	}
	end := start.Add(24 * time.Hour)
	same := try(start, end)
	if same.WasMicros != 2_585_417+41_667 || same.WouldBeMicros != same.WasMicros || same.GPUSeconds != 3735 {
		t.Errorf("unchanged: %+v", same)
	}
	more := try(start, end, store.PriceChange{PlanID: "a100-sxm4-80gb-x1", Kind: store.OnDemand, MicrosPerHour: 2_800_000})
	if more.WasMicros != same.WasMicros || more.WouldBeMicros != 2_895_667+46_667 {
		t.Errorf("dearer: %+v", more)
	}
	if _, err := s.TryPrices(ctx, start, end, []store.PriceChange{{MicrosPerHour: -1}}); store.KindOf(err) != store.Invalid {
		t.Errorf("a negative price: %v", err)
	}
	if i, err := s.Usage(ctx, store.UsageQuery{GroupBy: "team"}); err != nil || i[0].CostMicros != same.WasMicros {
		t.Errorf("the trial changed what was booked: %+v %v", i, err)
	}
}
