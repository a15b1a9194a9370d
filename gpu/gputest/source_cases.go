package gputest

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

var uuidForm = regexp.MustCompile(`^GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

func aDeviceIsItsUUID(c *sourceCase) {
	buses := map[string]string{}
	before := map[string]gpu.Device{}
	for _, d := range c.devices {
		if !uuidForm.MatchString(d.UUID) || before[d.UUID].UUID != "" {
			c.Errorf("UUID %q is malformed or there twice", d.UUID)
		}
		if d.PCIBusID == "" || buses[d.PCIBusID] != "" {
			c.Errorf("PCI bus id %q is missing or there twice", d.PCIBusID)
		}
		if d.Model == "" || strings.HasPrefix(d.Model, d.Vendor) || d.MemoryBytes == 0 {
			c.Errorf("device %+v lacks a model or memory, or has its vendor in its model", d)
		}
		before[d.UUID], buses[d.PCIBusID] = d, d.UUID
	}
	c.Source = c.Reboot()
	after := c.list()
	if len(after) != len(c.devices) {
		c.Fatalf("%d devices before the reboot, %d after", len(c.devices), len(after))
	}
	moved := false
	for _, d := range after {
		old := before[d.UUID]
		moved = moved || old.Index != d.Index
		if old.PCIBusID != d.PCIBusID || old.Model != d.Model || old.MemoryBytes != d.MemoryBytes {
			c.Errorf("after the reboot %s is %+v, before it was %+v", d.UUID, d, old)
		}
	}
	if !moved {
		c.Error("the reboot left the order as it was")
	}
	for uuid, r := range c.read() {
		if total, _ := r.Values[gpu.MemoryTotal].Get(); uint64(total) != before[uuid].MemoryBytes {
			c.Errorf("after the reboot the reading of %s tells %d bytes of memory", uuid, total)
		}
	}
}

func aReadingForEachDevice(c *sourceCase) {
	for _, d := range c.devices {
		r := c.read()[d.UUID]
		if r.At.IsZero() || !works(r) {
			c.Errorf("reading of a device that works: %+v", r)
		}
		for m := range gpu.NumMetrics {
			n, ok := r.Values[m].Get()
			if _, plausible := d.Plausible(m, n).Get(); ok && !plausible {
				c.Errorf("%s of %s is %d", m.Info().Name, d.Model, n)
			}
		}
		used, _ := r.Values[gpu.MemoryUsed].Get()
		reserved, _ := r.Values[gpu.MemoryReserved].Get()
		if total, _ := r.Values[gpu.MemoryTotal].Get(); used+reserved > total {
			c.Errorf("%d used and %d reserved are more than %d", used, reserved, total)
		}
	}
}

// unknownFor breaks the first device and expects one metric to be unknown for a reason, and the second device to be well.
func unknownFor(c *sourceCase, f Fault, m gpu.Metric, why gpu.Why) {
	ill, well := c.devices[0].UUID, c.devices[1].UUID
	c.Break(ill, f)
	c.until("the fault to show", func() bool {
		_, known := c.read()[ill].Values[m].Get()
		return !known
	})
	for range 3 {
		c.Pass()
		all := c.read()
		if n, known := all[ill].Values[m].Get(); known || all[ill].Values[m].Why() != why {
			c.Fatalf("%s is %d (known: %v), for the reason %s", m.Info().Name, n, known, all[ill].Values[m].Why())
		}
		if !works(all[ill]) {
			c.Error("one value that is not told hides the device's others")
		}
		if _, known := all[well].Values[m].Get(); !known {
			c.Error("another device's value is hidden")
		}
	}
}

func notSupportedIsUnknown(c *sourceCase) {
	unknownFor(c, NotSupported, gpu.Utilization, gpu.NotSupported)
}
func nonsenseIsInvalid(c *sourceCase) { unknownFor(c, Nonsense, gpu.Power, gpu.Invalid) }

func aLostDeviceHidesNoOther(c *sourceCase) { goneAndBack(c, Lost) }

func aHungDeviceHidesNoOther(c *sourceCase) { goneAndBack(c, Hang) }

func goneAndBack(c *sourceCase, f Fault) {
	ill := c.devices[0].UUID
	c.read()
	c.Break(ill, f)
	c.until("the device to be lost", func() bool {
		all := c.read()
		for _, d := range c.devices[1:] {
			if !works(all[d.UUID]) {
				c.Fatalf("%s is hidden by another device: %+v", d.UUID, all[d.UUID])
			}
		}
		if !absent(all[ill]) && f == Hang {
			c.Fatalf("a device that hangs tells %+v", all[ill])
		}
		return absent(all[ill]) && all[ill].Values[gpu.Power].Why() == gpu.Lost
	})
	if n := len(c.list()); n != len(c.devices) {
		c.Errorf("with one device lost, %d of %d are listed", n, len(c.devices))
	}
	told := c.events(ill, gpu.EventLost)
	c.Mend(ill, f)
	told = append(told, c.events(ill, gpu.EventBack)...)
	c.until("the device to be read again", func() bool { return works(c.read()[ill]) })
	if lost, back := count(told, ill, gpu.EventLost), count(told, ill, gpu.EventBack); lost != 1 || back != 1 {
		c.Errorf("told %d times that it was lost, %d times that it is back: %+v", lost, back, told)
	}
}

func aMismatchIsToldAndEnds(c *sourceCase) {
	c.Break("", Mismatch)
	c.until("the mismatch to show", func() bool {
		for _, r := range c.read() {
			if !absent(r) || r.Values[gpu.Power].Why() != gpu.Mismatch {
				return false
			}
		}
		return true
	})
	c.events("", gpu.EventMismatch)
	c.Mend("", Mismatch)
	c.events("", gpu.EventBack)
	c.until("all devices to be read again", func() bool {
		for _, r := range c.read() {
			if !works(r) {
				return false
			}
		}
		return true
	})
}

func energyGoesForwardOrRestarts(c *sourceCase) {
	uuid := c.devices[0].UUID
	energy := func() int64 {
		n, ok := c.read()[uuid].Values[gpu.Energy].Get()
		if !ok || n < 0 {
			c.Fatalf("energy is %d (known: %v)", n, ok)
		}
		return n
	}
	first := energy()
	last := first
	for range 5 {
		c.Pass()
		n := energy()
		if n < last {
			c.Errorf("energy went from %d back to %d", last, n)
		}
		last = n
	}
	c.until("energy to grow", func() bool { return energy() > first })
}

func anEventIsToldOnce(c *sourceCase) {
	uuid := c.devices[1].UUID
	c.Xid(uuid, 79)
	all := c.events(uuid, gpu.EventXid)
	for range 5 {
		c.Pass()
		more, err := c.Source.Events(c.ctx())
		if err != nil {
			c.Fatal(err)
		}
		all = append(all, more...)
	}
	if n := count(all, uuid, gpu.EventXid); n != 1 || len(all) != 1 {
		c.Fatalf("told %d times, in %+v", n, all)
	}
	if all[0].Code != 79 || all[0].At.IsZero() {
		c.Errorf("the event is %+v", all[0])
	}
}

func processesAreAListOrAnError(c *sourceCase) {
	if _, err := c.Source.Processes(c.ctx(), c.devices[0].UUID); err != nil {
		c.Errorf("of a device that works: %v", err)
	}
	if _, err := c.Source.Processes(c.ctx(), "GPU-ffffffff-ffff-ffff-ffff-ffffffffffff"); !errors.Is(err, gpu.ErrNoDevice) {
		c.Errorf("of a device that is not there: %v", err)
	}
	c.Break(c.devices[0].UUID, Lost)
	if list, err := c.Source.Processes(c.ctx(), c.devices[0].UUID); err == nil {
		c.Errorf("of a lost device: %v, as if that were known", list)
	}
	c.Mend(c.devices[0].UUID, Lost)
}

func callsMayRunAtTheSameTime(c *sourceCase) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				// A new context each time, without c.Cleanup: this is not the test's goroutine.
				ctx, cancel := context.WithTimeout(context.Background(), sourcePatience)
				readings, err := c.Source.Read(ctx)
				if err != nil || len(readings) != len(c.devices) {
					c.Errorf("Read: %d readings, %v", len(readings), err)
				}
				for _, r := range readings {
					if !works(r) {
						c.Errorf("a device that works is read as %+v", r)
					}
				}
				_, err = c.Source.Devices(ctx)
				_, err2 := c.Source.Events(ctx)
				_, err3 := c.Source.Processes(ctx, c.devices[0].UUID)
				if err := errors.Join(err, err2, err3); err != nil {
					c.Error(err)
				}
				cancel()
			}
		})
	}
	all.Wait()
}

func noCallOutlastsItsDeadline(c *sourceCase) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Source.Read(over); !errors.Is(err, context.Canceled) {
		c.Errorf("Read after its context's end: %v", err)
	}
	if _, err := c.Source.Devices(over); !errors.Is(err, context.Canceled) {
		c.Errorf("Devices after its context's end: %v", err)
	}
	ill := c.devices[0].UUID
	c.Break(ill, Hang)
	defer c.Mend(ill, Hang)
	for range 3 {
		began := time.Now()
		list, err := c.Source.Processes(c.ctx(), ill)
		if took := time.Since(began); took > sourceDeadline+sourceSlack {
			c.Errorf("Processes of a hung device took %v with a deadline of %v", took, sourceDeadline)
		}
		if err == nil {
			c.Errorf("a hung device has processes %v, as if that were known", list)
		}
		c.read() // looks at its own deadline
	}
}

func closeIsCleanAndMayBeRepeated(c *sourceCase) {
	c.read()
	for range 2 {
		if err := c.Source.Close(); err != nil {
			c.Errorf("Close: %v", err)
		}
	}
	_, err := c.Source.Read(c.ctx())
	_, err2 := c.Source.Devices(c.ctx())
	_, err3 := c.Source.Events(c.ctx())
	_, err4 := c.Source.Processes(c.ctx(), c.devices[0].UUID)
	for _, err := range []error{err, err2, err3, err4} {
		if !errors.Is(err, gpu.ErrClosed) {
			c.Errorf("a call after Close: %v", err)
		}
	}
}

// closeDoesNotHang closes while a call hangs. That may be an error, but it ends; and when the call returns at last, nothing
// of the Source is left.
func closeDoesNotHang(c *sourceCase) {
	ill := c.devices[0].UUID
	c.Break(ill, Hang)
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		ctx, cancel := context.WithTimeout(context.Background(), sourceDeadline)
		defer cancel()
		_, _ = c.Source.Read(ctx) // it need only return
	}()
	began := time.Now()
	_ = c.Source.Close() // it may say that a call hangs
	if took := time.Since(began); took > sourcePatience/2 {
		c.Errorf("Close took %v", took)
	}
	c.Mend(ill, Hang)
	<-reading
}
