package fleet

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/spot"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// reclaimed is a spot instance with all GPUs of a pool, under notice now, and who gets them.
func (s *site) reclaimed(r store.RentRequest) (victim, waits store.Instance) {
	s.t.Helper()
	return s.reclaim(s.spot(r))
}

// spot has both GPUs of a pool.
func (s *site) spot(r store.RentRequest) store.Instance {
	s.t.Helper()
	r.Kind, r.GPUModel, r.GPUCount = store.Spot, "L4", 2
	return s.running(r)
}

// reclaim has somebody on demand wait for what spot has.
func (s *site) reclaim(victim store.Instance) (told, waits store.Instance) {
	s.t.Helper()
	s.clock.Advance(spot.Safe + time.Minute)
	waits = s.rent(store.RentRequest{GPUModel: "L4", GPUCount: 2, Command: "sleep 600"})
	if waits.State != life.Queued {
		s.t.Fatalf("on demand: %s", waits.State)
	}
	return s.instance(victim.ID), waits
}

func (m *memoryExecutor) heard(id string) []told {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]told(nil), m.told[id]...)
}

// Each signal comes at its time, whenever a console is killed and another one goes on.
func TestTheSignalsOfAReclaimComeAtTheirTimes(t *testing.T) {
	t.Parallel()
	for name, killed := range map[string]int{"none": 0, "after the notice": 89, "after SIGTERM": 119, "each second": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, "")
			s.start()
			victim, waits := s.reclaimed(store.RentRequest{Command: "train", Requeue: true})
			s.memory.set(func() { s.memory.instances[victim.ID].stubborn = true })
			want := []told{{"notice", victim.NoticeAt.Add(0)}, {"terminated", victim.NoticeAt.Add(90 * time.Second)}, {"killed", victim.NoticeAt.Add(120 * time.Second)}}
			next := 0
			for second := range 121 {
				if second > 0 {
					s.clock.Advance(time.Second)
				}
				if killed == second && second > 0 || killed < 0 && second%30 == 17 {
					s.drop()
					s.start()
				}
				if next < len(want) && !s.clock.Now().Before(want[next].at) {
					next++
					s.until("it is told", func() bool { return len(s.memory.heard(victim.ID)) == next })
					s.until("that is written down", func() bool { return s.instance(victim.ID).ReclaimSteps == next || s.instance(victim.ID).State.Ended() })
				}
			}
			for k, got := range s.memory.heard(victim.ID) {
				if got.what != want[k].what || got.at.Sub(want[k].at).Abs() > time.Second {
					t.Errorf("%s at %v, want %s at %v", got.what, got.at, want[k].what, want[k].at)
				}
			}
			if got := s.reaches(victim.ID, life.Stopped); got.StopReason != "reclaimed" || got.CostMicros != 0 {
				t.Errorf("%+v", got)
			}
			s.reaches(waits.ID, life.Running)
			if next := s.instance(s.instance(victim.ID).LaterID); next.State != life.Queued || next.Run != 2 {
				t.Errorf("the next run: %+v", next)
			}
		})
	}
}

// Where nothing can be written down, as on a full disk, each signal still comes once, and the work is saved.
func TestAFullDiskRepeatsNoSignalOfAReclaim(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	room := storetest.NoRoom(t, s.dir, "UPDATE OF reclaim_steps, checkpoint_began, checkpoint_ended ON instance")
	victim, _ := s.reclaimed(store.RentRequest{Command: "train", CheckpointCommand: "save"})
	s.memory.set(func() { s.memory.instances[victim.ID].stubborn = true })
	for _, at := range []time.Duration{0, 90 * time.Second} {
		s.clock.Set(victim.NoticeAt.Add(at))
		time.Sleep(10 * reclaimPause)
	}
	if got := s.memory.heard(victim.ID); len(got) != 2 || got[0].what != "notice" || got[1].what != "terminated" {
		t.Errorf("it heard %+v", got)
	}
	s.memory.set(func() {
		if n := s.memory.instances[victim.ID].execs; n != 1 {
			t.Errorf("it was saved %d times", n)
		}
	})
	room()
	s.until("it is written down", func() bool { return s.instance(victim.ID).ReclaimSteps == 2 })
}

