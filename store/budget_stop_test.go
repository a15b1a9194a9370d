package store_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// overspent is a team's budget of 1.00 that stops, with an instance at 1.00 an hour that has just used it up.
func overspent(t *testing.T) (*store.Store, *storetest.Clock, storetest.Seeded, store.Budget, store.Instance) {
	t.Helper()
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	b := newBudget(t, s, store.NewBudget{Name: "month", TeamID: seed.Team.ID, LimitMicros: 1_000_000, Action: "stop"})
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 1_000_000)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1, Name: "training"})
	running(t, s, i, clock.Now())
	clock.Advance(time.Hour - time.Second)
	checked(t, s, 2)
	if got := len(mails(t, s, "budget_stop_notice")); got != 0 {
		t.Fatalf("%d notices below the limit", got)
	}
	clock.Advance(time.Second)
	checked(t, s, 1)
	return s, clock, seed, b, i
}

func stateOf(t *testing.T, s *store.Store, id string) (life.State, string) {
	t.Helper()
	i, err := s.Instance(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return i.State, i.StopReason
}

func events(t *testing.T, s *store.Store, id, kind string) (n int) {
	t.Helper()
	all, err := s.InstanceEvents(ctx, id, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func TestWhatRunsOnAUsedUpBudgetIsStoppedAfterItsNotice(t *testing.T) {
	s, clock, seed, b, i := overspent(t)
	at := clock.Now().Add(15 * time.Minute)
	told := mails(t, s, "budget_stop_notice")
	var to []string
	for _, m := range told {
		to = append(to, m.To)
		if m.Data["instances"] != "training" || m.Data["at"] != at.Format(time.RFC3339) || m.Data["spent_micros"] != "1000000" {
			t.Errorf("%+v", m)
		}
	}
	if got := strings.Join(to, " "); got != seed.Admin.Email+" "+seed.Member.Email {
		t.Errorf("told %s", got)
	}
	stops, err := s.BudgetStops(ctx, seed.Team.ID)
	if err != nil || len(stops) != 1 || stops[0].BudgetID != b.ID || !stops[0].StopsAt.Equal(at) || len(stops[0].Instances) != 1 || stops[0].Instances[0] != i.ID {
		t.Errorf("stops: %+v %v", stops, err)
	}
	if _, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, CPUOnly: true}); store.KindOf(err) != store.BudgetBlocks {
		t.Errorf("more was rented: %v", err)
	}
	clock.Set(at.Add(-time.Microsecond))
	checked(t, s, 1) // 120 %
	if state, _ := stateOf(t, s, i.ID); state != life.Running {
		t.Errorf("%s before the notice was over", state)
	}
	clock.Set(at)
	var wg sync.WaitGroup
	for range 4 { // however many look
		wg.Go(func() { checked(t, s, 0) })
	}
	wg.Wait()
	if state, why := stateOf(t, s, i.ID); state != life.Stopping || why != "budget" {
		t.Errorf("%s because of %q", state, why)
	}
	if n := events(t, s, i.ID, "stop_requested"); n != 1 {
		t.Errorf("asked to stop %d times", n)
	}
	ended(t, s, i, store.End{})
	clock.Advance(time.Hour)
	checked(t, s, 0)
	if n := len(mails(t, s, "budget_stop_notice")); n != 2 {
		t.Errorf("%d notices", n)
	}
	if m := mails(t, s, "instance_stopped"); len(m) != 1 || m[0].Data["reason"] != "budget" {
		t.Errorf("%+v", m)
	}
}

func TestMoreMoneyCallsAStopOff(t *testing.T) {
	for name, more := range map[string]func(*testing.T, *store.Store, storetest.Seeded, store.Budget, store.Instance){
		"the limit is raised": func(t *testing.T, s *store.Store, seed storetest.Seeded, b store.Budget, _ store.Instance) {
			if _, err := s.UpdateBudget(ctx, seed.Admin.ID, b.ID, store.NewBudget{Name: "month", LimitMicros: 9_000_000, Action: "stop"}); err != nil {
				t.Fatal(err)
			}
		},
		"the budget is deleted": func(t *testing.T, s *store.Store, seed storetest.Seeded, b store.Budget, _ store.Instance) {
			if err := s.DeleteBudget(ctx, seed.Admin.ID, b.ID); err != nil {
				t.Fatal(err)
			}
		},
		"it only tells from now on": func(t *testing.T, s *store.Store, seed storetest.Seeded, b store.Budget, _ store.Instance) {
			if _, err := s.UpdateBudget(ctx, seed.Admin.ID, b.ID, store.NewBudget{Name: "month", LimitMicros: b.LimitMicros, Action: "notify"}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, clock, seed, b, i := overspent(t)
			clock.Advance(14 * time.Minute)
			more(t, s, seed, b, i)
			if stops, err := s.BudgetStops(ctx, ""); err != nil || len(stops) != 0 {
				t.Errorf("still: %+v %v", stops, err)
			}
			clock.Advance(10 * time.Minute)
			if _, err := s.CheckBudgets(ctx); err != nil {
				t.Fatal(err)
			}
			if state, _ := stateOf(t, s, i.ID); state != life.Running {
				t.Errorf("it is %s", state)
			}
			if n := events(t, s, i.ID, "budget_stop_off"); n != 1 {
				t.Errorf("told %d times that it goes on", n)
			}
		})
	}
}

func TestALimitThatIsRaisedTooLittleGivesANewNotice(t *testing.T) {
	s, clock, seed, b, i := overspent(t)
	clock.Advance(10 * time.Minute)
	if _, err := s.UpdateBudget(ctx, seed.Admin.ID, b.ID, store.NewBudget{Name: "month", LimitMicros: 1_100_000, Action: "stop"}); err != nil {
		t.Fatal(err)
	}
	stops, err := s.BudgetStops(ctx, "")
	if err != nil || len(stops) != 1 || !stops[0].StopsAt.Equal(clock.Now().Add(15*time.Minute)) {
		t.Errorf("stops: %+v %v", stops, err)
	}
	clock.Advance(5 * time.Minute) // when the first would have been over
	if _, err := s.CheckBudgets(ctx); err != nil {
		t.Fatal(err)
	}
	if state, _ := stateOf(t, s, i.ID); state != life.Running {
		t.Errorf("it is %s", state)
	}
}

func TestWhatIsReservedIsNotStoppedByABudget(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 1_000_000)
	r, err := s.Reserve(ctx, store.NewReservation{PersonID: seed.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: 1, Start: clock.Now(), End: clock.Now().Add(48 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	i := rent(t, s, seed, store.RentRequest{Kind: store.Reserved, ReservationID: r.ID, GPUCount: 1})
	running(t, s, i, clock.Now())
	newBudget(t, s, store.NewBudget{TeamID: seed.Team.ID, LimitMicros: 1_000_000, Action: "stop"})
	clock.Advance(20 * time.Hour)
	checked(t, s, 4)
	clock.Advance(time.Hour)
	checked(t, s, 0)
	if state, _ := stateOf(t, s, i.ID); state != life.Running || len(mails(t, s, "budget_stop_notice")) != 0 {
		t.Errorf("it is %s", state)
	}
}

func TestABudgetMayLeaveSpotAlone(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	newBudget(t, s, store.NewBudget{Name: "cheap", TeamID: seed.Team.ID, LimitMicros: 1_000_000, Action: "spot_only"})
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 1_000_000)
	running(t, s, rent(t, s, seed, store.RentRequest{GPUCount: 1}), clock.Now())
	clock.Advance(90 * time.Minute)
	_, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
	if e := kind(t, err, store.BudgetBlocks, ""); e.Message != "budget_spot_only" || e.Args["spent"] != "1.50 USD" || e.Args["raised_by"] != "admin" || e.Args["until"] != "2026-04-01 00:00 UTC" {
		t.Errorf("%+v", e)
	}
	kind(t, s.BudgetRefuses(ctx, seed.Member.ID, "", nil, store.OnDemand), store.BudgetBlocks, "")
	if err := s.BudgetRefuses(ctx, seed.Member.ID, "", nil, store.Spot); err != nil {
		t.Errorf("spot: %v", err)
	}
	if _, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1, Kind: store.Spot}); store.KindOf(err) == store.BudgetBlocks {
		t.Errorf("spot: %v", err)
	}
	clock.Set(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC))
	rent(t, s, seed, store.RentRequest{GPUCount: 1})
}
