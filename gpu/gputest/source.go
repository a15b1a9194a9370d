// Package gputest holds the suites that every gpu.Source and every gpu.Executor passes: one says what reading hardware
// means, the other what running work on it means. It imports package gpu and the standard library, so that each
// implementation's own tests can use it. The rule it keeps: it knows no implementation, only what package gpu promises.
package gputest

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// Fault is something that a Rig's hardware can be made to do.
type Fault string

const (
	Lost         Fault = "lost"          // the device does not answer any more
	Hang         Fault = "hang"          // calls to the device do not return
	Mismatch     Fault = "mismatch"      // driver and library differ; concerns every device
	NotSupported Fault = "not_supported" // the device does not tell its utilization
	Nonsense     Fault = "nonsense"      // the device answers with 3.7 million watts
)

// Rig is hardware under test: at least two devices that work and draw power, behind a newly opened Source.
type Rig struct {
	Source gpu.Source
	// Pass lets some time go by for the hardware, whose counters go on. It may be the real clock's or the test's time.
	Pass func()
	// Break makes a device do something, until Mend; uuid is "" for Mismatch.
	Break func(uuid string, f Fault)
	Mend  func(uuid string, f Fault)
	// Xid lets the driver report an error once.
	Xid func(uuid string, code int)
	// Reboot closes Source and returns a new one over the same hardware, which the driver lists in another order.
	Reboot func() gpu.Source
}

const (
	// deadline is what the suite gives a call; generous, so that a loaded machine does not look like a hung device.
	deadline = 1500 * time.Millisecond
	// slack is how much later than its deadline a call may return on a loaded machine.
	slack = 2 * time.Second
	// patience is how long the suite waits for what has to come.
	patience = 20 * time.Second
)

// Source runs the suite. open is called once a case and reports through its t what it can not open.
func Source(t *testing.T, open func(t *testing.T) Rig) {
	for _, c := range []struct {
		name string
		test func(*bench)
	}{
		{"ADeviceIsItsUUID", aDeviceIsItsUUID},
		{"AReadingForEachDevice", aReadingForEachDevice},
		{"NotSupportedIsUnknown", notSupportedIsUnknown},
		{"NonsenseIsInvalid", nonsenseIsInvalid},
		{"ALostDeviceHidesNoOther", aLostDeviceHidesNoOther},
		{"AHungDeviceHidesNoOther", aHungDeviceHidesNoOther},
		{"AMismatchIsToldAndEnds", aMismatchIsToldAndEnds},
		{"EnergyGoesForwardOrRestarts", energyGoesForwardOrRestarts},
		{"AnEventIsToldOnce", anEventIsToldOnce},
		{"ProcessesAreAListOrAnError", processesAreAListOrAnError},
		{"CallsMayRunAtTheSameTime", callsMayRunAtTheSameTime},
		{"NoCallOutlastsItsDeadline", noCallOutlastsItsDeadline},
		{"CloseIsCleanAndMayBeRepeated", closeIsCleanAndMayBeRepeated},
		{"CloseDoesNotHang", closeDoesNotHang},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			b := &bench{T: t, Rig: open(t)}
			b.devices = b.list()
			if len(b.devices) < 2 {
				t.Fatalf("the rig has %d devices; the suite needs two", len(b.devices))
			}
			c.test(b)
			b.Source.Close() // an error is looked at where a case is about it
			b.until("every goroutine to end", func() bool { return runtime.NumGoroutine() <= before })
		})
	}
}

// bench is one case's rig with what the cases ask of it.
type bench struct {
	*testing.T
	Rig
	devices []gpu.Device
}

// ctx is a context with the suite's deadline.
func (b *bench) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	b.Cleanup(cancel)
	return ctx
}

func (b *bench) list() []gpu.Device {
	b.Helper()
	devices, err := b.Source.Devices(b.ctx())
	if err != nil {
		b.Fatalf("Devices: %v", err)
	}
	return devices
}

// read returns one round of readings by UUID, and fails where it came too late or is not one of each device.
func (b *bench) read() map[string]gpu.Reading {
	b.Helper()
	began := time.Now()
	readings, err := b.Source.Read(b.ctx())
	if err != nil {
		b.Fatalf("Read: %v", err)
	}
	if took := time.Since(began); took > deadline+slack {
		b.Fatalf("Read took %v with a deadline of %v", took, deadline)
	}
	byUUID := map[string]gpu.Reading{}
	for _, r := range readings {
		byUUID[r.UUID] = r
	}
	if len(readings) != len(b.devices) || len(byUUID) != len(b.devices) {
		b.Fatalf("%d readings of %d devices, for %d listed", len(readings), len(byUUID), len(b.devices))
	}
	return byUUID
}

// until lets time pass until a condition holds.
func (b *bench) until(what string, holds func() bool) {
	b.Helper()
	for limit := time.Now().Add(patience); !holds(); {
		if time.Now().After(limit) {
			b.Fatalf("waited %v in vain for %s", patience, what)
		}
		b.Pass()
		time.Sleep(5 * time.Millisecond)
	}
}

// events waits for an event of that kind and device and returns all that came until then.
func (b *bench) events(uuid string, kind gpu.EventKind) (all []gpu.Event) {
	b.Helper()
	b.until(string(kind)+" of "+uuid, func() bool {
		b.read()
		fresh, err := b.Source.Events(b.ctx())
		if err != nil {
			b.Fatalf("Events: %v", err)
		}
		all = append(all, fresh...)
		return count(all, uuid, kind) > 0
	})
	return all
}

func count(events []gpu.Event, uuid string, kind gpu.EventKind) (n int) {
	for _, e := range events {
		if e.UUID == uuid && e.Kind == kind {
			n++
		}
	}
	return n
}

// works reports whether a reading has what every device of a rig tells.
func works(r gpu.Reading) bool {
	for _, m := range []gpu.Metric{gpu.MemoryTotal, gpu.MemoryUsed, gpu.Temperature, gpu.Energy} {
		if _, ok := r.Values[m].Get(); !ok {
			return false
		}
	}
	return true
}

// absent reports whether no value of a reading is known.
func absent(r gpu.Reading) bool {
	for _, v := range r.Values {
		if _, ok := v.Get(); ok {
			return false
		}
	}
	return true
}
