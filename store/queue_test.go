package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/storetest"
	"pgregory.net/rapid"
)

// site is a pool of two nodes with four GPUs each, three teams, and a fleet that does at once what is due.
type site struct {
	s      *store.Store
	clock  *storetest.Clock
	people []store.Person
	starts map[string]time.Time
	late   time.Duration // what an instance takes to be gone after its hard end
}

func queueSite(t testing.TB) *site {
	t.Helper()
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	q := &site{s: s, clock: clock, people: []store.Person{seed.Member}, starts: map[string]time.Time{}}
	addNode(t, s, "second", 4)
	for _, team := range []string{"vision", "speech"} {
		p, err := s.AddPerson(ctx, store.NewPerson{Name: team, Email: team + "@example.org", Role: store.Member, Team: team})
		if err != nil {
			t.Fatal(err)
		}
		q.people = append(q.people, p)
	}
	return q
}

// addNode adds a node with GPUs of the seeded model.
func addNode(t testing.TB, s *store.Store, name string, gpus int) {
	t.Helper()
	n, err := s.EnsureNode(ctx, name, false, "process", nil)
	if err != nil {
		t.Fatal(err)
	}
	found := storetest.SimulatedGPUs(gpus)
	for k := range found {
		found[k].UUID = fmt.Sprintf("GPU-%s-%d", name, k)
	}
	if err := s.SeeGPUs(ctx, n.ID, found, s.Now()); err != nil {
		t.Fatal(err)
	}
}

// tick does what the loops do.
func (q *site) tick(t fataler) {
	due, err := q.s.DueEnds(ctx)
	must(t, err)
	for _, i := range due {
		if !q.clock.Now().Before(i.EndsAt.Add(q.late)) {
			q.end(t, i.ID)
		}
	}
	_, err = q.s.PlaceQueued(ctx)
	must(t, err)
	live, _, err := q.s.Instances(ctx, store.Filter{States: []life.State{life.Starting}, Limit: 500})
	must(t, err)
	for _, i := range live {
		q.starts[i.ID] = q.clock.Now()
		must(t, q.s.MarkRunning(ctx, i.ID, q.clock.Now()))
	}
}

func (q *site) end(t fataler, id string) {
	_, err := q.s.RequestStop(ctx, id, "", "hard_end")
	must(t, err)
	must(t, q.s.MarkEnded(ctx, id, store.End{}))
	must(t, q.s.MarkStopped(ctx, id, store.Proof{Clean: true}))
}

// next is when something ends or starts next, in an hour at the latest.
func (q *site) next(t fataler) time.Time {
	at := q.clock.Now().Add(time.Hour)
	live, _, err := q.s.Instances(ctx, store.Filter{Live: true, Limit: 500})
	must(t, err)
	line, _ := q.waiting(t)
	moments := []*time.Time{}
	for _, i := range live {
		if i.EndsAt != nil {
			moments = append(moments, new(i.EndsAt.Add(q.late)))
		}
	}
	for _, w := range line.Waiting {
		moments = append(moments, w.StartsAt)
	}
	for _, m := range moments {
		if m != nil && m.After(q.clock.Now()) && m.Before(at) {
			at = *m
		}
	}
	return at
}

// fataler is what both the tests' and rapid's T can do.
type fataler interface{ Fatalf(string, ...any) }

