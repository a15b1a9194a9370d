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

// Fault is something that hardware can be made to do.
type Fault string

const (
	Lost         Fault = "lost"          // the device does not answer any more
	Hang         Fault = "hang"          // calls to the device do not return
	Mismatch     Fault = "mismatch"      // driver and library differ; concerns every device
	NotSupported Fault = "not_supported" // the device does not tell its utilization
	Nonsense     Fault = "nonsense"      // the device answers with 3.7 million watts
)

// Hardware is what a Source is tested over: at least two devices that work and draw power, behind a newly opened Source.
type Hardware struct {
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
	// sourceDeadline is what the suite gives a call; generous, so that a loaded machine does not look like a hung device.
	sourceDeadline = 1500 * time.Millisecond
	// sourceSlack is how much later than its deadline a call may return on a loaded machine.
	sourceSlack = 2 * time.Second
	// sourcePatience is how long the suite waits for what has to come.
	sourcePatience = 20 * time.Second
)

// Source runs the suite. open is called once a case and reports through its t what it can not open.
func Source(t *testing.T, open func(t *testing.T) Hardware) {
	for _, each := range []struct {
		name string
		test func(*sourceCase)
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
		t.Run(each.name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			c := &sourceCase{T: t, Hardware: open(t)}
			c.devices = c.list()
			if len(c.devices) < 2 {
				t.Fatalf("there are %d devices; the suite needs two", len(c.devices))
			}
			each.test(c)
			_ = c.Source.Close() // an error is looked at where a case is about it
			c.until("every goroutine to end", func() bool { return runtime.NumGoroutine() <= before })
		})
	}
}

// sourceCase is one case's hardware, with what the cases ask of it.
type sourceCase struct {
	*testing.T
	Hardware
	devices []gpu.Device
}

// ctx is a context with the suite's deadline.
func (c *sourceCase) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), sourceDeadline)
	c.Cleanup(cancel)
	return ctx
}

func (c *sourceCase) list() []gpu.Device {
	c.Helper()
	devices, err := c.Source.Devices(c.ctx())
	if err != nil {
		c.Fatalf("Devices: %v", err)
	}
	return devices
}

// read returns one round of readings by UUID, and fails where it came too late or is not one of each device.
func (c *sourceCase) read() map[string]gpu.Reading {
	c.Helper()
	began := time.Now()
	readings, err := c.Source.Read(c.ctx())
	if err != nil {
		c.Fatalf("Read: %v", err)
	}
	if took := time.Since(began); took > sourceDeadline+sourceSlack {
		c.Fatalf("Read took %v with a deadline of %v", took, sourceDeadline)
	}
	byUUID := map[string]gpu.Reading{}
	for _, r := range readings {
		byUUID[r.UUID] = r
	}
	if len(readings) != len(c.devices) || len(byUUID) != len(c.devices) {
		c.Fatalf("%d readings of %d devices, for %d listed", len(readings), len(byUUID), len(c.devices))
	}
	return byUUID
}

// until lets time pass until a condition holds.
func (c *sourceCase) until(what string, holds func() bool) {
	c.Helper()
	for limit := time.Now().Add(sourcePatience); !holds(); {
		if time.Now().After(limit) {
			c.Fatalf("waited %v in vain for %s", sourcePatience, what)
		}
		c.Pass()
		time.Sleep(5 * time.Millisecond)
	}
}

// events waits for an event of that kind and device and returns all that came until then.
func (c *sourceCase) events(uuid string, kind gpu.EventKind) (all []gpu.Event) {
	c.Helper()
	c.until(string(kind)+" of "+uuid, func() bool {
		c.read()
		fresh, err := c.Source.Events(c.ctx())
		if err != nil {
			c.Fatalf("Events: %v", err)
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

// works reports whether a reading has what every device under test tells.
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
