package link

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/sim"
)

func pause() { time.Sleep(time.Millisecond) }

func simulated(t *testing.T) *sim.Source {
	t.Helper()
	s, err := sim.Open(sim.Config{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestTheGapIsWholeAfterwards: what was read and what happened while there was no line comes with the next one, once.
func TestTheGapIsWholeAfterwards(t *testing.T) {
	s := simulated(t)
	var wire *cable
	r := newRig(t, processes(t, t.TempDir()), s, throughCable(&wire)).connected()
	far := r.node.Source()
	devices, err := far.Devices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last, err := far.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.node.Remove() // ends the line as the console's end would
	for !r.gone() {
		pause()
	}
	s.Break(devices[0].UUID, "xid", 79)
	time.Sleep(4 * time.Second) // of which the agent records what is later than two
	r.node.mu.Lock()
	r.node.removed = false
	r.node.mu.Unlock()
	r.connected()
	missed, err := r.node.Backlog(t.Context(), last[0].At)
	if err != nil || len(missed) < len(devices) {
		t.Fatalf("%d readings, %v", len(missed), err)
	}
	for i, m := range missed {
		if !m.At.After(last[0].At) || i > 0 && m.At.Before(missed[i-1].At) {
			t.Errorf("the reading of %v is out of order", m.At)
		}
	}
	var told []gpu.Event
	for range 3 {
		events, err := far.Events(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, events...)
	}
	if len(told) != 1 || told[0].Code != 79 {
		t.Errorf("told were %+v", told)
	}
}

// TestAnEventWhoseAnswerIsLostIsToldAgain asks twice from the same place, as a console does that got no answer.
func TestAnEventWhoseAnswerIsLostIsToldAgain(t *testing.T) {
	s := simulated(t)
	rec := newRecorder(s)
	devices, _ := s.Devices(t.Context())
	s.Break(devices[0].UUID, "xid", 31)
	var has eventArgs
	for range 2 {
		time.Sleep(2 * time.Millisecond) // the fault is a nanosecond later than it was asked for
		r, err := rec.eventsAfter(t.Context(), has)
		if err != nil || len(r.Events) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	r, _ := rec.eventsAfter(t.Context(), has)
	if r, err := rec.eventsAfter(t.Context(), eventArgs{Boot: r.Boot, After: r.Last}); err != nil || len(r.Events) != 0 {
		t.Errorf("after it was taken: %+v, %v", r, err)
	}
	if r, err := rec.eventsAfter(t.Context(), eventArgs{Boot: "an earlier agent", After: 1000}); err != nil || r.Last != 1 {
		t.Errorf("of an earlier agent: %+v, %v", r, err)
	}
}

func TestTheRingsAreBounded(t *testing.T) {
	rec := newRecorder(nil)
	for i := range 3 * recordKept {
		rec.keep([]gpu.Reading{{UUID: "a", At: time.Unix(int64(i), 0)}})
	}
	if n := len(rec.readingsAfter(0)); n != recordKept {
		t.Errorf("%d readings are kept", n)
	}
}

// TestAReadingNeverLooksFresherThanItIs: the agent's clock is wrong by an hour, and what it tells is moved to the console's.
func TestAReadingNeverLooksFresherThanItIs(t *testing.T) {
	for _, wrong := range []time.Duration{-time.Hour, time.Hour} {
		off := func() time.Time { return time.Now().Add(wrong) }
		s, err := sim.Open(sim.Config{Now: off})
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(t, processes(t, t.TempDir()), s, func(r *rig) { r.agent.Now = off }).connected()
		for range 3 {
			readings, err := r.node.Source().Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if age := time.Since(readings[0].At); age < 0 || age > 5*time.Second {
				t.Errorf("with a clock that is wrong by %v a reading is %v old", wrong, age)
			}
		}
		r.stop()
		s.Close()
	}
}
