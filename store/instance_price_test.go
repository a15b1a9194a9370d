package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/quota"
	"github.com/meterhouse/meterhouse/store/spot"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// MONEY: the rate is locked when the instance starts.
func TestWhatWaitsStartsAtThePriceOfItsStartAndKeepsThat(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	seed := storetest.SeedQuick(t, s) // four GPUs on one node
	q := &site{s: s, clock: clock, people: []store.Person{seed.Member}, starts: map[string]time.Time{}}
	first, _ := q.rent(t, 0, 4, 1, false)
	waits, _ := q.rent(t, 0, 4, 1, true)
	asked := waits.RateMicrosPerHour
	if waits.State != life.Queued || asked != first.RateMicrosPerHour {
		t.Fatalf("%+v", waits)
	}
	plan := waits.PlanID
	storetest.Price(t, s, plan, 8_000_000)
	setDiscount(t, s, seed, store.Discount{TeamID: seed.Team.ID, PPM: less(250_000)})
	db := raw(t, dir)
	refused(t, db, "terms_locked", "UPDATE instance SET rate = 1 WHERE id = ?", first.ID)
	clock.Advance(time.Hour)
	q.tick(t)
	i, err := s.Instance(ctx, waits.ID)
	must(t, err)
	if i.State != life.Running || i.RateMicrosPerHour != 6_000_000 || i.ListMicrosPerHour != 8_000_000 || i.DiscountPPM != 250_000 {
		t.Errorf("it is %s at %d of %d less %d", i.State, i.RateMicrosPerHour, i.ListMicrosPerHour, i.DiscountPPM)
	}
	events, err := s.InstanceEvents(ctx, i.ID, 0)
	must(t, err)
	if !slices.ContainsFunc(events, func(e store.InstanceEvent) bool {
		return e.Kind == "price_locked" && e.Args["is"] == "6.00 USD" && e.Args["was"] != e.Args["is"]
	}) {
		t.Errorf("its events don't say the price: %+v", events)
	}
	storetest.Price(t, s, plan, 1_000_000)
	refused(t, db, "terms_locked", "UPDATE instance SET rate = 1 WHERE id = ?", i.ID)
	refused(t, db, "terms_locked", "UPDATE instance SET discount_ppm = 1 WHERE id = ?", i.ID)
	clock.Advance(30 * time.Minute)
	bill, err := s.Bill(ctx, i.ID)
	must(t, err)
	if bill.TotalMicros != 3_000_000 {
		t.Errorf("half an hour costs %d", bill.TotalMicros)
	}
}

func TestWhatWouldCostMoreAnHourThanItsQuotaAtThePriceOfNowWaits(t *testing.T) {
	q := queueSite(t)
	var first []store.Instance
	for range 2 { // all of both nodes
		i, _ := q.rent(t, 0, 4, 1, false)
		first = append(first, i)
	}
	waits, _ := q.rent(t, 1, 4, 1, true)
	setQuota(t, q.s, store.NewQuota{TeamID: waits.TeamID, Kind: quota.Rate, Limit: waits.RateMicrosPerHour})
	dearer := waits.RateMicrosPerHour + 1
	storetest.Price(t, q.s, waits.PlanID, dearer)
	for _, i := range first {
		q.end(t, i.ID)
	}
	q.tick(t)
	line, _ := q.waiting(t)
	if len(line.Waiting) != 1 || line.Waiting[0].Reason != store.WaitsForQuota {
		t.Fatalf("%+v", line.Waiting)
	}
	storetest.Price(t, q.s, waits.PlanID, dearer-1)
	q.tick(t)
	if i, err := q.s.Instance(ctx, waits.ID); err != nil || i.State != life.Running {
		t.Errorf("%s %v", i.State, err)
	}
}

func TestNothingIsReclaimedForWhatItsQuotaKeepsWaitingAtThePriceOfNow(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	for range 4 {
		running(t, s, rent(t, s, seed, store.RentRequest{GPUCount: 1, Kind: store.Spot}), clock.Now())
	}
	other := addPerson(t, s, "other", store.Member, "physics")
	waits := rent(t, s, seed, store.RentRequest{PersonID: other.ID, GPUCount: 1, Queue: true})
	setQuota(t, s, store.NewQuota{TeamID: waits.TeamID, Kind: quota.Rate, Limit: waits.RateMicrosPerHour})
	storetest.Price(t, s, waits.PlanID, waits.RateMicrosPerHour+1)
	clock.Advance(spot.Safe)
	reclaim(t, s, 0)
	if i := again(t, s, waits); i.ExpectedAt != nil {
		t.Errorf("GPUs are reclaimed for it: %+v", i)
	}
	storetest.Price(t, s, waits.PlanID, waits.RateMicrosPerHour)
	reclaim(t, s, 0)
	if i := again(t, s, waits); i.ExpectedAt == nil {
		t.Errorf("at a price within its quota it is not helped: %+v", i)
	}
}
