package store_test

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// BenchmarkBudgetLeft reads what a person is told before they rent, with nothing that runs and with something.
func BenchmarkBudgetLeft(b *testing.B) {
	s, clock := storetest.Open(b)
	seed := storetest.SeedQuick(b, s)
	if _, err := s.CreateBudget(ctx, "", store.NewBudget{Name: "month", TeamID: seed.Team.ID, LimitMicros: 1e12}); err != nil {
		b.Fatal(err)
	}
	look := func(b *testing.B) {
		for b.Loop() {
			if _, ok, err := s.BudgetLeft(ctx, seed.Member.ID, seed.Team.ID); err != nil || !ok {
				b.Fatal(ok, err)
			}
		}
	}
	b.Run("quiet", look)
	i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
	if err == nil {
		err = s.MarkRunning(ctx, i.ID, clock.Now())
	}
	if err != nil {
		b.Fatal(err)
	}
	clock.Advance(time.Hour)
	b.Run("running", look)
}
