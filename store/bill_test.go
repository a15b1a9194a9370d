package store_test

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func total(t *testing.T, s *store.Store, id string, want int64) {
	t.Helper()
	bill, err := s.Bill(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	var lines int64
	for _, l := range bill.Lines {
		lines += l.AmountMicros
	}
	if bill.TotalMicros != want || lines != want {
		t.Errorf("bill is %d in lines of %d, want %d", bill.TotalMicros, lines, want)
	}
	i, err := s.Instance(ctx, id)
	if err != nil || i.CostMicros != want {
		t.Errorf("cost %d, want %d (%v)", i.CostMicros, want, err)
	}
	if i.EndedAt != nil && bill.BookedMicros != want {
		t.Errorf("booked %d, want %d", bill.BookedMicros, want)
	}
	if check, err := s.CheckLedger(ctx); err != nil || !check.OK {
		t.Errorf("ledger: %+v %v", check, err)
	}
}

func TestTheWorkedNumbersThroughTheWholeStore(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)
	started := func() store.Instance {
		i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
		running(t, s, i, clock.Now())
		return i
	}
	stop := func(i store.Instance, after time.Duration, end store.End) {
		clock.Advance(after)
		ended(t, s, i, end)
	}
	i := started()
	stop(i, 3723*time.Second, store.End{})
	total(t, s, i.ID, 2_585_417)

	i = started()
	stop(i, 12*time.Second, store.End{})
	total(t, s, i.ID, 41_667)

	i = started()
	stop(i, 12*time.Second, store.End{HostFault: true, Failed: true, Reason: "node_lost"})
	total(t, s, i.ID, 0)

	i = started()
	clock.Advance(1800 * time.Second)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_800_000) // a new price list touches nothing that runs
	stop(i, 1923*time.Second, store.End{})
	total(t, s, i.ID, 2_585_417)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)

	i = started() // suspended is billed in full
	clock.Advance(1000 * time.Second)
	if _, err := s.Suspend(ctx, i.ID, seed.Member.ID); err != nil {
		t.Fatal(err)
	}
	clock.Advance(1723 * time.Second)
	if _, err := s.Resume(ctx, i.ID, seed.Member.ID); err != nil {
		t.Fatal(err)
	}
	stop(i, 1000*time.Second, store.End{})
	total(t, s, i.ID, 2_585_417)

	i = rent(t, s, seed, store.RentRequest{GPUCount: 1}) // never healthy
	clock.Advance(time.Hour)
	if err := s.MarkStartFailed(ctx, i.ID, "no such command", clock.Now(), store.Proof{Clean: true}); err != nil {
		t.Fatal(err)
	}
	total(t, s, i.ID, 0)
}

func TestTheGapIsBilledOnlyWithProof(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)
	lost := func() store.Instance {
		i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
		running(t, s, i, clock.Now())
		proof := clock.Advance(3600 * time.Second)
		if err := s.ProofOfLife(ctx, []string{i.ID}, proof); err != nil {
			t.Fatal(err)
		}
		clock.Advance(640 * time.Second)
		if err := s.MarkUnreachable(ctx, i.ID, proof, "why"); err != nil {
			t.Fatal(err)
		}
		clock.Advance(3000 * time.Second)
		total(t, s, i.ID, 2_500_000)
		return i
	}
	back := lost() // the node returns and shows that it ran on
	if err := s.MarkReachable(ctx, back.ID, true, clock.Now()); err != nil {
		t.Fatal(err)
	}
	total(t, s, back.ID, 5_027_778)
	if i, err := s.Instance(ctx, back.ID); err != nil || i.State != life.Running {
		t.Errorf("back: %+v %v", i, err)
	}
	ended(t, s, back, store.End{})
	total(t, s, back.ID, 5_027_778)

	gone := lost() // it returns without the instance
	if err := s.MarkReachable(ctx, gone.ID, false, clock.Now()); err != nil {
		t.Fatal(err)
	}
	if err := s.MarkStopped(ctx, gone.ID, store.Proof{Clean: true}); err != nil {
		t.Fatal(err)
	}
	total(t, s, gone.ID, 2_500_000)
	if i, err := s.Instance(ctx, gone.ID); err != nil || i.State != life.Failed || i.StopReason != "node_lost" {
		t.Errorf("gone: %+v %v", i, err)
	}

	shim := lost() // it returns, and the shim knows when the command ended
	ended(t, s, shim, store.End{At: clock.Now().Add(-3000 * time.Second)})
	total(t, s, shim.ID, 2_944_444) // 3,600 s + 640 s

	given := lost() // nobody waits for it any longer
	if _, err := s.RequestStop(ctx, given.ID, seed.Member.ID, ""); err != nil {
		t.Fatal(err)
	}
	total(t, s, given.ID, 2_500_000)
}

