package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// What starts before a reservation is the same at once and from the queue, and what is said of it before: a term that fits into the
// gap, however short that is, and without one only what has a quarter of an hour.
func TestAShortTermStartsInAShortGapAtOnceAndFromTheQueue(t *testing.T) {
	minutes := func(n int) *time.Duration { return new(time.Duration(n) * time.Minute) }
	for _, c := range []struct {
		gap, gpus int
		term      *time.Duration
		starts    bool
	}{
		{12, 1, minutes(10), true}, {12, 4, minutes(10), true}, {2, 1, minutes(1), true}, {20, 4, minutes(15), true},
		{12, 1, minutes(13), false}, {12, 4, minutes(30), false}, {12, 1, nil, false},
	} {
		for _, queued := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d GPUs for %v in %d minutes, queued %v", c.gpus, c.term, c.gap, queued), func(t *testing.T) {
				s, clock := storetest.Open(t)
				seed := storetest.SeedQuick(t, s)
				rent := store.RentRequest{PersonID: seed.Member.ID, TeamID: seed.Member.TeamID, PlanID: fmt.Sprintf("a100-sxm4-80gb-x%d", c.gpus), Kind: store.OnDemand, Duration: c.term, Queue: queued}
				start := clock.Now().Add(time.Duration(10+c.gap) * time.Minute)
				holder, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: 4, Duration: minutes(10)})
				must(t, err)
				must(t, s.MarkRunning(ctx, holder.ID, clock.Now()))
				reserve(t, s, seed, 4, start, start.Add(time.Hour))
				var i store.Instance
				if queued {
					i, _, err = s.Rent(ctx, rent)
					must(t, err)
				}
				clock.Advance(10 * time.Minute)
				_, err = s.RequestStop(ctx, holder.ID, "", "hard_end")
				must(t, err)
				must(t, s.MarkEnded(ctx, holder.ID, store.End{}))
				must(t, s.MarkStopped(ctx, holder.ID, store.Proof{Clean: true}))
				if queued {
					_, err = s.PlaceQueued(ctx)
					must(t, err)
					i, err = s.Instance(ctx, i.ID)
				} else {
					said, err := s.Outlook(ctx, rent)
					must(t, err)
					if now := said.Reason == "" && said.StartsAt != nil; now != c.starts {
						t.Errorf("before the click it starts at once: %v", now)
					}
					if i, _, err = s.Rent(ctx, rent); !c.starts {
						kind(t, err, store.NoCapacity, "")
						return
					}
					must(t, err)
				}
				must(t, err)
				if started := i.State == life.Starting; started != c.starts {
					t.Fatalf("it is %s", i.State)
				}
				if c.starts && (i.EndsAt == nil || !i.EndsAt.Equal(clock.Now().Add(*c.term))) {
					t.Errorf("it ends at %v", i.EndsAt)
				}
			})
		}
	}
}
