package store_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/storetest"
	"pgregory.net/rapid"
)

// purse does to budgets what people, work and time do, in any order, and holds what fired against what was crossed.
type purse struct {
	t     *testing.T
	dir   string
	clock *storetest.Clock
	s     *store.Store
	seed  storetest.Seeded
	runs  []string
	ever  map[string]bool // every threshold that was ever seen as fired
}

func (p *purse) open(t *rapid.T) {
	s, err := store.Open(ctx, store.Config{Path: p.dir, Now: p.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	p.s = s
}

// keyOf names a firing of a budget's version and period.
func keyOf(b store.Budget, kind string, threshold int) string {
	return fmt.Sprint(b.ID, " ", b.Version, " ", b.PeriodStart.Unix(), " ", kind, " ", threshold)
}

// rollingKey names that a version of a rolling budget has ever told a threshold.
func rollingKey(b store.Budget, threshold int) string {
	return fmt.Sprint("rolling ", b.ID, " ", b.Version, " ", threshold)
}

// look checks: what is crossed now has fired, what fired stays, and each has the mails that it should, once.
func (p *purse) look(t *rapid.T) {
	if _, err := p.s.CheckBudgets(ctx); err != nil {
		t.Fatal(err)
	}
	if n, err := p.s.CheckBudgets(ctx); err != nil || n != 0 {
		t.Fatalf("fired %d again, %v", n, err)
	}
	all, err := p.s.Budgets(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	now := map[string]bool{}
	for _, b := range all {
		for kind, fired := range map[string][]store.Fire{"actual": b.Fired, "forecast": b.ForecastFired} {
			for _, f := range fired {
				if b.Period != "rolling" {
					now[keyOf(b, kind, f.Threshold)] = true
				} else if kind == "actual" { // told once for as long as the days that pass all reach it, which may be longer ago than the period
					p.ever[rollingKey(b, f.Threshold)] = true
				}
				if len(budget.Crossed([]int{f.Threshold}, f.SpentMicros, b.LimitMicros)) == 0 {
					t.Fatalf("%s fired at %d %% with %d of %d", b.Name, f.Threshold, f.SpentMicros, b.LimitMicros)
				}
			}
			for _, threshold := range budget.Crossed(b.Thresholds, b.SpentMicros, b.LimitMicros) {
				if kind == "actual" && !p.ever[rollingKey(b, threshold)] && !slices.ContainsFunc(fired, func(f store.Fire) bool { return f.Threshold == threshold }) {
					t.Fatalf("%s has spent %d of %d and %d %% did not fire", b.Name, b.SpentMicros, b.LimitMicros, threshold)
				}
			}
			for key := range p.ever {
				for _, threshold := range append(b.Thresholds, b.Forecasts...) {
					if b.Period != "rolling" && key == keyOf(b, kind, threshold) && !now[key] {
						t.Fatalf("%s unfired", key)
					}
				}
			}
		}
	}
	for key := range now {
		p.ever[key] = true
	}
	once(t, p.s)
}

// once checks that nobody got two mails about one crossing.
func once(t interface{ Fatalf(string, ...any) }, s *store.Store) {
	due, err := s.DueMail(ctx, 1000)
	if err != nil {
		t.Fatalf("%v", err)
	}
	seen := map[string]bool{}
	for _, m := range due {
		key := fmt.Sprint(m.To, " ", m.Template, " ", m.Data["budget"], " ", m.Data["version"], " ", m.Data["period_start"], " ", m.Data["threshold"], " ", m.Data["at"])
		if m.Data["budget"] != "" && seen[key] {
			t.Fatalf("twice: %s", key)
		}
		seen[key] = true
	}
}

func TestEachThresholdFiresOnceInAnyOrderOfThings(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &purse{t: t, dir: t.TempDir(), clock: storetest.NewClock(), ever: map[string]bool{}}
		p.open(rt)
		defer func() { p.s.Close() }()
		p.seed = storetest.SeedQuick(t, p.s)
		storetest.Price(t, p.s, "a100-sxm4-80gb-x1", 1_000_000)
		for _, n := range []store.NewBudget{{Name: "day", Period: "day"}, {Name: "month", Action: "block"}, {Name: "rolling", Period: "rolling", RollingDays: 3}, {Name: "stop", Period: "week", Action: "stop"}, {Name: "label", Label: "project=x", Action: "spot_only"}} {
			n.TeamID, n.LimitMicros = p.seed.Team.ID, rapid.Int64Range(1, 60_000_000).Draw(rt, "limit")
			newBudget(t, p.s, n)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"rent": func(t *rapid.T) {
				i, _, err := p.s.Rent(ctx, store.RentRequest{PersonID: p.seed.Member.ID, GPUCount: 1, Labels: map[string]string{"project": "x"}})
				expected(t, err)
				if err == nil {
					p.runs = append(p.runs, i.ID)
					expected(t, p.s.MarkRunning(ctx, i.ID, p.clock.Now()))
				}
			},
			"end": func(t *rapid.T) {
				for _, id := range p.runs {
					expected(t, p.s.MarkEnded(ctx, id, store.End{}))
					expected(t, p.s.MarkStopped(ctx, id, store.Proof{Clean: true}))
				}
			},
			"post": func(t *rapid.T) {
				expected(t, p.s.ProofOfLife(ctx, p.runs, p.clock.Now()))
				_, err := p.s.PostDue(ctx)
				expected(t, err)
			},
			"correct": func(t *rapid.T) { p.correct(t) },
			"raise": func(t *rapid.T) {
				all, err := p.s.Budgets(ctx, "")
				if err != nil {
					t.Fatal(err)
				}
				b := rapid.SampledFrom(all).Draw(t, "budget")
				_, err = p.s.UpdateBudget(ctx, "", b.ID, store.NewBudget{Name: b.Name, Scope: b.Scope, Label: b.Label, TeamID: b.TeamID, Period: b.Period, RollingDays: b.RollingDays, Action: b.Action,
					LimitMicros: b.LimitMicros * rapid.Int64Range(1, 3).Draw(t, "times")})
				expected(t, err)
			},
			"hours": func(t *rapid.T) { p.clock.Advance(time.Duration(rapid.Int64Range(1, 30).Draw(t, "h")) * time.Hour) },
			"back": func(t *rapid.T) {
				p.clock.Advance(-time.Duration(rapid.Int64Range(1, 10_800).Draw(t, "s")) * time.Second)
			},
			"reopen": func(t *rapid.T) {
				if err := p.s.Close(); err != nil {
					t.Fatal(err)
				}
				p.open(t)
			},
			"look": p.look,
		})
		p.look(rt)
	})
}

