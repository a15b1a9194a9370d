package fleet

import (
	"context"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/idle"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// TestOnlyWhatIsKnownIsCounted has one instance on two GPUs: what is missing of either, or of its processors, makes a second
// unknown, and so does a tick that did not come.
func TestOnlyWhatIsKnownIsCounted(t *testing.T) {
	t.Parallel()
	held := map[string][]string{"i": {"a", "b"}}
	reading := func(at time.Time, active gpu.Value) (r gpu.Reading) {
		r.At, r.Values[gpu.Utilization], r.Values[gpu.MemoryUsed] = at, active, gpu.Known(1<<30)
		return r
	}
	tick := func(at time.Time, a, b gpu.Value) Tick {
		return Tick{At: at, Readings: map[string]gpu.Reading{"a": reading(at, a), "b": reading(at, b)}}
	}
	used := func(cpu time.Duration) map[string]gpu.Usage { return map[string]gpu.Usage{"i": {CPU: cpu}} }
	for _, c := range []struct {
		name              string
		after             time.Duration
		a, b              gpu.Value
		usage             map[string]gpu.Usage
		known, busy, mean time.Duration
		cpu               time.Duration
	}{
		{"all known", time.Second, gpu.Known(1000), gpu.Known(500), used(2500 * time.Millisecond), time.Second, time.Second, 750 * time.Millisecond, 500 * time.Millisecond},
		{"nothing done", 2 * time.Second, gpu.Known(0), gpu.Known(0), used(2 * time.Second), 2 * time.Second, 0, 0, 0},
		{"a GPU is unknown", time.Second, gpu.Known(0), gpu.Unknown(gpu.NotSupported), used(2 * time.Second), 0, 0, 0, 0},
		{"processors are unknown", time.Second, gpu.Known(0), gpu.Known(0), nil, 0, 0, 0, 0},
		{"processors began anew", time.Second, gpu.Known(0), gpu.Known(0), used(time.Second), 0, 0, 0, 0},
		{"no tick for long", 6 * time.Second, gpu.Known(0), gpu.Known(0), used(2 * time.Second), 0, 0, 0, 0},
		{"the clock went back", -time.Second, gpu.Known(0), gpu.Known(0), used(2 * time.Second), 0, 0, 0, 0},
	} {
		var sums activities
		at := storetest.Start
		sums.add(tick(at, gpu.Known(0), gpu.Known(0)), held, used(2*time.Second))
		sums.add(tick(at.Add(c.after), c.a, c.b), held, c.usage)
		all := sums.take()
		if c.known == 0 {
			if len(all) != 0 {
				t.Errorf("%s: %+v", c.name, all)
			}
			continue
		}
		if len(all) != 1 || all[0].Known != c.known || all[0].Busy != c.busy || all[0].Used != c.mean || all[0].CPU != c.cpu || all[0].Memory != 2<<30 || !all[0].At.Equal(at) {
			t.Errorf("%s: %+v", c.name, all)
		}
		if again := sums.take(); len(again) != 0 {
			t.Errorf("%s: taken twice: %+v", c.name, again)
		}
	}
}

// minute lets one go by in steps of four seconds, in which an instance uses a share of a core, and has it looked at.
func (s *site) minute(ticks <-chan Tick, id string, percent time.Duration) {
	s.t.Helper()
	for range 15 {
		s.memory.set(func() { s.memory.instances[id].usage.CPU += 4 * time.Second * percent / 100 })
		at := s.clock.Advance(4 * time.Second)
		s.fleet.local.readNow.wake()
		for tick := range ticks {
			if !tick.At.Before(at) {
				break
			}
			s.fleet.local.readNow.wake()
		}
	}
	s.fleet.idleNow.wake()
	s.until("it was written down", func() bool {
		s.fleet.local.activities.mu.Lock()
		defer s.fleet.local.activities.mu.Unlock()
		return len(s.fleet.local.activities.sums) == 0
	})
}

// TestWhatIsIdleIsStoppedAndWhatComputesIsNot is L7 and L8 from the reading to the stop: one instance computes with nobody
// there, the other does nothing while somebody looks at it all the time, and a console is started again between.
func TestWhatIsIdleIsStoppedAndWhatComputesIsNot(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	if err := s.store.SetIdle(t.Context(), "", idle.Settings{On: true, Mail: 30 * time.Minute, Stop: 90 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	s.start()
	works, looks := s.running(store.RentRequest{Name: "works"}), s.running(store.RentRequest{Name: "looks"})
	ticks, cancel := s.fleet.Watch()
	told := func() store.InstanceIdle {
		told, err := s.store.InstanceIdle(t.Context(), looks.ID)
		if err != nil {
			t.Fatal(err)
		}
		return told
	}
	for range 40 {
		s.minute(ticks, works.ID, 100)
		_, _ = s.fleet.Exec(context.Background(), looks.ID, gpu.ExecRequest{Argv: []string{"true"}}) // the executor in memory only counts it
		s.fleet.Latest(looks.GPUs[0])
	}
	s.until("it is told", func() bool { return told().StopsAt != nil })
	stops := *told().StopsAt
	cancel()
	s.drop()
	s.start()
	ticks, cancel = s.fleet.Watch()
	defer cancel()
	for s.clock.Now().Before(stops.Add(-time.Minute)) {
		s.minute(ticks, works.ID, 100)
		if again := told().StopsAt; again == nil || !again.Equal(stops) {
			t.Fatalf("told %v, then %v", stops, again)
		}
	}
	if state := s.instance(looks.ID).State; state != life.Running {
		t.Errorf("%s before its moment", state)
	}
	for range 2 {
		s.minute(ticks, works.ID, 100)
	}
	if i := s.reaches(looks.ID, life.Stopped); i.StopReason != "idle" || i.EndedAt.Before(stops) {
		t.Errorf("stopped for %q at %v, told %v", i.StopReason, i.EndedAt, stops)
	}
	if state := s.instance(works.ID).State; state != life.Running {
		t.Errorf("what computes is %s", state)
	}
}
