package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
)

// crowded has 1,000 GPUs on 125 nodes, all but a few in use, and 500 instances that wait for some.
func crowded(b *testing.B) *site {
	b.Helper()
	q := queueSite(b)
	for k := range 124 {
		addNode(b, q.s, fmt.Sprintf("node-%03d", k), 8)
	}
	for k := 0; ; k++ {
		hours := k % 30 // one in thirty has no hard end
		if _, ok := q.rent(b, k%3, []int{4, 2, 1, 4, 8}[k%5], hours, false); !ok {
			break
		}
	}
	q.tick(b)
	for k := range 500 {
		q.clock.Advance(time.Second)
		q.rent(b, k%3, []int{8, 1, 4, 2}[k%4], k%20, true)
	}
	return q
}

func BenchmarkQueueOf500Over1000GPUs(b *testing.B) {
	q := crowded(b)
	line, ok := q.waiting(b)
	if !ok || len(line.Waiting) < 490 {
		b.Fatalf("%d wait", len(line.Waiting))
	}
	b.Run("shown", func(b *testing.B) {
		for b.Loop() {
			q.waiting(b)
		}
	})
	b.Run("nobody starts", func(b *testing.B) {
		for b.Loop() {
			if n, err := q.s.PlaceQueued(ctx); err != nil || n > 0 {
				b.Fatalf("%d, %v", n, err)
			}
		}
	})
	b.Run("a newcomer is refused", func(b *testing.B) { // the writer is held
		for b.Loop() {
			q.rent(b, 0, 1, 0, false)
		}
	})
	b.Run("a newcomer finds what is free awaited", func(b *testing.B) { // the same, with all that is behind it
		live, _, err := q.s.Instances(ctx, store.Filter{States: []life.State{life.Running}, Limit: 500})
		must(b, err)
		for _, i := range live {
			if i.GPUCount == 1 && i.EndsAt == nil {
				q.end(b, i.ID)
				break
			}
		}
		for b.Loop() {
			q.rent(b, 0, 1, 0, false)
		}
	})
	b.Run("one ends, who is next starts", func(b *testing.B) {
		live, _, err := q.s.Instances(ctx, store.Filter{States: []life.State{life.Running}, Limit: 500})
		must(b, err)
		b.ReportAllocs()
		for k := 0; b.Loop(); k++ {
			if k < len(live) {
				b.StopTimer()
				q.end(b, live[k].ID)
				b.StartTimer()
			}
			_, err := q.s.PlaceQueued(ctx)
			must(b, err)
		}
	})
}