func TestMidnightsAreBookedInTheSitesZone(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	clock.Set(time.Date(2026, 2, 28, 23, 0, 0, 0, time.UTC)) // 1 March, 00:00 in Berlin
	if err := s.UpdateSite(ctx, store.Site{TimeZone: "Europe/Berlin"}); err != nil {
		t.Fatal(err)
	}
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	running(t, s, i, clock.Now())
	clock.Set(time.Date(2026, 3, 31, 22, 0, 0, 0, time.UTC)) // 1 April, 00:00
	if n, err := s.PostDue(ctx); err != nil || n != 0 {
		t.Errorf("posted %d without proof of life, %v", n, err)
	}
	if err := s.ProofOfLife(ctx, []string{i.ID}, clock.Now()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.PostDue(ctx); err != nil || n != 31 {
		t.Errorf("posted %d, %v", n, err)
	}
	if n, err := s.PostDue(ctx); err != nil || n != 0 {
		t.Errorf("posted %d again, %v", n, err)
	}
	bill, err := s.Bill(ctx, i.ID)
	if err != nil || bill.BookedMicros != 1_857_500_000 || bill.TotalMicros != 1_857_500_000 {
		t.Errorf("743 hours: %+v %v", bill, err)
	}
	rows, err := s.Usage(ctx, store.UsageQuery{From: time.Date(2026, 2, 28, 23, 0, 0, 0, time.UTC), To: clock.Now(), GroupBy: "day"})
	if err != nil || len(rows) != 31 || rows[28].Key != "2026-03-29" || rows[28].CostMicros != 57_500_000 || rows[28].GPUSeconds != 23*3600 || rows[0].CostMicros != 60_000_000 {
		t.Errorf("days: %+v %v", rows, err)
	}
	// It had ended before the last midnight that was booked: that much is taken back.
	clock.Advance(time.Hour)
	ended(t, s, i, store.End{At: time.Date(2026, 3, 31, 21, 0, 0, 0, time.UTC)})
	total(t, s, i.ID, 1_855_000_000)
	entries, _, err := s.Entries(ctx, store.EntryFilter{InstanceID: i.ID, Limit: 1})
	if err != nil || entries[0].Kind != "correction" || entries[0].AmountMicros != -2_500_000 {
		t.Errorf("entries: %+v %v", entries, err)
	}
}

func TestStepsTakenTwiceHaveOneEffect(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	twice := func(what string, call func() error) {
		t.Helper()
		for range 2 {
			if err := call(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	at := clock.Now()
	twice("running", func() error { return s.MarkRunning(ctx, i.ID, at) })
	clock.Advance(time.Hour)
	twice("suspended", func() error { return s.MarkSuspended(ctx, i.ID, clock.Now()) })
	twice("resumed", func() error { return s.MarkResumed(ctx, i.ID, clock.Now()) })
	twice("unreachable", func() error { return s.MarkUnreachable(ctx, i.ID, clock.Now(), "why") })
	twice("reachable", func() error { return s.MarkReachable(ctx, i.ID, true, clock.Now()) })
	twice("stop", func() error { _, err := s.RequestStop(ctx, i.ID, "", "hard_end"); return err })
	clock.Advance(time.Hour)
	twice("ended", func() error { return s.MarkEnded(ctx, i.ID, store.End{}) })
	twice("stopped", func() error { return s.MarkStopped(ctx, i.ID, store.Proof{Clean: true}) })
	twice("stop of what is stopped", func() error { _, err := s.RequestStop(ctx, i.ID, seed.Member.ID, ""); return err })
	total(t, s, i.ID, 100_000)
	if err := s.MarkRunning(ctx, i.ID, clock.Now()); store.KindOf(err) != store.Conflict {
		t.Errorf("running after the end: %v", err)
	}
	if got, err := s.Instance(ctx, i.ID); err != nil || got.StopReason != "hard_end" || got.State != life.Stopped {
		t.Errorf("instance: %+v %v", got, err)
	}
	if mail, err := s.DueMail(ctx, 0); err != nil || len(mail) != 1 || mail[0].Template != "instance_stopped" || mail[0].To != seed.Member.Email {
		t.Errorf("mail: %+v %v", mail, err)
	}
}

// L2: a step against what someone else has just done is refused or without effect, never half done.
func TestTheClockNeverBillsBackwards(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	running(t, s, i, clock.Now())
	clock.Advance(-time.Hour)
	if _, err := s.Suspend(ctx, i.ID, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Resume(ctx, i.ID, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RequestStop(ctx, i.ID, "", "hard_end"); err != nil {
		t.Fatal(err)
	}
	total(t, s, i.ID, 1_667) // the minimum, and no more
}

func TestWhatIsLeftOfAnInstanceKeepsItsGPUsBack(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 2})
	running(t, s, i, clock.Now())
	if err := s.MarkEnded(ctx, i.ID, store.End{Failed: true}); err != nil {
		t.Fatal(err)
	}
	if offers, err := s.Offers(ctx); err != nil || offers[0].Free != 2 {
		t.Errorf("before proof: %+v %v", offers[0], err)
	}
	if err := s.MarkStopped(ctx, i.ID, store.Proof{Notes: "9.9 GB held, no owner"}); err != nil {
		t.Fatal(err)
	}
	g, err := s.GPU(ctx, i.GPUs[1])
	if err != nil || g.State != store.GPUQuarantined || g.StateReason != "9.9 GB held, no owner" || g.InstanceID != "" {
		t.Errorf("GPU: %+v %v", g, err)
	}
	if offers, err := s.Offers(ctx); err != nil || offers[0].Free != 2 || offers[0].BlockedCounts["quarantined"] != 2 {
		t.Errorf("after: %+v %v", offers[0], err)
	}
	mail, err := s.DueMail(ctx, 0)
	if err != nil || len(mail) != 3 { // one a GPU to the admin, one to the member
		t.Errorf("mail: %+v %v", mail, err)
	}
	// Lost and found again, it is still in quarantine.
	if err := s.SeeGPUs(ctx, seed.Node.ID, nil, clock.Now()); err != nil {
		t.Fatal(err)
	}
	if g, err = s.GPU(ctx, i.GPUs[1]); err != nil || g.State != store.GPULost {
		t.Errorf("GPU: %+v %v", g, err)
	}
	if err := s.SeeGPUs(ctx, seed.Node.ID, storetest.SimulatedGPUs(4), clock.Now()); err != nil {
		t.Fatal(err)
	}
	if g, err = s.GPU(ctx, i.GPUs[1]); err != nil || g.State != store.GPUQuarantined {
		t.Errorf("GPU: %+v %v", g, err)
	}
}

func TestWhatIsLeftOfAStartThatFailedKeepsItsGPUsBackAndTheAdminIsTold(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	if err := s.MarkStartFailed(ctx, i.ID, "no such command", clock.Now(), store.Proof{Notes: "process 7 is still there"}); err != nil {
		t.Fatal(err)
	}
	g, err := s.GPU(ctx, i.GPUs[0])
	if err != nil || g.State != store.GPUQuarantined || g.StateReason != "process 7 is still there" || g.InstanceID != "" {
		t.Errorf("GPU: %+v %v", g, err)
	}
	mail, err := s.DueMail(ctx, 0)
	if err != nil || len(mail) != 2 { // to the admin, and to the member
		t.Errorf("mail: %+v %v", mail, err)
	}
}

// L10: no deadline is NULL, not zero.
func TestNoDeadlineIsNoDeadline(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	forever := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	hour := time.Hour
	short := rent(t, s, seed, store.RentRequest{GPUCount: 1, Duration: &hour})
	if forever.EndsAt != nil || short.EndsAt == nil {
		t.Fatalf("ends: %v, %v", forever.EndsAt, short.EndsAt)
	}
	clock.Advance(hour)
	due, err := s.DueEnds(ctx)
	if err != nil || len(due) != 1 || due[0].ID != short.ID {
		t.Errorf("due: %+v %v", due, err)
	}
	past, next := clock.Now(), clock.Now().Add(hour)
	if _, err := s.Extend(ctx, short.ID, seed.Member.ID, &past, store.Request{}); store.KindOf(err) != store.Invalid {
		t.Errorf("extended into the past: %v", err)
	}
	if i, err := s.Extend(ctx, short.ID, seed.Member.ID, &next, store.Request{}); err != nil || !i.EndsAt.Equal(next) {
		t.Errorf("extended: %+v %v", i, err)
	}
	if due, err := s.DueEnds(ctx); err != nil || len(due) != 0 {
		t.Errorf("due: %+v %v", due, err)
	}
	if i, err := s.Extend(ctx, short.ID, seed.Member.ID, nil, store.Request{}); err != nil || i.EndsAt != nil {
		t.Errorf("without end: %+v %v", i, err)
	}
}
