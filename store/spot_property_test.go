package store_test

import (
	"maps"
	"testing"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/spot"
	"github.com/meterhouse/meterhouse/store/storetest"
	"pgregory.net/rapid"
)

// spotSteps are what people, nodes and the console do where GPUs are rented as spot.
func (m *machine) spotSteps() map[string]func(*rapid.T) {
	steps := m.steps()
	maps.Copy(steps, map[string]func(*rapid.T){
		"": m.checkSpot,
		"rent spot": func(t *rapid.T) {
			_, _, err := m.s.Rent(ctx, store.RentRequest{PersonID: m.seed.Member.ID, GPUCount: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "count"), Kind: store.Spot,
				Queue: rapid.Bool().Draw(t, "queue"), Requeue: rapid.Bool().Draw(t, "requeue"), CheckpointCommand: rapid.SampledFrom([]string{"", "sync"}).Draw(t, "checkpoint")})
			expected(t, err)
		},
		"claim": func(t *rapid.T) {
			_, _, err := m.s.Rent(ctx, store.RentRequest{PersonID: m.seed.Member.ID, GPUCount: 1, Kind: store.Reserved})
			expected(t, err)
		},
		"all run": func(t *rapid.T) {
			for _, id := range m.ids {
				expected(t, m.s.MarkRunning(ctx, id, m.clock.Now()))
			}
		},
		"quarter": func(*rapid.T) { m.clock.Advance(spot.Safe) },
		"reclaim": func(t *rapid.T) {
			_, err := m.s.Reclaim(ctx)
			expected(t, err)
		},
		"step": func(t *rapid.T) {
			expected(t, m.s.ReclaimStepTaken(ctx, m.some(t), rapid.IntRange(1, 3).Draw(t, "step")))
		},
		"follow": func(t *rapid.T) { expected(t, m.s.FollowSpotMarkets(ctx)) },
		"unclean": func(t *rapid.T) {
			expected(t, m.s.MarkStopped(ctx, m.some(t), store.Proof{Notes: "left"}))
		},
	})
	return steps
}

// checkSpot holds what is true at every moment, besides what is true of all instances.
func (m *machine) checkSpot(t *rapid.T) {
	m.check(t)
	all, _, err := m.s.Instances(ctx, store.Filter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	m.ids = m.ids[:0]
	runs := map[string]string{}
	for _, i := range all {
		m.ids = append(m.ids, i.ID)
		switch {
		case i.NoticeAt == nil && (i.State == life.Reclaiming || i.ReclaimSteps > 0):
			t.Fatalf("reclaimed without notice: %+v", i)
		case i.NoticeAt != nil && (i.Kind != store.Spot || i.StartedAt == nil || !spot.MayReclaim(*i.StartedAt, *i.NoticeAt)):
			t.Fatalf("given notice: %+v", i)
		case i.NoticeAt != nil && i.EndedAt != nil && spot.IsFree(*i.StartedAt, *i.NoticeAt) && i.CostMicros != 0:
			t.Fatalf("reclaimed in its first hour and not free: %+v", i)
		case i.NoticeAt != nil && i.Requeue && i.State == life.Stopped && i.StopReason == "reclaimed" && i.LaterID == "":
			t.Fatalf("not queued again: %+v", i)
		case i.EarlierID != "" && i.Run < 2 || i.EarlierID == "" && i.Run != 1:
			t.Fatalf("runs: %+v", i)
		case i.State == life.Failed && i.StopReason == "reclaimed" && i.EndedAt.Sub(*i.NoticeAt) == 0:
			t.Fatalf("a reclaim is nobody's failure: %+v", i)
		}
		if i.EarlierID != "" && runs[i.EarlierID] != "" {
			t.Fatalf("%s and %s follow %s", i.ID, runs[i.EarlierID], i.EarlierID)
		}
		runs[i.EarlierID] = i.ID
	}
}

func TestWhateverHappensToSpotTheBooksAndTheRulesHold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &machine{t: t, dir: t.TempDir(), clock: storetest.NewClock()}
		m.open(rt)
		defer func() { m.s.Close() }()
		m.seed = storetest.SeedQuick(t, m.s)
		rt.Repeat(m.spotSteps())
		m.whole(rt)
	})
}

// What was promised is given to nobody else, and given at last, whatever the others do meanwhile.
func TestAPromiseIsKeptWhateverOthersDo(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &machine{t: t, dir: t.TempDir(), clock: storetest.NewClock()}
		m.open(rt)
		defer func() { m.s.Close() }()
		m.seed = storetest.SeedQuick(t, m.s)
		spots(t, m.s, m.seed, m.clock, 4)
		want := rapid.SampledFrom([]int{1, 2, 4}).Draw(rt, "count")
		i := rent(t, m.s, m.seed, store.RentRequest{GPUCount: want})
		others := m.spotSteps()
		others[""](rt)
		for range rapid.IntRange(0, 12).Draw(rt, "steps") {
			others[rapid.SampledFrom([]string{"rent", "rent spot", "place", "reclaim", "follow"}).Draw(rt, "step")](rt)
			others[""](rt)
		}
		m.clock.Advance(spot.Notice)
		for _, id := range m.ids {
			if v := again(t, m.s, store.Instance{ID: id}); v.ReclaimedFor == i.ID {
				gone(t, m.s, v)
			}
		}
		for range 2 {
			if _, err := m.s.PlaceQueued(ctx); err != nil {
				rt.Fatal(err)
			}
			if _, err := m.s.Reclaim(ctx); err != nil {
				rt.Fatal(err)
			}
		}
		if i = again(t, m.s, i); i.State != life.Starting || len(i.GPUs) != want {
			rt.Fatalf("%+v", i)
		}
	})
}
