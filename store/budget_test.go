package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func newBudget(t *testing.T, s *store.Store, n store.NewBudget) store.Budget {
	t.Helper()
	if n.Name == "" {
		n.Name = "a budget"
	}
	b, err := s.CreateBudget(ctx, "", n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func checked(t *testing.T, s *store.Store, want int) {
	t.Helper()
	if n, err := s.CheckBudgets(ctx); err != nil || n != want {
		t.Errorf("%d thresholds fired, want %d (%v)", n, want, err)
	}
}

func mails(t *testing.T, s *store.Store, template string) (found []store.Mail) {
	t.Helper()
	due, err := s.DueMail(ctx, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range due {
		if m.Template == template {
			found = append(found, m)
		}
	}
	return found
}

// M8, M9: once a threshold, version and period, whatever was crossed between two looks.
func TestAThresholdFiresOnce(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	b := newBudget(t, s, store.NewBudget{TeamID: seed.Team.ID, LimitMicros: 1_000_000})
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 1_000_000)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	running(t, s, i, clock.Now())
	checked(t, s, 0)
	clock.Advance(30 * time.Minute)
	checked(t, s, 1) // 50 %: on the page alone
	if got := len(mails(t, s, "budget_threshold")); got != 0 {
		t.Errorf("%d mails at 50 %%", got)
	}
	clock.Advance(18 * time.Minute)
	var wg sync.WaitGroup
	var mu sync.Mutex
	fired := 0
	for range 8 {
		wg.Go(func() {
			n, err := s.CheckBudgets(ctx)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			fired += n
		})
	}
	wg.Wait()
	if fired != 1 {
		t.Errorf("80 %% fired %d times", fired)
	}
	if m := mails(t, s, "budget_threshold"); len(m) != 1 || m[0].To != seed.Admin.Email || m[0].Data["threshold"] != "80" || m[0].Data["spent_micros"] != "800000" {
		t.Errorf("mail at 80 %%: %+v", m)
	}
	clock.Advance(24 * time.Hour)
	checked(t, s, 2) // 100 and 120 at once
	checked(t, s, 0)
	if got := len(mails(t, s, "budget_reached")); got != 2 {
		t.Errorf("%d mails at 100 and 120 %%", got)
	}
	if err := s.MailSent(ctx, mails(t, s, "budget_threshold")[0].ID); err != nil {
		t.Fatal(err)
	}
	b, err := s.Budget(ctx, b.ID)
	if err != nil || len(b.Fired) != 4 || b.SpentMicros != 24_800_000 || b.Fired[1].SpentMicros != 800_000 {
		t.Fatalf("budget: %+v %v", b, err)
	}
	for k, want := range []store.MailState{"", store.MailIsSent, store.MailWaits, store.MailWaits} {
		if b.Fired[k].Mail != want {
			t.Errorf("the mail at %d %% is %q, want %q", b.Fired[k].Threshold, b.Fired[k].Mail, want)
		}
	}
	// A raised limit starts a new version.
	if b, err = s.UpdateBudget(ctx, seed.Admin.ID, b.ID, store.NewBudget{Name: "more", LimitMicros: 40_000_000}); err != nil || b.Version != 2 || len(b.Fired) != 0 {
		t.Errorf("raised: %+v %v", b, err)
	}
	checked(t, s, 1) // 50 % of it
	// A new period begins at zero.
	clock.Set(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC))
	if b, err = s.Budget(ctx, b.ID); err != nil || b.SpentMicros != 0 {
		t.Errorf("new period: %+v %v", b, err)
	}
}

func TestWhatWasCrossedWhileNobodyLookedIsToldLater(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	newBudget(t, s, store.NewBudget{TeamID: seed.Team.ID, LimitMicros: 24_000_000, Period: "day", Thresholds: []int{100}, Emails: []string{"pay@example.org"}})
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_000_000)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	running(t, s, i, clock.Now()) // Monday 09:00: 30, then 48, then 48, then 2
	clock.Set(time.Date(2026, 3, 5, 1, 0, 0, 0, time.UTC))
	checked(t, s, 3)
	checked(t, s, 0)
	if m := mails(t, s, "budget_reached"); len(m) != 3 || m[0].To != "pay@example.org" {
		t.Errorf("mails: %+v", m)
	}
	// A budget that is made today has nothing to say about yesterday.
	newBudget(t, s, store.NewBudget{TeamID: seed.Team.ID, LimitMicros: 24_000_000, Period: "day"})
	checked(t, s, 0)
}

func TestAThresholdFiresAlsoWhereTheClockWentBackBehindTheBudgetsVersion(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 1_000_000)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	running(t, s, i, clock.Now()) // Monday 09:00
	clock.Set(time.Date(2026, 3, 3, 1, 0, 0, 0, time.UTC))
	newBudget(t, s, store.NewBudget{TeamID: seed.Team.ID, LimitMicros: 2_000_000, Period: "day", Thresholds: []int{100}})
	checked(t, s, 0)
	clock.Set(time.Date(2026, 3, 2, 22, 0, 0, 0, time.UTC)) // the day before, on which 13 are spent
	checked(t, s, 1)
	checked(t, s, 0)
}