// correct books a correction of something that is booked, maybe of a day that is long over.
func (p *purse) correct(t *rapid.T) {
	entries, _, err := p.s.Entries(ctx, store.EntryFilter{})
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) == 0 {
		t.Skip("nothing booked yet")
	}
	_, err = p.s.Correct(ctx, p.seed.Admin.ID, store.Correction{CorrectsID: rapid.SampledFrom(entries).Draw(t, "entry").ID, Kind: store.EntryCorrection, Note: "why",
		AmountMicros: rapid.SampledFrom([]int64{-40_000_000, -1_000_000, 1_000_000, 40_000_000}).Draw(t, "micros")})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBudgetCrashHelper is not a test: it is the process that TestAThresholdFiresOnceWhoeverIsKilled kills. It looks at
// budgets while limits are raised, and says when it begins.
func TestBudgetCrashHelper(t *testing.T) {
	dir := os.Getenv("METERHOUSE_TEST_BUDGET_DIR")
	if dir == "" {
		t.Skip("runs as a process of its own")
	}
	hours, err := strconv.Atoi(os.Getenv("METERHOUSE_TEST_BUDGET_HOURS"))
	if err != nil {
		t.Fatal(err)
	}
	clock := storetest.NewClock()
	clock.Advance(time.Duration(hours) * time.Hour)
	s := storetest.OpenDir(t, dir, clock)
	all, err := s.Budgets(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("begins")
	for n := 0; ; n++ {
		clock.Advance(time.Minute)
		if _, err := s.CheckBudgets(ctx); err != nil {
			t.Fatal(err)
		}
		if b := all[n%len(all)]; n%7 == 0 {
			_, err := s.UpdateBudget(ctx, "", b.ID, store.NewBudget{Name: b.Name, TeamID: b.TeamID, Period: b.Period, RollingDays: b.RollingDays, Action: b.Action, LimitMicros: b.LimitMicros + int64(n)*100_000})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestAThresholdFiresOnceWhoeverIsKilled(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 1_000_000)
	for _, n := range []store.NewBudget{{Name: "day", Period: "day"}, {Name: "month"}, {Name: "rolling", Period: "rolling", RollingDays: 2}, {Name: "stop", Period: "week", Action: "stop"}} {
		n.TeamID, n.LimitMicros = seed.Team.ID, 100_000
		newBudget(t, s, n)
	}
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	running(t, s, i, clock.Now())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		run := exec.Command(os.Args[0], "-test.run=^TestBudgetCrashHelper$", "-test.timeout=60s")
		run.Env = append(os.Environ(), "METERHOUSE_TEST_BUDGET_DIR="+dir, "METERHOUSE_TEST_BUDGET_HOURS="+strconv.Itoa(24*round))
		pipe, err := run.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		if lines := bufio.NewScanner(pipe); !lines.Scan() || lines.Text() != "begins" {
			t.Fatalf("it said %q", lines.Text())
		}
		time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond) // anywhere in what it does
		if err := run.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = run.Wait() // killed
	}
	clock.Advance(time.Duration(24*rounds) * time.Hour)
	s = storetest.OpenDir(t, dir, clock)
	if _, err := s.CheckBudgets(ctx); err != nil {
		t.Fatal(err)
	}
	checked(t, s, 0)
	once(t, s)
	if n := events(t, s, i.ID, "stop_requested"); n != 1 {
		t.Errorf("asked to stop %d times", n)
	}
	all, err := s.Budgets(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	due, err := s.DueMail(ctx, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all { // each firing has its mail, each mail its firing
		for _, f := range b.Fired {
			told := slices.ContainsFunc(due, func(m store.Mail) bool {
				return m.Data["budget"] == b.ID && m.Data["version"] == strconv.Itoa(b.Version) && m.Data["threshold"] == strconv.Itoa(f.Threshold) && m.Template != "budget_forecast"
			})
			if told != (f.Threshold > budget.PageOnly) {
				t.Errorf("%s at %d %%: a mail is %v", b.Name, f.Threshold, told)
			}
		}
	}
}
