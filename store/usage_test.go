package store_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// Every look at this clock moves it on, as a real one does: only what is read at one moment agrees.
func TestCutsThroughTheLedgerAtOneMomentAddUpToTheSame(t *testing.T) {
	var looks atomic.Int64
	s, err := store.Open(ctx, store.Config{Path: t.TempDir(), Now: func() time.Time {
		return storetest.Start.Add(time.Duration(looks.Add(1)) * 7 * time.Second)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	seed := storetest.SeedQuick(t, s)
	for range 3 {
		i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, CPUOnly: true, Labels: map[string]string{"project": "a"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.MarkRunning(ctx, i.ID, s.Now()); err != nil {
			t.Fatal(err)
		}
	}
	var queries []store.UsageQuery
	for _, by := range []string{"team", "member", "label:project", "gpu_model", "instance", "day", "kind"} {
		queries = append(queries, store.UsageQuery{GroupBy: by})
	}
	cuts, err := s.Usages(ctx, queries...)
	if err != nil {
		t.Fatal(err)
	}
	for k, rows := range cuts {
		var sum int64
		for _, r := range rows {
			sum += r.CostMicros
		}
		if want := cuts[0][0].CostMicros; sum != want || sum == 0 {
			t.Errorf("by %s: %d, want %d", queries[k].GroupBy, sum, want)
		}
	}
	_, err = s.Usages(ctx, queries[0], store.UsageQuery{GroupBy: "nothing"})
	kind(t, err, store.Invalid, "group_by")
}
