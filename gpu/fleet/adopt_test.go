package fleet

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
)

// L3: after a restart what runs is adopted with its GPUs.
func TestWhatRunsIsAdoptedWithoutAGapInItsBill(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	inst := s.running(store.RentRequest{})
	s.drop()
	s.clock.Advance(2 * time.Hour)
	s.start()
	if !s.happened(inst.ID, "adopted") {
		t.Error("it has no event adopted")
	}
	got := s.instance(inst.ID)
	if got.State != life.Running || !got.StartedAt.Equal(*inst.StartedAt) {
		t.Errorf("it is %s since %v", got.State, got.StartedAt)
	}
	lines := s.spans(inst.ID)
	if len(lines) != 1 || !lines[0].Open {
		t.Errorf("its bill is %+v, want one open line", lines)
	}
	if want := 2 * inst.RateMicrosPerHour; got.CostMicros < want {
		t.Errorf("it costs %d after two hours at %d", got.CostMicros, inst.RateMicrosPerHour)
	}
	if n := s.memory.count(s.memory.starts, inst.ID); n != 1 {
		t.Errorf("it was started %d times", n)
	}
	s.stop(inst.ID)
	s.reaches(inst.ID, life.Stopped)
}

func TestWhatEndedWhileNoConsoleRanIsBilledToItsTrueEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	inst := s.running(store.RentRequest{Command: "train"})
	s.drop()
	end := s.clock.Advance(30 * time.Minute)
	s.memory.exit(inst.ID, gpu.Exit{}, end)
	s.clock.Advance(10 * time.Hour)
	s.start()
	if st := s.instance(inst.ID).State; st == life.Running {
		t.Error("the fleet is ready and what has ended still counts as running")
	}
	s.reaches(inst.ID, life.Stopped)
	if lines := s.spans(inst.ID); len(lines) != 1 || !lines[0].To.Equal(end) {
		t.Errorf("billed %+v, want one line up to %v", lines, end)
	}
}

func TestAMachineThatWentDownIsBilledToTheLastProof(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	inst := s.running(store.RentRequest{})
	s.drop()
	proof := s.clock.Advance(time.Hour)
	s.memory.machineDown(proof)
	s.clock.Advance(5 * time.Hour)
	s.start()
	got := s.reaches(inst.ID, life.Failed)
	if got.StopReason != "node_lost" {
		t.Errorf("stop reason %q", got.StopReason)
	}
	if lines := s.spans(inst.ID); len(lines) != 1 || !lines[0].To.Equal(proof) {
		t.Errorf("billed %+v, want one line up to %v", lines, proof)
	}
	if g := s.gpu(inst.GPUs[0]); g.InstanceID != "" {
		t.Errorf("its GPU is held by %s", g.InstanceID)
	}
}

func TestAnInstanceTheExecutorForgotEndsAtItsLastProof(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	inst := s.running(store.RentRequest{})
	s.drop()
	s.memory.set(func() { delete(s.memory.instances, inst.ID) })
	s.clock.Advance(5 * time.Hour)
	s.start()
	got := s.reaches(inst.ID, life.Failed)
	if got.CostMicros > inst.RateMicrosPerHour/60 {
		t.Errorf("it costs %d, as if it had lived on", got.CostMicros)
	}
}

func TestAStartCutByAKillIsFinishedOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	s.drop()
	inst := s.rent(store.RentRequest{})
	if _, err := s.memory.Start(context.Background(), spec(inst)); err != nil {
		t.Fatal(err)
	}
	began := s.clock.Now()
	s.clock.Advance(time.Minute)
	s.start()
	got := s.reaches(inst.ID, life.Running)
	if !got.StartedAt.Equal(began) {
		t.Errorf("started at %v, want %v, when its processes began", got.StartedAt, began)
	}
	if n := s.memory.count(s.memory.starts, inst.ID); n != 1 {
		t.Errorf("it was started %d times", n)
	}
}

func TestWhatWasRentedBeforeAKillStartsAfterIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	s.drop()
	inst := s.rent(store.RentRequest{})
	s.start()
	s.reaches(inst.ID, life.Running)
}

func TestAStopCutByAKillIsFinished(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	inst := s.running(store.RentRequest{})
	s.drop()
	s.clock.Advance(time.Hour)
	s.stop(inst.ID)
	cost := s.instance(inst.ID).CostMicros
	s.clock.Advance(time.Hour)
	s.start()
	if got := s.reaches(inst.ID, life.Stopped); got.CostMicros != cost {
		t.Errorf("it costs %d, %d when it was stopped", got.CostMicros, cost)
	}
}

