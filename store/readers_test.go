package store_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// Right after a start every query is prepared for the first time, while many transactions hold connections.
func TestManyFirstReadsAtOnceAllEnd(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	seed := storetest.SeedQuick(t, storetest.OpenDir(t, dir, clock))
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for range 10 {
		s := storetest.OpenDir(t, dir, clock)
		reads := []func() error{
			func() error { _, err := s.Site(ctx); return err },
			func() error { _, err := s.Teams(ctx); return err },
			func() error { _, err := s.Offers(ctx); return err },
			func() error { _, err := s.Budgets(ctx, ""); return err },
			func() error { _, err := s.GPUs(ctx); return err },
			func() error { _, _, err := s.Instances(ctx, store.Filter{TeamID: seed.Team.ID}); return err },
			func() error { _, err := s.Usage(ctx, store.UsageQuery{GroupBy: "day"}); return err },
			func() error { _, err := s.CheckLedger(ctx); return err },
		}
		begin := make(chan struct{})
		var wg sync.WaitGroup
		for k := range 64 {
			wg.Go(func() {
				<-begin
				if err := reads[k%len(reads)](); err != nil {
					t.Error(err)
				}
			})
		}
		close(begin)
		wg.Wait()
	}
}
