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

func TestAnInstanceGoesThroughItsWholeLife(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	ctx := context.Background()
	inst := s.running(store.RentRequest{Command: "sleep 600"})
	if s.phase(inst.ID) != gpu.PhaseRunning {
		t.Fatalf("running in the database, %q in the executor", s.phase(inst.ID))
	}
	if _, err := s.store.Suspend(ctx, inst.ID, s.person.ID); err != nil {
		t.Fatal(err)
	}
	s.until("it is frozen", func() bool { return s.phase(inst.ID) == gpu.PhaseSuspended })
	s.reaches(inst.ID, life.Suspended)
	if _, err := s.store.Resume(ctx, inst.ID, s.person.ID); err != nil {
		t.Fatal(err)
	}
	s.until("it goes on", func() bool { return s.phase(inst.ID) == gpu.PhaseRunning })
	s.reaches(inst.ID, life.Running)
	s.clock.Advance(90 * time.Second)
	s.stop(inst.ID)
	got := s.reaches(inst.ID, life.Stopped)
	s.until("its record is removed", func() bool { return s.phase(inst.ID) == "" })
	if got.StopReason != "by_person" {
		t.Errorf("stop reason %q", got.StopReason)
	}
	if g := s.gpu(inst.GPUs[0]); g.InstanceID != "" || g.State != store.GPUOK {
		t.Errorf("its GPU is %s and held by %q", g.State, g.InstanceID)
	}
	if sum, err := s.store.LedgerSum(ctx); sum != 0 || err != nil {
		t.Errorf("the ledger sums to %d, %v", sum, err)
	}
}

func TestFromClickToRunningTakesUnderASecond(t *testing.T) {
	s := newSite(t, "")
	s.start()
	began := time.Now()
	s.running(store.RentRequest{})
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestACommandsEndIsBilledToItsTrueTime(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	inst := s.running(store.RentRequest{Command: "train"})
	end := s.clock.Advance(5 * time.Minute)
	s.clock.Advance(3 * time.Second) // the console learns of it later
	s.memory.exit(inst.ID, gpu.Exit{}, end)
	got := s.reaches(inst.ID, life.Stopped)
	if got.StopReason != "command_ended" || got.ExitCode == nil || *got.ExitCode != 0 {
		t.Errorf("stopped for %q with exit code %v", got.StopReason, got.ExitCode)
	}
	lines := s.spans(inst.ID)
	if len(lines) != 1 || !lines[0].To.Equal(end) {
		t.Errorf("billed %+v, want one line up to %v", lines, end)
	}
}

func TestAFailedCommandIsAFailedInstance(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]gpu.Exit{"status": {Code: 3}, "memory limit": {Code: 137, Signal: "SIGKILL", OOM: true}} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, "")
			s.start()
			inst := s.running(store.RentRequest{Command: "false"})
			s.memory.exit(inst.ID, e, s.clock.Advance(time.Minute))
			got := s.reaches(inst.ID, life.Failed)
			if got.ExitCode == nil || *got.ExitCode != e.Code || (e.OOM && got.ExitDetail != outOfMemory) {
				t.Errorf("exit code %v, detail %q", got.ExitCode, got.ExitDetail)
			}
			if g := s.gpu(inst.GPUs[0]); g.InstanceID != "" || g.State != store.GPUOK {
				t.Errorf("its GPU is %s and held by %q", g.State, g.InstanceID)
			}
		})
	}
}

func TestAStartThatFailsIsNeverBilledAndFreesItsGPU(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.memory.failStart = errors.New("no such image")
	s.start()
	inst := s.rent(store.RentRequest{})
	got := s.reaches(inst.ID, life.Failed)
	if b := s.bill(inst.ID); b.TotalMicros != 0 || b.BookedMicros != 0 {
		t.Errorf("billed %d", b.TotalMicros)
	}
	if got.StopReason != "start_failed" {
		t.Errorf("stop reason %q", got.StopReason)
	}
	if g := s.gpu(inst.GPUs[0]); g.InstanceID != "" {
		t.Errorf("its GPU is held by %s", g.InstanceID)
	}
}

func TestAStopEndsAStartThatHangs(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.memory.hang = true
	s.start()
	inst := s.rent(store.RentRequest{})
	s.clock.Advance(time.Second)
	s.stop(inst.ID)
	s.reaches(inst.ID, life.Stopped)
	if b := s.bill(inst.ID); b.TotalMicros != 0 {
		t.Errorf("what never ran is billed %d", b.TotalMicros)
	}
}

func TestASlowInstanceHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.memory.hang = true
	s.start()
	slow := s.rent(store.RentRequest{})
	time.Sleep(50 * time.Millisecond) // its start hangs by now; if not, the test only shows less
	s.memory.set(func() { s.memory.hang = false })
	s.running(store.RentRequest{})
	s.stop(slow.ID)
	s.reaches(slow.ID, life.Stopped)
}

func TestAHardEndStops(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	hour := time.Hour
	inst := s.running(store.RentRequest{Duration: &hour})
	s.clock.Advance(hour)
	got := s.reaches(inst.ID, life.Stopped)
	if got.StopReason != "hard_end" {
		t.Errorf("stop reason %q", got.StopReason)
	}
}

func TestWhatIsQueuedStartsWhenAGPUIsFree(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	var held []store.Instance
	for range 2 {
		held = append(held, s.running(store.RentRequest{GPUModel: "L4"}))
	}
	queued := s.rent(store.RentRequest{GPUModel: "L4", Queue: true})
	if queued.State != life.Queued {
		t.Fatalf("the third of two GPUs is %s", queued.State)
	}
	s.stop(held[0].ID)
	s.reaches(queued.ID, life.Running)
}

func TestCPUOnlyWorkNeedsNoSource(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.source = nil
	s.start()
	inst := s.running(store.RentRequest{CPUOnly: true})
	s.stop(inst.ID)
	s.reaches(inst.ID, life.Stopped)
}

func TestProofOfLifeIsWrittenForWhatLives(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	inst := s.running(store.RentRequest{})
	at := s.clock.Advance(time.Minute)
	s.drop()
	s.start() // adopting is a proof of life too
	s.until("the proof is of now", func() bool {
		p := s.instance(inst.ID).ProofAt
		return p != nil && !p.Before(at)
	})
}