func must(t fataler, err error) {
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// waiting returns the one queue that there is; ok is false if there is none.
func (q *site) waiting(t fataler) (store.Queue, bool) {
	all, err := q.s.Queues(ctx)
	must(t, err)
	if len(all) == 0 {
		return store.Queue{}, false
	}
	return all[0], true
}

// rent asks for GPUs for some hours, 0 for no hard end.
func (q *site) rent(t fataler, who, gpus, hours int, queue bool) (i store.Instance, ok bool) {
	r := store.RentRequest{PersonID: q.people[who].ID, GPUModel: "a100-sxm4-80gb", GPUCount: gpus, Queue: queue}
	if hours > 0 {
		r.Duration = new(time.Duration(hours) * time.Hour)
	}
	i, _, err := q.s.Rent(ctx, r)
	if store.KindOf(err) == store.NoCapacity {
		return i, false
	}
	must(t, err)
	return i, true
}

// fill rents and reserves at random.
func (q *site) fill(t *rapid.T, teams, openEnded int) {
	for range rapid.IntRange(2, 12).Draw(t, "rents") {
		hours := rapid.IntRange(1, 6).Draw(t, "hours")
		if rapid.IntRange(0, 9).Draw(t, "open") < openEnded {
			hours = 0
		}
		q.rent(t, rapid.IntRange(0, teams-1).Draw(t, "who"), rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "gpus"), hours, true)
		q.clock.Advance(time.Duration(rapid.IntRange(0, 20).Draw(t, "minutes")) * time.Minute)
		if rapid.IntRange(0, 3).Draw(t, "reserve") == 0 {
			start := q.clock.Now().Add(time.Duration(rapid.IntRange(1, 8).Draw(t, "in")) * time.Hour)
			_, err := q.s.Reserve(ctx, store.NewReservation{PersonID: q.people[0].ID, GPUModel: "a100-sxm4-80gb", GPUCount: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "reserved"),
				Start: start, End: start.Add(time.Duration(rapid.IntRange(1, 4).Draw(t, "long")) * time.Hour)})
			expected(t, err)
		}
		q.tick(t)
	}
}

// One team alone waits less than a day: then its order stays, and what is said holds where each is gone as long after its hard
// end as was counted. Where one is gone sooner, who is first may start sooner, and be in the way of those behind.
func TestWhoWaitsStartsNoLaterThanIsSaid(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		q := queueSite(t)
		q.late = time.Minute
		q.fill(rt, 1, 3)
		said := map[string]time.Time{}
		note := func() {
			line, _ := q.waiting(rt)
			for _, w := range line.Waiting {
				if w.StartsAt == nil {
					continue
				}
				if was, ok := said[w.ID]; ok && w.StartsAt.After(was) {
					rt.Fatalf("%s was to start at %v, now at %v", w.ID, was, *w.StartsAt)
				}
				said[w.ID] = *w.StartsAt
			}
		}
		note()
		for until := q.clock.Now().Add(14 * time.Hour); q.clock.Now().Before(until); {
			q.clock.Set(q.next(rt))
			q.tick(rt)
			note()
			for id, at := range said {
				if start, ok := q.starts[id]; ok && start.After(at) || !ok && q.clock.Now().After(at) {
					rt.Fatalf("%s was to start at %v, started %v at %v", id, at, ok, start)
				}
			}
		}
	})
}

func TestNoStartDelaysWhoIsFirst(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		q := queueSite(t)
		for range 6 {
			q.fill(rt, 3, 2)
			before, ok := q.waiting(rt)
			if rapid.Bool().Draw(rt, "newcomer") && ok && !slices.ContainsFunc(before.Waiting, func(w store.Waiting) bool { return w.Place == 1 && w.TeamID != q.people[0].TeamID }) {
				q.rent(rt, 0, 1, rapid.IntRange(0, 5).Draw(rt, "for"), false) // younger than the first of its own team, and no larger
			}
			_, err := q.s.PlaceQueued(ctx)
			must(rt, err)
			after, _ := q.waiting(rt)
			for _, w := range after.Waiting {
				k := slices.IndexFunc(before.Waiting, func(b store.Waiting) bool { return b.ID == w.ID })
				if was := before.Waiting[k].StartsAt; w.Place == 1 && was != nil && (w.StartsAt == nil || w.StartsAt.After(*was)) {
					rt.Fatalf("%s was to start at %v, now at %v", w.ID, was, w.StartsAt)
				}
			}
		}
	})
}

func TestNobodyWaitsForEverWhoeverComes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		q := queueSite(t)
		for range 8 {
			q.rent(rt, 1, 1, rapid.IntRange(1, 6).Draw(rt, "hours"), true)
		}
		large, _ := q.rent(rt, 0, 4, 0, true)
		q.tick(rt)
		for hour := 0; q.starts[large.ID].IsZero(); hour++ {
			if hour > 24+6+1 {
				rt.Fatalf("it did not start in %d hours", hour)
			}
			for range rapid.IntRange(0, 3).Draw(rt, "arrive") {
				q.rent(rt, rapid.IntRange(1, 2).Draw(rt, "who"), 1, rapid.IntRange(1, 6).Draw(rt, "hours"), true)
			}
			q.clock.Advance(time.Hour)
			q.tick(rt)
		}
	})
}