func TestAnOrphanIsEnded(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	if _, err := s.memory.Start(context.Background(), gpu.Spec{ID: "i-orphan"}); err != nil {
		t.Fatal(err)
	}
	s.start()
	s.until("the orphan is gone", func() bool { return s.phase("i-orphan") == "" })
	records, _, err := s.store.AuditLog(context.Background(), 10, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.Action == "orphan_ended" && r.Target == "i-orphan" {
			return
		}
	}
	t.Errorf("the audit log says nothing of it: %+v", records)
}

func TestABrokenRecordHidesNoOtherInstanceAndEndsNone(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	broken, sound := s.running(store.RentRequest{}), s.running(store.RentRequest{})
	s.drop()
	s.memory.set(func() { s.memory.broken[broken.ID] = errors.New("state.json: invalid character") })
	s.clock.Advance(time.Hour)
	s.start()
	if !s.happened(sound.ID, "adopted") {
		t.Error("the sound one was not adopted")
	}
	s.reaches(broken.ID, life.Unreachable)
	if st := s.instance(sound.ID).State; st != life.Running {
		t.Errorf("the sound one is %s, want running", st)
	}
	// What can't be stopped for certain keeps its GPU from everybody else, and the check does not give it back.
	s.stop(broken.ID)
	s.until("its GPU is quarantined", func() bool { return s.gpu(broken.GPUs[0]).State == store.GPUQuarantined })
	dirty, err := s.fleet.local.sweep(t.Context())
	if err != nil || !dirty[broken.GPUs[0]] || dirty[sound.GPUs[0]] {
		t.Errorf("left-overs on %v, %v; want the broken one's GPU alone", dirty, err)
	}
	s.memory.set(func() { delete(s.memory.broken, broken.ID) })
	if dirty, err = s.fleet.local.sweep(t.Context()); err != nil || len(dirty) > 0 {
		t.Errorf("once its record can be read again, left-overs on %v, %v", dirty, err)
	}
	s.stop(sound.ID)
	s.reaches(sound.ID, life.Stopped)
}

// TestNothingIsBilledOfWhichNobodyCanTellWhetherItLives breaks a record and then tells, or does not, what became of it.
func TestNothingIsBilledOfWhichNobodyCanTellWhetherItLives(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		became func(s *site, id string)
		state  life.State
		hours  int64 // billed
	}{
		{"it runs on", func(*site, string) {}, life.Running, 4},
		{"it has ended, and its shim says when", func(s *site, id string) { s.memory.exit(id, gpu.Exit{Code: 3}, s.clock.Now().Add(-time.Hour)) }, life.Failed, 3},
		{"the machine went down, and its heartbeat says when", func(s *site, _ string) { s.memory.machineDown(s.clock.Now().Add(-2 * time.Hour)) }, life.Failed, 2},
		{"it is gone without a word", func(s *site, id string) { s.memory.set(func() { delete(s.memory.instances, id) }) }, life.Failed, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, "")
			s.start()
			inst := s.running(store.RentRequest{})
			s.clock.Advance(time.Hour)
			if err := s.fleet.local.seeWhoLives(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.memory.set(func() { s.memory.broken[inst.ID] = errors.New("state.json: invalid character") })
			s.clock.Advance(unprovenPatience / 2)
			if err := s.fleet.local.seeWhoLives(t.Context()); err != nil || s.instance(inst.ID).State != life.Running {
				t.Fatalf("after one look that failed it is %s, %v", s.instance(inst.ID).State, err)
			}
			s.clock.Advance(3*time.Hour - unprovenPatience/2)
			if err := s.fleet.local.seeWhoLives(t.Context()); err != nil {
				t.Fatal(err)
			}
			hours := func(n int64, when string) {
				t.Helper()
				if got := s.bill(inst.ID).TotalMicros; got/inst.RateMicrosPerHour != n || got%inst.RateMicrosPerHour > inst.RateMicrosPerHour/60 {
					t.Errorf("%s it is billed %d, want %d hours of %d", when, got, n, inst.RateMicrosPerHour)
				}
			}
			if st := s.instance(inst.ID).State; st != life.Unreachable {
				t.Errorf("it is %s", st)
			}
			hours(1, "while nobody can tell")
			c.became(s, inst.ID)
			s.memory.set(func() { delete(s.memory.broken, inst.ID) })
			s.reaches(inst.ID, c.state)
			hours(c.hours, "once it is known")
		})
	}
}
