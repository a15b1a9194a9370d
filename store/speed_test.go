package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// bigSite has eight nodes of eight GPUs.
func bigSite(tb testing.TB, s *store.Store) storetest.Seeded {
	tb.Helper()
	seed := storetest.SeedQuick(tb, s)
	for n := range 8 {
		node, err := s.EnsureNode(ctx, fmt.Sprintf("node-%d", n), false, "process", nil)
		if err != nil {
			tb.Fatal(err)
		}
		gpus := storetest.SimulatedGPUs(8)
		for k := range gpus {
			gpus[k].UUID = fmt.Sprintf("GPU-%d-%d", n, k)
		}
		if err := s.SeeGPUs(ctx, node.ID, gpus, s.Now()); err != nil {
			tb.Fatal(err)
		}
	}
	return seed
}

// wholeLife takes an instance from Rent to stopped: four acknowledged commits.
func wholeLife(tb testing.TB, s *store.Store, seed storetest.Seeded, at time.Time) {
	i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
	if err != nil {
		tb.Error(err)
		return
	}
	if err := s.MarkRunning(ctx, i.ID, at); err != nil {
		tb.Error(err)
	}
	if err := s.MarkEnded(ctx, i.ID, store.End{}); err != nil {
		tb.Error(err)
	}
	if err := s.MarkStopped(ctx, i.ID, store.Proof{Clean: true}); err != nil {
		tb.Error(err)
	}
}

// BenchmarkLives runs whole lives, 32 at once.
func BenchmarkLives(b *testing.B) {
	s, clock := storetest.Open(b)
	seed := bigSite(b, s)
	if _, err := s.CreateBudget(ctx, "", store.NewBudget{Name: "block", TeamID: seed.Team.ID, LimitMicros: 1_000_000_000_000, Action: "block"}); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	var wg sync.WaitGroup
	work := make(chan bool)
	for range 32 {
		wg.Go(func() {
			for range work {
				wholeLife(b, s, seed, clock.Now())
			}
		})
	}
	for b.Loop() {
		work <- true
	}
	close(work)
	wg.Wait()
}

// BenchmarkOfferPage reads what the catalogue shows.
func BenchmarkOfferPage(b *testing.B) {
	s, _ := storetest.Open(b)
	bigSite(b, s)
	for b.Loop() {
		if _, err := s.Offers(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSession reads what every request needs.
func BenchmarkSession(b *testing.B) {
	s, _ := storetest.Open(b)
	seed := storetest.SeedQuick(b, s)
	secret, _, err := s.CreateToken(ctx, seed.Member.ID, "bench", store.Request{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := s.TokenPerson(ctx, secret); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInstance reads what an instance's page shows.
func BenchmarkInstance(b *testing.B) {
	s, clock := storetest.Open(b)
	seed := storetest.SeedQuick(b, s)
	i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
	if err != nil {
		b.Fatal(err)
	}
	if err := s.MarkRunning(ctx, i.ID, clock.Now()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Instance(ctx, i.ID); err != nil {
			b.Fatal(err)
		}
	}
}
