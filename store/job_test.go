package store_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func TestTheLedgerIsCheckedByAJobThatOneAtATimeMayRun(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	seed := storetest.SeedQuick(t, s)
	used(t, s, clock, seed, clock.Now(), clock.Now().Add(time.Hour))
	start := func() {
		t.Helper()
		if err := s.StartJob(ctx, seed.Admin.ID, store.JobLedger); err != nil {
			t.Fatal(err)
		}
	}
	last := func(state string) store.Job {
		t.Helper()
		jobs, err := s.Jobs(ctx, store.JobLedger, 1)
		if err != nil || len(jobs) != 1 || jobs[0].State != state {
			t.Fatalf("%+v, want %s (%v)", jobs, state, err)
		}
		return jobs[0]
	}
	ran := func(want int) {
		t.Helper()
		if n, err := s.RunJobs(ctx); err != nil || n != want {
			t.Fatalf("%d jobs ran, want %d (%v)", n, want, err)
		}
	}
	ran(0)
	start()
	kind(t, s.StartJob(ctx, seed.Admin.ID, store.JobLedger), store.Conflict, "")
	last("queued")
	ran(1)
	j := last("done")
	var result store.CheckResult
	if err := json.Unmarshal(j.Result, &result); err != nil || !result.OK || result.Instances != 1 || j.Total != 1 || j.Done != 1 || j.By != seed.Admin.Name {
		t.Errorf("%+v %+v %v", j, result, err)
	}

	start() // given up before it began
	if err := s.CancelJob(ctx, seed.Admin.ID, store.JobLedger); err != nil {
		t.Fatal(err)
	}
	ran(0)
	last("cancelled")

	start() // a console that ends in the middle leaves it to the next one
	over, cancel := context.WithCancel(ctx)
	cancel()
	_, _ = s.RunJobs(over)
	ran(1)
	last("done")

	start() // and what does not add up is told
	db := raw(t, dir)
	if _, err := db.Exec("UPDATE cost_team_day SET amount = amount + 1"); err != nil {
		t.Fatal(err)
	}
	ran(1)
	result = store.CheckResult{}
	if err := json.Unmarshal(last("done").Result, &result); err != nil || result.OK || result.FirstDifference == "" {
		t.Errorf("%+v %v", result, err)
	}
	if err := s.StartJob(ctx, seed.Member.ID, store.JobLedger); store.KindOf(err) != store.Forbidden {
		t.Errorf("by a member: %v", err)
	}
}
