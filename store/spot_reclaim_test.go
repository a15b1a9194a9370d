package store_test

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/spot"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// spots rents instances of one GPU as spot, each a minute younger than the one before, and all of them that may be reclaimed.
func spots(t *testing.T, s *store.Store, seed storetest.Seeded, clock *storetest.Clock, n int) (all []store.Instance) {
	t.Helper()
	follow(t, s) // from here on the price moves slowly, and is the same for all of them
	for range n {
		i := rent(t, s, seed, store.RentRequest{GPUCount: 1, Kind: store.Spot, Requeue: true, CheckpointCommand: "sync", Port: 8888, Labels: map[string]string{"project": "x"}})
		running(t, s, i, clock.Now())
		all = append(all, i)
		clock.Advance(time.Minute)
	}
	clock.Advance(spot.Safe)
	return all
}

func again(t *testing.T, s *store.Store, i store.Instance) store.Instance {
	t.Helper()
	i, err := s.Instance(ctx, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func reclaim(t *testing.T, s *store.Store, want int) {
	t.Helper()
	if n, err := s.Reclaim(ctx); err != nil || n != want {
		t.Fatalf("started %d, want %d: %v", n, want, err)
	}
}

// gone is the end of an instance whose last step of the reclaim was taken.
func gone(t *testing.T, s *store.Store, i store.Instance) store.Instance {
	t.Helper()
	for step := 1; step <= 3; step++ {
		if err := s.ReclaimStepTaken(ctx, i.ID, step); err != nil {
			t.Fatal(err)
		}
	}
	if i = again(t, s, i); i.State != life.Stopping {
		t.Fatalf("after the last step it is %s", i.State)
	}
	code := 137
	ended(t, s, i, store.End{ExitCode: &code, Failed: true})
	return again(t, s, i)
}

func TestWhoNeedsGPUsOnDemandGetsThoseOfTheYoungestSpot(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	held := spots(t, s, seed, clock, 4)
	i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
	if err != nil || i.State != life.Queued || i.ExpectedAt == nil || !i.ExpectedAt.Equal(clock.Now().Add(spot.Notice)) {
		t.Fatalf("%+v %v", i, err)
	}
	victim := again(t, s, held[3])
	if victim.State != life.Reclaiming || !victim.NoticeAt.Equal(clock.Now()) || victim.ReclaimedFor != i.ID || victim.NeededBy != "on_demand" || !victim.ReclaimsAt().Equal(clock.Now().Add(2*time.Minute)) {
		t.Fatalf("%+v", victim)
	}
	for _, other := range held[:3] {
		if other = again(t, s, other); other.NoticeAt != nil {
			t.Errorf("%s has to go too", other.ID)
		}
	}
	mail, err := s.DueMail(ctx, 100)
	if err != nil || len(mail) != 1 || mail[0].Template != "spot_notice" || mail[0].Data["requeue"] != "1" {
		t.Errorf("%+v %v", mail, err)
	}
	// Nobody else gets it: not who comes as spot, and not who waits.
	other := rent(t, s, seed, store.RentRequest{GPUCount: 1, Kind: store.Spot, Queue: true})
	clock.Advance(spot.Notice)
	reclaim(t, s, 0)
	if victim = gone(t, s, victim); victim.State != life.Stopped || victim.StopReason != "reclaimed" || victim.CostMicros != 0 {
		t.Errorf("%+v", victim)
	}
	if n, err := s.PlaceQueued(ctx); err != nil || n != 0 {
		t.Errorf("somebody else got it: %d %v", n, err)
	}
	reclaim(t, s, 1)
	if i = again(t, s, i); i.State != life.Starting || i.GPUs[0] != victim.GPUs[0] {
		t.Errorf("%+v", i)
	}
	if other = again(t, s, other); other.State != life.Queued {
		t.Errorf("%+v", other)
	}
}

func TestNobodyIsReclaimedInTheFirstQuarter(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	held := spots(t, s, seed, clock, 4)
	for _, i := range held {
		if _, err := s.RequestStop(ctx, i.ID, "", ""); err != nil {
			t.Fatal(err)
		}
		ended(t, s, i, store.End{})
	}
	young := rent(t, s, seed, store.RentRequest{GPUCount: 4, Kind: store.Spot})
	running(t, s, young, clock.Now())
	clock.Advance(spot.Safe - 1)
	_, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
	kind(t, err, store.NoCapacity, "")
	waits := rent(t, s, seed, store.RentRequest{GPUCount: 1, Queue: true})
	reclaim(t, s, 0)
	if young = again(t, s, young); young.NoticeAt != nil {
		t.Fatal("given notice")
	}
	clock.Advance(time.Second)
	reclaim(t, s, 0)
	if young = again(t, s, young); young.NoticeAt == nil || young.ReclaimedFor != waits.ID {
		t.Errorf("%+v", young)
	}
}

func TestTheReclaimedJobIsQueuedAgainOnce(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	held := spots(t, s, seed, clock, 4)
	rent(t, s, seed, store.RentRequest{GPUCount: 1})
	clock.Advance(100 * time.Second)
	first := gone(t, s, held[3])
	if err := s.MarkStopped(ctx, first.ID, store.Proof{Clean: true}); err != nil {
		t.Fatal(err)
	}
	next, err := s.Instance(ctx, first.LaterID)
	if err != nil || next.State != life.Queued || next.Run != 2 || next.EarlierID != first.ID || next.Command != first.Command || !next.Requeue ||
		next.Checkpoint.Command != "sync" || next.Port != 8888 || next.Labels["project"] != "x" || next.Kind != store.Spot || next.CostMicros != 0 {
		t.Fatalf("%+v %v", next, err)
	}
	// Who stops it while it is being reclaimed wants no more of it.
	rent(t, s, seed, store.RentRequest{GPUCount: 1})
	stopped := again(t, s, held[2])
	if _, err := s.RequestStop(ctx, stopped.ID, seed.Member.ID, ""); err != nil {
		t.Fatal(err)
	}
	ended(t, s, stopped, store.End{})
	if stopped = again(t, s, stopped); stopped.LaterID != "" || stopped.NoticeAt == nil {
		t.Errorf("%+v", stopped)
	}
}

// The GPUs of a reservation are given back before it begins, and lent again until somebody comes for them.
func TestAReservationFindsItsGPUsAndLendsThemUntilClaimed(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	held := spots(t, s, seed, clock, 4)
	start := clock.Now().Add(time.Hour)
	r := reserve(t, s, seed, 1, start, start.Add(10*time.Hour), held[0].GPUs...)
	clock.Set(start.Add(-spot.Notice - time.Minute))
	reclaim(t, s, 0)
	if i := again(t, s, held[0]); i.NoticeAt != nil {
		t.Fatal("too early")
	}
	clock.Set(start.Add(-spot.Notice - time.Second))
	reclaim(t, s, 0)
	if i := again(t, s, held[0]); i.NoticeAt == nil || i.ReclaimedFor != r.ID || i.NeededBy != "reservation" || i.ReclaimsAt().After(start) {
		t.Fatalf("%+v", i)
	}
	clock.Set(start.Add(-time.Second))
	gone(t, s, held[0])
	// Not just before it begins, and on demand not at all; then as spot, while nobody has come.
	_, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1, Kind: store.Spot})
	kind(t, err, store.NoCapacity, "")
	clock.Set(start.Add(time.Minute))
	reclaim(t, s, 0)
	if n, err := s.PlaceQueued(ctx); err != nil || n != 1 {
		t.Fatalf("%d %v", n, err)
	}
	lent := again(t, s, store.Instance{ID: again(t, s, held[0]).LaterID})
	running(t, s, lent, clock.Now())
	clock.Advance(time.Minute)
	claim, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1, Kind: store.Reserved})
	if err != nil || claim.State != life.Queued || claim.ReservationID != r.ID || !claim.ExpectedAt.Equal(start.Add(time.Minute+spot.Safe+spot.Notice)) {
		t.Fatalf("%+v %v", claim, err)
	}
	if lent = again(t, s, lent); lent.NoticeAt != nil {
		t.Fatal("in its first quarter")
	}
	clock.Set(start.Add(time.Minute + spot.Safe))
	reclaim(t, s, 0)
	if lent = again(t, s, lent); lent.NoticeAt == nil || lent.ReclaimedFor != claim.ID || lent.NeededBy != "reserved" {
		t.Fatalf("%+v", lent)
	}
	clock.Advance(spot.Notice)
	gone(t, s, lent)
	reclaim(t, s, 1)
	if claim = again(t, s, claim); claim.State != life.Starting || claim.GPUs[0] != held[0].GPUs[0] || !claim.EndsAt.Equal(r.End) {
		t.Errorf("%+v", claim)
	}
}

