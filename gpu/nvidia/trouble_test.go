package nvidia

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

func TestAStartWithAFrozenDeviceDoesNotHang(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	frozen := m.gpus[1].uuid
	m.set(frozen, "hang", 1)
	s := m.open(300 * time.Millisecond)
	until(t, "the other two", func() bool {
		list, err := s.Devices(context.Background())
		return err == nil && len(list) == 2
	})
	until(t, "word of the third", func() bool {
		for _, e := range events(t, s) {
			if e.Kind == gpu.EventLost && e.UUID == "" {
				return true
			}
		}
		return false
	})
	m.set(frozen, "hang", 0)
	until(t, "the third", func() bool { return len(devices(t, s)) == 3 })
	until(t, "its reading", func() bool {
		_, ok := read(t, s, time.Second)[frozen].Values[gpu.Power].Get()
		return ok
	})
}

func TestAStartThatHangsInTheDriverDoesNotHangTheConsole(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	m.init = -1
	m.write()
	s := m.open(200 * time.Millisecond)
	if list, err := s.Devices(context.Background()); err == nil {
		t.Errorf("before NVML has started there are devices %v", list)
	}
	m.init = 0
	m.write()
	until(t, "the devices", func() bool {
		list, err := s.Devices(context.Background())
		return err == nil && len(list) == 3
	})
}

func TestAStartUnderAMismatchRecoversByItself(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	m.init = mismatch
	m.write()
	s := m.open(time.Second)
	if _, err := s.Devices(context.Background()); !errors.Is(err, ErrMismatch) {
		t.Fatalf("Devices: %v", err)
	}
	if _, err := s.Read(context.Background()); !errors.Is(err, ErrMismatch) {
		t.Fatalf("Read: %v", err)
	}
	m.init = 0
	m.write()
	until(t, "the devices", func() bool {
		list, err := s.Devices(context.Background())
		return err == nil && len(list) == 3
	})
	told := events(t, s)
	if len(told) != 2 || told[0].Kind != gpu.EventMismatch || told[1].Kind != gpu.EventBack {
		t.Errorf("events are %+v", told)
	}
}

func TestADeviceThatFellOffBeforeTheStartHidesNoOther(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	m.set(m.gpus[0].uuid, "identity", lost)
	s := m.open(time.Second)
	if list := devices(t, s); len(list) != 2 || list[0].UUID != m.gpus[1].uuid {
		t.Fatalf("devices are %+v", list)
	}
	if told := events(t, s); len(told) != 1 || told[0].Kind != gpu.EventLost || told[0].UUID != "" {
		t.Errorf("events are %+v", told)
	}
	m.set(m.gpus[0].uuid, "identity", 0)
	until(t, "the first", func() bool { return len(devices(t, s)) == 3 })
}

func TestADeviceThatIsGoneStaysListed(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	s := m.open(time.Second)
	gone := m.gpus[1]
	m.gpus = append(m.gpus[:1:1], m.gpus[2])
	m.write()
	until(t, "the loss", func() bool {
		return read(t, s, time.Second)[gone.uuid].Values[gpu.Power] == gpu.Unknown(gpu.Lost)
	})
	for range 10 { // through new sessions, which no longer count it
		time.Sleep(20 * time.Millisecond)
		if n := len(devices(t, s)); n != 3 {
			t.Fatalf("%d devices are listed", n)
		}
	}
	wantWhy(t, read(t, s, time.Second)[gone.uuid], gpu.Power, gpu.Lost)
	m.gpus = append(m.gpus, gone)
	m.write()
	until(t, "its return", func() bool {
		_, ok := read(t, s, time.Second)[gone.uuid].Values[gpu.Power].Get()
		return ok
	})
}

func TestADriverThatIsUnloadedAndLoadedAgainIsReadAgain(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	s := m.open(time.Second)
	m.init, m.answer = notLoaded, notLoaded
	m.write()
	until(t, "all to be lost", func() bool {
		for _, r := range read(t, s, time.Second) {
			if r.Values[gpu.Power] != gpu.Unknown(gpu.Lost) {
				return false
			}
		}
		return true
	})
	m.init, m.answer = 0, 0
	m.write()
	until(t, "all to be back", func() bool {
		for _, r := range read(t, s, time.Second) {
			if _, ok := r.Values[gpu.Power].Get(); !ok {
				return false
			}
		}
		return true
	})
}

// The stub ends the process when two calls are in one device; here it is also seen that no goroutine waits in a queue.
func TestNeverMoreThanOneCallIsStuckInADevice(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	s := m.open(200 * time.Millisecond)
	ill := m.gpus[0].uuid
	m.set(ill, "hang", 1)
	read(t, s, 300*time.Millisecond)
	before := runtime.NumGoroutine()
	for range 30 {
		all := read(t, s, 2*time.Second)
		if _, ok := all[m.gpus[1].uuid].Values[gpu.Power].Get(); !ok {
			t.Fatalf("another device is not read: %+v", all[m.gpus[1].uuid])
		}
		s.Processes(context.Background(), ill)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before 30 readings of a hung device, %d after", before, after)
	}
	wantWhy(t, read(t, s, time.Second)[ill], gpu.Power, gpu.Lost)
	m.set(ill, "hang", 0)
}

// A slow device is not a dead one: what it answers after the deadline is delivered by the next Read, with its own time.
func TestALateReadingIsNotThrownAway(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	s := m.open(10 * time.Second)
	slow := m.gpus[0].uuid
	m.set(slow, "hang", 1)
	began := time.Now()
	wantWhy(t, read(t, s, 100*time.Millisecond)[slow], gpu.Power, gpu.NotRead)
	m.set(slow, "hang", 0)
	until(t, "the late reading", func() bool {
		r := read(t, s, time.Second)[slow]
		_, ok := r.Values[gpu.Power].Get()
		if ok && r.At.Sub(began) > 5*time.Second {
			t.Errorf("it has the time %v after it was asked for", r.At.Sub(began))
		}
		return ok
	})
	if told := events(t, s); len(told) != 0 {
		t.Errorf("a slow device made events: %+v", told)
	}
}

func TestCloseUnderAHungCallSaysSo(t *testing.T) {
	if !inChild(t) {
		return
	}
	before := runtime.NumGoroutine()
	m := newMachine(t)
	s := m.open(200 * time.Millisecond)
	m.set(m.gpus[0].uuid, "hang", 1)
	read(t, s, 50*time.Millisecond)
	for range 2 {
		if err := s.Close(); !errors.Is(err, ErrStuck) {
			t.Errorf("Close: %v", err)
		}
	}
	m.set(m.gpus[0].uuid, "hang", 0)
	until(t, "every goroutine to end", func() bool { return runtime.NumGoroutine() <= before })
}