// A console that was down through all of it makes up for it at once.
func TestAConsoleThatWasDownEndsWhatShouldHaveEnded(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	victim, waits := s.reclaimed(store.RentRequest{Command: "train"})
	s.until("it is told", func() bool { return s.instance(victim.ID).ReclaimSteps == 1 })
	s.drop()
	s.clock.Advance(10 * time.Minute)
	s.start()
	s.reaches(victim.ID, life.Stopped)
	s.reaches(waits.ID, life.Running)
}

// The whole of it with real processes: the notice inside, the checkpoint, the second run that finds it.
func TestARealJobSavesItsWorkAndGoesOnInASecondRun(t *testing.T) {
	s := realSite(t)
	s.start()
	victim := s.spot(store.RentRequest{Requeue: true, CheckpointCommand: `sleep 0.2; echo "hook $METERHOUSE_RUN" >>saved; exit 3`,
		Command: `echo "run $METERHOUSE_RUN"; cat saved 2>/dev/null
			trap 'echo told; cp "$METERHOUSE_NOTICE" notice' USR1; trap 'echo asked; echo work >>saved' TERM; echo hears; while :; do sleep 0.05; done`})
	s.until("it hears signals", func() bool { return strings.Contains(s.log(victim.ID), "hears") })
	victim, waits := s.reclaim(victim)
	s.until("it saves", func() bool {
		return strings.Contains(s.log(victim.ID), "told") && s.instance(victim.ID).Checkpoint.EndedAt != nil
	})
	if c := s.instance(victim.ID).Checkpoint; c.ExitCode == nil || *c.ExitCode != 3 {
		t.Errorf("checkpoint: %+v", c)
	}
	s.drop()
	s.clock.Set(victim.NoticeAt.Add(90 * time.Second))
	s.start()
	s.until("it is asked to end", func() bool { return strings.Contains(s.log(victim.ID), "asked") })
	if got := s.instance(victim.ID); got.State != life.Reclaiming {
		t.Errorf("%s before its time", got.State)
	}
	s.clock.Set(victim.NoticeAt.Add(spot.Notice))
	if got := s.reaches(victim.ID, life.Stopped); got.EndedAt.Sub(*got.NoticeAt) > spot.Notice+time.Second {
		t.Errorf("it ended %v after its notice", got.EndedAt.Sub(*got.NoticeAt))
	}
	s.reaches(waits.ID, life.Running)
	s.stop(waits.ID)
	next := s.reaches(s.instance(victim.ID).LaterID, life.Running)
	s.until("it goes on", func() bool {
		text := s.log(next.ID)
		return strings.Contains(text, "run 2") && strings.Contains(text, "hook 1") && strings.Contains(text, "work")
	})
	var out strings.Builder
	if _, err := s.fleet.Exec(context.Background(), next.ID, gpu.ExecRequest{Argv: []string{"/bin/sh", "-c", "cat notice"}, Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Instance string
		Reclaims time.Time `json:"reclaims_at"`
		Signals  []struct{ Signal string }
	}
	if err := json.Unmarshal([]byte(out.String()), &seen); err != nil || seen.Instance != victim.ID || !seen.Reclaims.Equal(*victim.ReclaimsAt()) || len(seen.Signals) != 3 {
		t.Errorf("%q: %+v %v", out.String(), seen, err)
	}
	s.stop(next.ID)
	s.reaches(next.ID, life.Stopped)
}

// What is frozen is thawed to be told, and a hook that can't run is said so.
func TestASuspendedInstanceIsReclaimedToo(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	victim := s.running(store.RentRequest{Kind: store.Spot, GPUModel: "L4", GPUCount: 2, CheckpointCommand: "sync"})
	if _, err := s.store.Suspend(context.Background(), victim.ID, s.person.ID); err != nil {
		t.Fatal(err)
	}
	s.until("it is frozen", func() bool { return s.phase(victim.ID) == gpu.PhaseSuspended })
	s.clock.Advance(spot.Safe)
	s.rent(store.RentRequest{GPUModel: "L4", GPUCount: 2})
	s.until("it is told", func() bool { return s.instance(victim.ID).ReclaimSteps == 1 && s.phase(victim.ID) == gpu.PhaseRunning })
	s.until("the hook is accounted for", func() bool { return s.instance(victim.ID).Checkpoint.Detail != "" })
	s.clock.Advance(90 * time.Second)
	s.reaches(victim.ID, life.Stopped)
}
