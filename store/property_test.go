package store_test

import (
	"flag"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/storetest"
	"pgregory.net/rapid"
)

// machine does what people, nodes and the console do, in any order, and checks after each step that the books are right.
type machine struct {
	t     *testing.T
	dir   string
	clock *storetest.Clock
	s     *store.Store
	seed  storetest.Seeded
	ids   []string

	reserved []string
	volumes  []string
	byHand   int64 // what corrections and credits add up to
}

func (m *machine) check(t *rapid.T) {
	check, err := m.s.CheckLedger(ctx)
	if err != nil || !check.OK {
		t.Fatalf("ledger: %+v %v", check, err)
	}
	if sum, err := m.s.LedgerSum(ctx); err != nil || sum != 0 {
		t.Fatalf("the ledger sums to %d, %v", sum, err)
	}
	held := map[string]string{}
	live, _, err := m.s.Instances(ctx, store.Filter{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range live {
		for _, g := range i.GPUs {
			if held[g] != "" {
				t.Fatalf("%s is in %s and %s", g, held[g], i.ID)
			}
			held[g] = i.ID
		}
	}
}

// whole checks that however use is grouped or cut, it is the sum of all bills.
func (m *machine) whole(t *rapid.T) {
	var want int64
	for _, id := range m.ids {
		bill, err := m.s.Bill(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		want += bill.TotalMicros
	}
	for _, id := range m.reserved {
		r, err := m.s.Reservation(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		want += r.CostMicros
	}
	for _, id := range m.volumes {
		bill, err := m.s.VolumeBill(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		want += bill.TotalMicros
	}
	want += m.byHand
	for _, group := range []string{"team", "member", "gpu_model", "instance", "kind", "day", "label:project"} {
		rows, err := m.s.Usage(ctx, store.UsageQuery{GroupBy: group})
		if err != nil {
			t.Fatal(err)
		}
		if got := costs(rows); got != want {
			t.Fatalf("by %s: %d, bills are %d", group, got, want)
		}
		folded, err := m.s.UsageFolded(ctx, store.UsageQuery{GroupBy: group})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(rows, folded) {
			t.Fatalf("by %s the totals a day say\n%+v, the segments\n%+v", group, rows, folded)
		}
	}
	m.parts(t, want)
	cut := storetest.Start.Add(time.Duration(rapid.Int64Range(0, 5*86400).Draw(t, "cut")) * time.Second)
	before, err := m.s.Usage(ctx, store.UsageQuery{To: cut, GroupBy: "team"})
	if err != nil {
		t.Fatal(err)
	}
	after, err := m.s.Usage(ctx, store.UsageQuery{From: cut, GroupBy: "team"})
	if err != nil {
		t.Fatal(err)
	}
	if got := costs(before) + costs(after); got != want {
		t.Fatalf("cut at %v: %d, bills are %d", cut, got, want)
	}
	// A budget counts by another way what Usage counts for its period.
	budgets, err := m.s.Budgets(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range budgets {
		rows, err := m.s.Usage(ctx, store.UsageQuery{From: b.PeriodStart, To: b.PeriodEnd, GroupBy: "label:project"})
		if err != nil {
			t.Fatal(err)
		}
		var used int64
		for _, r := range rows {
			if b.Scope == "team" || r.Key == "x" {
				used += r.CostMicros
			}
		}
		if used != b.SpentMicros {
			t.Fatalf("budget %s of a %s: %d, usage %d", b.Scope, b.Period, b.SpentMicros, used)
		}
	}
}

// parts checks that whatever is asked of one person, or of one team, the answers of all add up to the whole (M7).
func (m *machine) parts(t *rapid.T, want int64) {
	for _, group := range []string{"gpu_model", "instance", "kind", "day", "label:project"} {
		var people, teams int64
		for _, p := range []store.Person{m.seed.Member, m.seed.Admin} {
			rows, err := m.s.Usage(ctx, store.UsageQuery{GroupBy: group, PersonID: p.ID})
			if err != nil {
				t.Fatal(err)
			}
			people += costs(rows)
		}
		for _, team := range []string{m.seed.Team.ID, "t-nobody"} {
			rows, err := m.s.Usage(ctx, store.UsageQuery{GroupBy: group, TeamID: team})
			if err != nil {
				t.Fatal(err)
			}
			teams += costs(rows)
		}
		if people != want || teams != want {
			t.Fatalf("by %s: the people's are %d, the teams' %d, all %d", group, people, teams, want)
		}
	}
}

func costs(rows []store.UsageRow) (sum int64) {
	for _, r := range rows {
		sum += r.CostMicros
	}
	return sum
}

// expected lets steps be refused that can't be, and nothing else.
func expected(t *rapid.T, err error) {
	switch store.KindOf(err) {
	case "", store.Conflict, store.NoCapacity, store.BudgetBlocks:
	default:
		t.Fatalf("%v (%s)", err, store.KindOf(err))
	}
}

func (m *machine) some(t *rapid.T) string {
	if len(m.ids) == 0 {
		t.Skip("nothing rented yet")
	}
	return m.ids[rapid.IntRange(0, len(m.ids)-1).Draw(t, "which")]
}

func (m *machine) at(t *rapid.T) time.Time {
	return m.clock.Now().Add(-time.Duration(rapid.Int64Range(-5e6, 120e6).Draw(t, "ago")) * time.Microsecond)
}

// TestMain keeps the property tests to a number that takes seconds; -rapid.checks says how many for a longer run.
func TestMain(m *testing.M) {
	flag.Parse()
	longer := false
	flag.Visit(func(f *flag.Flag) { longer = longer || f.Name == "rapid.checks" })
	if !longer {
		if err := flag.Set("rapid.checks", "20"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

func TestWhateverHappensTheBooksAreRight(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &machine{t: t, dir: t.TempDir(), clock: storetest.NewClock()}
		m.open(rt)
		defer func() { m.s.Close() }()
		m.seed = storetest.SeedQuick(t, m.s)
		if err := m.s.UpdateSite(ctx, store.Site{TimeZone: rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "America/Sao_Paulo"}).Draw(rt, "zone")}); err != nil {
			rt.Fatal(err)
		}
		for _, b := range []store.NewBudget{{Name: "day", Period: "day", LimitMicros: 1_000_000}, {Name: "month", Period: "month", LimitMicros: 50_000_000}, {Name: "label", Label: "project=x", Period: "week", LimitMicros: 1_000_000}} {
			b.TeamID = m.seed.Team.ID
			if _, err := m.s.CreateBudget(ctx, "", b); err != nil {
				rt.Fatal(err)
			}
		}
		rt.Repeat(m.steps())
		m.whole(rt)
	})
}

func (m *machine) open(t *rapid.T) {
	s, err := store.Open(ctx, store.Config{Path: m.dir, Now: m.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	m.s = s
}

func (m *machine) steps() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"": m.check,
		"rent": func(t *rapid.T) {
			i, _, err := m.s.Rent(ctx, store.RentRequest{PersonID: rapid.SampledFrom([]store.Person{m.seed.Member, m.seed.Admin}).Draw(t, "who").ID, GPUCount: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "count"), Queue: rapid.Bool().Draw(t, "queue"),
				Labels: map[string]string{"project": rapid.SampledFrom([]string{"x", "y"}).Draw(t, "project")}})
			expected(t, err)
			if err == nil {
				m.ids = append(m.ids, i.ID)
			}
		},
		"reserve": func(t *rapid.T) {
			start := m.clock.Now().Add(time.Duration(rapid.Int64Range(0, 60).Draw(t, "h")) * time.Hour)
			r, err := m.s.Reserve(ctx, store.NewReservation{PersonID: m.seed.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: rapid.SampledFrom([]int{1, 2}).Draw(t, "count"),
				Start: start, End: start.Add(time.Duration(rapid.Int64Range(1, 50).Draw(t, "hours")) * time.Hour)})
			expected(t, err)
			if err == nil {
				m.reserved = append(m.reserved, r.ID)
			}
		},
		"store":  m.makeVolume,
		"volume": m.changeVolume,
		"give up": func(t *rapid.T) {
			if len(m.reserved) == 0 {
				t.Skip("nothing reserved yet")
			}
			_, err := m.s.CancelReservation(ctx, rapid.SampledFrom(m.reserved).Draw(t, "which"), "", nil)
			expected(t, err)
		},
		"running":     func(t *rapid.T) { expected(t, m.s.MarkRunning(ctx, m.some(t), m.at(t))) },
		"running too": func(t *rapid.T) { expected(t, m.s.MarkRunning(ctx, m.some(t), m.clock.Now())) },
		"start failed": func(t *rapid.T) {
			expected(t, m.s.MarkStartFailed(ctx, m.some(t), "why", m.at(t), store.Proof{Clean: true}))
		},
		"suspend":     func(t *rapid.T) { expected(t, m.s.MarkSuspended(ctx, m.some(t), m.at(t))) },
		"resume":      func(t *rapid.T) { expected(t, m.s.MarkResumed(ctx, m.some(t), m.at(t))) },
		"unreachable": func(t *rapid.T) { expected(t, m.s.MarkUnreachable(ctx, m.some(t), m.at(t), "why")) },
		"reachable": func(t *rapid.T) {
			expected(t, m.s.MarkReachable(ctx, m.some(t), rapid.Bool().Draw(t, "alive"), m.at(t)))
		},
		"stop": func(t *rapid.T) {
			_, err := m.s.RequestStop(ctx, m.some(t), "", "hard_end")
			expected(t, err)
		},
		"end": func(t *rapid.T) {
			expected(t, m.s.MarkEnded(ctx, m.some(t), store.End{At: m.at(t), Failed: rapid.Bool().Draw(t, "failed"), HostFault: rapid.Bool().Draw(t, "host")}))
		},
		"stopped": func(t *rapid.T) { expected(t, m.s.MarkStopped(ctx, m.some(t), store.Proof{Clean: true})) },
		"place": func(t *rapid.T) {
			_, err := m.s.PlaceQueued(ctx)
			expected(t, err)
		},
		"proof": func(t *rapid.T) { expected(t, m.s.ProofOfLife(ctx, m.ids, m.clock.Now())) },
		"post": func(t *rapid.T) {
			_, err := m.s.PostDue(ctx)
			expected(t, err)
		},
		"correct": func(t *rapid.T) {
			entries, _, err := m.s.Entries(ctx, store.EntryFilter{})
			if err != nil {
				t.Fatal(err)
			}
			if len(entries) == 0 {
				t.Skip("nothing booked yet")
			}
			c := store.Correction{CorrectsID: rapid.SampledFrom(entries).Draw(t, "entry").ID, Kind: store.EntryCorrection, Note: "why", AmountMicros: rapid.Int64Range(-5_000_000, 5_000_000).Draw(t, "micros")}
			if c.AmountMicros < 0 && rapid.Bool().Draw(t, "credit") {
				c.Kind = store.EntryCredit
			}
			if _, err := m.s.Correct(ctx, m.seed.Admin.ID, c); err == nil {
				m.byHand += c.AmountMicros
			} else if c.AmountMicros != 0 {
				t.Fatal(err)
			}
		},
		"discount": func(t *rapid.T) {
			ppm := rapid.Int64Range(0, 700_000).Draw(t, "ppm")
			if err := m.s.SetDiscount(ctx, m.seed.Admin.ID, store.Discount{TeamID: m.seed.Team.ID, PPM: &ppm}, nil, store.Request{}); err != nil {
				t.Fatal(err)
			}
		},
		"price": func(t *rapid.T) {
			storetest.Price(m.t, m.s, "a100-sxm4-80gb-x1", rapid.Int64Range(0, 9_000_000).Draw(t, "micros"))
		},
		"invoice": func(t *rapid.T) {
			_, err := m.s.IssueInvoices(ctx)
			expected(t, err)
		},
		"weeks": func(t *rapid.T) {
			m.clock.Advance(time.Duration(rapid.Int64Range(5, 20).Draw(t, "days")) * 24 * time.Hour)
		},
		"budgets": func(t *rapid.T) {
			_, err := m.s.CheckBudgets(ctx)
			expected(t, err)
		},
		"a while": func(t *rapid.T) {
			m.clock.Advance(time.Duration(rapid.Int64Range(1, 200e6).Draw(t, "µs")) * time.Microsecond)
		},
		"hours": func(t *rapid.T) { m.clock.Advance(time.Duration(rapid.Int64Range(1, 30).Draw(t, "h")) * time.Hour) },
		"back": func(t *rapid.T) {
			m.clock.Advance(-time.Duration(rapid.Int64Range(1, 10_800).Draw(t, "s")) * time.Second)
		},
		"add it up": m.whole,
		"reopen": func(t *rapid.T) {
			if err := m.s.Close(); err != nil {
				t.Fatal(err)
			}
			m.open(t)
		},
		"end all": func(t *rapid.T) {
			live, _, err := m.s.Instances(ctx, store.Filter{Live: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range live {
				if _, err := m.s.RequestStop(ctx, i.ID, "", "hard_end"); err != nil {
					t.Fatal(err)
				}
				if i.State != life.Queued {
					expected(t, m.s.MarkStopped(ctx, i.ID, store.Proof{Clean: true}))
				}
			}
		},
	}
}