func TestABlockingBudgetRefusesToRent(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	newBudget(t, s, store.NewBudget{Name: "member's", PersonID: seed.Member.ID, LimitMicros: 500_000, Action: "block"})
	newBudget(t, s, store.NewBudget{Name: "project", TeamID: seed.Team.ID, Label: "project=x", LimitMicros: 100_000, Action: "block"})
	newBudget(t, s, store.NewBudget{Name: "team's", TeamID: seed.Team.ID, LimitMicros: 100, Action: "notify"})
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 1_000_000)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1, Labels: map[string]string{"project": "x"}})
	running(t, s, i, clock.Now())
	clock.Advance(6 * time.Minute)
	_, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1, Labels: map[string]string{"project": "x"}})
	if e := kind(t, err, store.BudgetBlocks, ""); e.Args["budget"] != "project" || e.Args["spent"] != "0.10 USD" || e.Args["limit"] != "0.10 USD" {
		t.Errorf("args: %v", e.Args)
	}
	waits := rent(t, s, seed, store.RentRequest{GPUCount: 4, Queue: true})
	left, ok, err := s.BudgetLeft(ctx, seed.Member.ID, "")
	if err != nil || !ok || left.Name != "team's" || left.LeftMicros != 100-100_000 || left.Action != "notify" {
		t.Errorf("left: %+v %v %v", left, ok, err)
	}
	clock.Advance(24 * time.Minute)
	_, _, err = s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, CPUOnly: true})
	kind(t, err, store.BudgetBlocks, "")
	if _, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Admin.ID, CPUOnly: true}); err != nil {
		t.Errorf("another person: %v", err)
	}
	if _, err := s.RequestStop(ctx, i.ID, "", "hard_end"); err != nil {
		t.Fatal(err)
	}
	ended(t, s, i, store.End{})
	if n, err := s.PlaceQueued(ctx); err != nil || n != 0 {
		t.Errorf("placed %d in spite of the budget, %v", n, err)
	}
	clock.Set(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)) // next month's money
	if n, err := s.PlaceQueued(ctx); err != nil || n != 1 {
		t.Errorf("placed %d, %v", n, err)
	}
	if waits, err = s.Instance(ctx, waits.ID); err != nil || waits.State != life.Starting {
		t.Errorf("waiting: %+v %v", waits, err)
	}
}

func TestWhoMaySetBudgets(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	n := store.NewBudget{Name: "x", TeamID: seed.Team.ID, LimitMicros: 1}
	_, err := s.CreateBudget(ctx, seed.Member.ID, n)
	kind(t, err, store.Forbidden, "")
	b, err := s.CreateBudget(ctx, seed.Admin.ID, n)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.UpdateBudget(ctx, seed.Member.ID, b.ID, n)
	kind(t, err, store.Forbidden, "")
	kind(t, s.DeleteBudget(ctx, seed.Member.ID, b.ID), store.Forbidden, "")
	for field, wrong := range map[string]store.NewBudget{
		"name":       {LimitMicros: 1},
		"limit":      {Name: "x"},
		"scope":      {Name: "x", LimitMicros: 1, Scope: "world"},
		"period":     {Name: "x", LimitMicros: 1, Period: "moon"},
		"action":     {Name: "x", LimitMicros: 1, Action: "explode"},
		"thresholds": {Name: "x", LimitMicros: 1, Thresholds: []int{0}},
		"emails":     {Name: "x", LimitMicros: 1, Emails: []string{"a\r\nBcc: b@example.org"}},
		"label":      {Name: "x", LimitMicros: 1, Scope: "label", Label: "x"},
		"person":     {Name: "x", LimitMicros: 1, Scope: "member"},
		"team":       {Name: "x", LimitMicros: 1, TeamID: "t-none"},
	} {
		_, err := s.CreateBudget(ctx, seed.Admin.ID, wrong)
		if field == "team" {
			kind(t, err, store.NotFound, "")
			continue
		}
		kind(t, err, store.Invalid, field)
	}
	if err := s.DeleteBudget(ctx, seed.Admin.ID, b.ID); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Budgets(ctx, ""); err != nil || len(all) != 0 {
		t.Errorf("budgets: %v %v", all, err)
	}
}

func TestMailIsTriedEightTimesAndThenShown(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	if err := s.MarkStartFailed(ctx, i.ID, "why", clock.Now(), store.Proof{Clean: true}); err != nil {
		t.Fatal(err)
	}
	began := clock.Now()
	for try := range 8 {
		box, err := s.Outbox(ctx)
		if err != nil || len(box.Open) != 1 || box.Open[0].NextTryAt.Before(clock.Now()) {
			t.Fatalf("try %d: %+v %v", try, box.Open, err)
		}
		at := box.Open[0].NextTryAt
		if at.After(clock.Now()) {
			if due, err := s.DueMail(ctx, 0); err != nil || len(due) != 0 {
				t.Errorf("due early: %+v %v", due, err)
			}
		}
		clock.Set(at)
		due, err := s.DueMail(ctx, 0)
		if err != nil || len(due) != 1 || due[0].Tries != try || due[0].MessageID != "instance-stopped."+i.ID+"@meterhouse" {
			t.Fatalf("try %d: %+v %v", try, due, err)
		}
		if err := s.MailFailed(ctx, due[0].ID, "connection refused\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	if clock.Now().Sub(began) < 22*time.Hour {
		t.Errorf("given up after %v", clock.Now().Sub(began))
	}
	box, err := s.Outbox(ctx)
	dead := box.Dead
	if err != nil || len(box.Open) != 0 || len(dead) != 1 || dead[0].LastError != "connection refused" || dead[0].DeadAt == nil {
		t.Errorf("dead: %+v %v", dead, err)
	}
}
