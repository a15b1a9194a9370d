package store_test

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func forecast(t *testing.T, s *store.Store, id string) int64 {
	t.Helper()
	b, err := s.Budget(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if b.ForecastMicros == nil {
		return -1
	}
	return *b.ForecastMicros
}

// hour is of an instance at 1.00 an hour, in micro-units.
const hour = 1_000_000

func TestAForecastGoesOnAtTheRecentRate(t *testing.T) {
	s, clock := storetest.Open(t) // Monday 2 March, 09:00 UTC
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", hour)
	newOne := func(n store.NewBudget) string {
		n.TeamID, n.Action = seed.Team.ID, "notify"
		return newBudget(t, s, n).ID
	}
	month := newOne(store.NewBudget{LimitMicros: 700 * hour, Thresholds: []int{}})
	member := newOne(store.NewBudget{PersonID: seed.Member.ID, LimitMicros: 700 * hour, Thresholds: []int{}, Forecasts: []int{}})
	label := newOne(store.NewBudget{Label: "project=x", LimitMicros: 700 * hour, Thresholds: []int{}, Forecasts: []int{}})
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1, Labels: map[string]string{"project": "x"}})
	running(t, s, i, clock.Now())
	whole := int64((24*30 - 9) * hour) // from 2 March 09:00 to the month's end
	clock.Advance(72*time.Hour - time.Second)
	if got := forecast(t, s, month); got != -1 {
		t.Errorf("%d after less than 72 h", got)
	}
	checked(t, s, 0)
	clock.Advance(time.Second)
	for _, id := range []string{month, member, label} {
		if got := forecast(t, s, id); got != whole {
			t.Errorf("after 72 h: %d, want %d", got, whole)
		}
	}
	checked(t, s, 1)
	checked(t, s, 0)
	if m := mails(t, s, "budget_forecast"); len(m) != 1 || m[0].Data["threshold"] != "100" || m[0].Data["spent_micros"] != "711000000" {
		t.Errorf("%+v", m)
	}
	// Booked days count as those that are open; what lies more than 7 days back does not.
	clock.Set(time.Date(2026, 3, 12, 15, 30, 0, 0, time.UTC))
	if err := s.ProofOfLife(ctx, []string{i.ID}, clock.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PostDue(ctx); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{month, member, label} {
		if got := forecast(t, s, id); got != whole {
			t.Errorf("booked: %d, want %d", got, whole)
		}
	}
	if _, err := s.RequestStop(ctx, i.ID, "", ""); err != nil {
		t.Fatal(err)
	}
	used := int64(10*24+6)*hour + hour/2
	clock.Advance(84 * time.Hour) // half of the last 7 days cost nothing
	left := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC).Sub(clock.Now())
	want := used + left.Milliseconds()*hour/3_600_000/2
	for _, id := range []string{month, member, label} {
		if got := forecast(t, s, id); got != want {
			t.Errorf("half: %d, want %d", got, want)
		}
	}
	checked(t, s, 0) // and is told no second time
	clock.Advance(84 * time.Hour)
	if got := forecast(t, s, month); got != used {
		t.Errorf("a week later: %d, want %d", got, used)
	}
}

func TestReservationsAreForecastAsWhatTheyAre(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", hour)
	b := newBudget(t, s, store.NewBudget{TeamID: seed.Team.ID, LimitMicros: 1_000 * hour})
	if _, err := s.Reserve(ctx, store.NewReservation{PersonID: seed.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: 1, Start: clock.Now(), End: clock.Now().Add(10 * time.Hour)}); err != nil {
		t.Fatal(err)
	}
	later := time.Date(2026, 3, 31, 20, 0, 0, 0, time.UTC)
	if _, err := s.Reserve(ctx, store.NewReservation{PersonID: seed.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: 1, Start: later, End: later.Add(10 * time.Hour)}); err != nil {
		t.Fatal(err)
	}
	clock.Advance(96 * time.Hour)
	if got := forecast(t, s, b.ID); got != 14*hour { // what was had and is not gone on with, and the part in this month
		t.Errorf("forecast %d", got)
	}
}

func TestARollingBudgetLooksAheadAsFarAsItLooksBack(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", hour)
	b := newBudget(t, s, store.NewBudget{TeamID: seed.Team.ID, Period: "rolling", RollingDays: 10, LimitMicros: 200 * hour})
	if b.RollingDays != 10 || !b.PeriodStart.Equal(time.Date(2026, 2, 21, 0, 0, 0, 0, time.UTC)) || !b.PeriodEnd.Equal(time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", b)
	}
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	running(t, s, i, clock.Now())
	clock.Advance(80 * time.Hour)
	if got := forecast(t, s, b.ID); got != 240*hour {
		t.Errorf("forecast %d", got)
	}
	checked(t, s, 1) // what is expected
	clock.Advance(22 * time.Hour)
	checked(t, s, 1) // 50 %
	fired := 0
	for range 30 { // a day each: 80 and 100, no more for as long as the last ten days cost as much
		clock.Advance(24 * time.Hour)
		n, err := s.CheckBudgets(ctx)
		if err != nil {
			t.Fatal(err)
		}
		fired += n
	}
	if fired != 5 { // 80 and 100 %, and the forecast each ten days
		t.Errorf("fired %d", fired)
	}
	if _, err := s.RequestStop(ctx, i.ID, "", ""); err != nil {
		t.Fatal(err)
	}
	clock.Advance(11 * 24 * time.Hour)
	checked(t, s, 0)
	j := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	running(t, s, j, clock.Now())
	clock.Advance(5 * 24 * time.Hour)
	if n, err := s.CheckBudgets(ctx); err != nil || n == 0 {
		t.Errorf("half of it again was not told: %d %v", n, err)
	}
}