func TestWhoWaitsInAReservationThatIsOverIsToldSo(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	start := clock.Now().Add(time.Minute)
	r := reserve(t, s, seed, 4, start, start.Add(10*time.Minute))
	clock.Advance(2 * time.Minute)
	lent := rent(t, s, seed, store.RentRequest{GPUCount: 4, Kind: store.Spot})
	running(t, s, lent, clock.Now())
	claim := rent(t, s, seed, store.RentRequest{GPUCount: 2, Kind: store.Reserved})
	clock.Set(r.End)
	if _, err := s.RequestStop(ctx, lent.ID, "", ""); err != nil {
		t.Fatal(err)
	}
	ended(t, s, lent, store.End{})
	reclaim(t, s, 0)
	if claim = again(t, s, claim); claim.State != life.Stopped || claim.StopReason != "reservation_over" {
		t.Errorf("%+v", claim)
	}
}

func TestTheCheckpointIsWrittenDownOnce(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	held := spots(t, s, seed, clock, 4)
	rent(t, s, seed, store.RentRequest{GPUCount: 1})
	zero, one := 0, 1
	for range 2 {
		if err := s.CheckpointBegan(ctx, held[3].ID); err != nil {
			t.Fatal(err)
		}
	}
	for _, code := range []*int{&zero, &one} {
		if err := s.CheckpointEnded(ctx, held[3].ID, code, ""); err != nil {
			t.Fatal(err)
		}
	}
	if c := again(t, s, held[3]).Checkpoint; c.BeganAt == nil || c.EndedAt == nil || *c.ExitCode != 0 {
		t.Errorf("%+v", c)
	}
	if err := s.CheckpointEnded(ctx, held[0].ID, &one, ""); err != nil || again(t, s, held[0]).Checkpoint.EndedAt != nil {
		t.Errorf("without notice: %v", err)
	}
}

func TestANodeThatComesBackUnderANoticeGoesOnWithIt(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	held := spots(t, s, seed, clock, 4)
	rent(t, s, seed, store.RentRequest{GPUCount: 1})
	clock.Advance(10 * time.Second)
	if err := s.MarkUnreachable(ctx, held[3].ID, clock.Now(), "why"); err != nil {
		t.Fatal(err)
	}
	clock.Advance(10 * time.Second)
	if err := s.MarkReachable(ctx, held[3].ID, true, clock.Now()); err != nil {
		t.Fatal(err)
	}
	if i := again(t, s, held[3]); i.State != life.Reclaiming {
		t.Errorf("%s", i.State)
	}
	gone(t, s, held[3])
}
