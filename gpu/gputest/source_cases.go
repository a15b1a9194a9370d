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

func aDeviceIsItsUUID(b *bench) {
	buses := map[string]string{}
	before := map[string]gpu.Device{}
	for _, d := range b.devices {
		if !uuidForm.MatchString(d.UUID) || before[d.UUID].UUID != "" {
			b.Errorf("UUID %q is malformed or there twice", d.UUID)
		}
		if d.PCIBusID == "" || buses[d.PCIBusID] != "" {
			b.Errorf("PCI bus id %q is missing or there twice", d.PCIBusID)
		}
		if d.Model == "" || strings.HasPrefix(d.Model, d.Vendor) || d.MemoryBytes == 0 {
			b.Errorf("device %+v lacks a model or memory, or has its vendor in its model", d)
		}
		before[d.UUID], buses[d.PCIBusID] = d, d.UUID
	}
	b.Source = b.Reboot()
	after := b.list()
	if len(after) != len(b.devices) {
		b.Fatalf("%d devices before the reboot, %d after", len(b.devices), len(after))
	}
	moved := false
	for _, d := range after {
		old := before[d.UUID]
		moved = moved || old.Index != d.Index
		if old.PCIBusID != d.PCIBusID || old.Model != d.Model || old.MemoryBytes != d.MemoryBytes {
			b.Errorf("after the reboot %s is %+v, before it was %+v", d.UUID, d, old)
		}
	}
	if !moved {
		b.Error("the rig's reboot left the order as it was")
	}
	for uuid, r := range b.read() {
		if total, _ := r.Values[gpu.MemoryTotal].Get(); uint64(total) != before[uuid].MemoryBytes {
			b.Errorf("after the reboot the reading of %s tells %d bytes of memory", uuid, total)
		}
	}
}

func aReadingForEachDevice(b *bench) {
	for _, d := range b.devices {
		r := b.read()[d.UUID]
		if r.At.IsZero() || !works(r) {
			b.Errorf("reading of a device that works: %+v", r)
		}
		for m := range gpu.NumMetrics {
			n, ok := r.Values[m].Get()
			if _, plausible := d.Plausible(m, n).Get(); ok && !plausible {
				b.Errorf("%s of %s is %d", m.Info().Name, d.Model, n)
			}
		}
		used, _ := r.Values[gpu.MemoryUsed].Get()
		reserved, _ := r.Values[gpu.MemoryReserved].Get()
		if total, _ := r.Values[gpu.MemoryTotal].Get(); used+reserved > total {
			b.Errorf("%d used and %d reserved are more than %d", used, reserved, total)
		}
	}
}

// unknownFor breaks the first device and expects one metric to be unknown for a reason, and the second device to be well.
func unknownFor(b *bench, f Fault, m gpu.Metric, why gpu.Why) {
	ill, well := b.devices[0].UUID, b.devices[1].UUID
	b.Break(ill, f)
	b.until("the fault to show", func() bool {
		_, known := b.read()[ill].Values[m].Get()
		return !known
	})
	for range 3 {
		b.Pass()
		all := b.read()
		if n, known := all[ill].Values[m].Get(); known || all[ill].Values[m].Why() != why {
			b.Fatalf("%s is %d (known: %v), for the reason %s", m.Info().Name, n, known, all[ill].Values[m].Why())
		}
		if !works(all[ill]) {
			b.Error("one value that is not told hides the device's others")
		}
		if _, known := all[well].Values[m].Get(); !known {
			b.Error("another device's value is hidden")
		}
	}
}

func notSupportedIsUnknown(b *bench) { unknownFor(b, NotSupported, gpu.Utilization, gpu.NotSupported) }
func nonsenseIsInvalid(b *bench)     { unknownFor(b, Nonsense, gpu.Power, gpu.Invalid) }

func aLostDeviceHidesNoOther(b *bench) { goneAndBack(b, Lost) }

func aHungDeviceHidesNoOther(b *bench) { goneAndBack(b, Hang) }

func goneAndBack(b *bench, f Fault) {
	ill := b.devices[0].UUID
	b.read()
	b.Break(ill, f)
	b.until("the device to be lost", func() bool {
		all := b.read()
		for _, d := range b.devices[1:] {
			if !works(all[d.UUID]) {
				b.Fatalf("%s is hidden by another device: %+v", d.UUID, all[d.UUID])
			}
		}
		if !absent(all[ill]) && f == Hang {
			b.Fatalf("a device that hangs tells %+v", all[ill])
		}
		return absent(all[ill]) && all[ill].Values[gpu.Power].Why() == gpu.Lost
	})
	if n := len(b.list()); n != len(b.devices) {
		b.Errorf("with one device lost, %d of %d are listed", n, len(b.devices))
	}
	told := b.events(ill, gpu.EventLost)
	b.Mend(ill, f)
	told = append(told, b.events(ill, gpu.EventBack)...)
	b.until("the device to be read again", func() bool { return works(b.read()[ill]) })
	if lost, back := count(told, ill, gpu.EventLost), count(told, ill, gpu.EventBack); lost != 1 || back != 1 {
		b.Errorf("told %d times that it was lost, %d times that it is back: %+v", lost, back, told)
	}
}

func aMismatchIsToldAndEnds(b *bench) {
	b.Break("", Mismatch)
	b.until("the mismatch to show", func() bool {
		for _, r := range b.read() {
			if !absent(r) || r.Values[gpu.Power].Why() != gpu.Mismatch {
				return false
			}
		}
		return true
	})
	b.events("", gpu.EventMismatch)
	b.Mend("", Mismatch)
	b.events("", gpu.EventBack)
	b.until("all devices to be read again", func() bool {
		for _, r := range b.read() {
			if !works(r) {
				return false
			}
		}
		return true
	})
}

func energyGoesForwardOrRestarts(b *bench) {
	uuid := b.devices[0].UUID
	energy := func() int64 {
		n, ok := b.read()[uuid].Values[gpu.Energy].Get()
		if !ok || n < 0 {
			b.Fatalf("energy is %d (known: %v)", n, ok)
		}
		return n
	}
	first := energy()
	last := first
	for range 5 {
		b.Pass()
		n := energy()
		if n < last {
			b.Errorf("energy went from %d back to %d", last, n)
		}
		last = n
	}
	b.until("energy to grow", func() bool { return energy() > first })
}

func anEventIsToldOnce(b *bench) {
	uuid := b.devices[1].UUID
	b.Xid(uuid, 79)
	all := b.events(uuid, gpu.EventXid)
	for range 5 {
		b.Pass()
		more, err := b.Source.Events(b.ctx())
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, more...)
	}
	if n := count(all, uuid, gpu.EventXid); n != 1 || len(all) != 1 {
		b.Fatalf("told %d times, in %+v", n, all)
	}
	if all[0].Code != 79 || all[0].At.IsZero() {
		b.Errorf("the event is %+v", all[0])
	}
}

func processesAreAListOrAnError(b *bench) {
	if _, err := b.Source.Processes(b.ctx(), b.devices[0].UUID); err != nil {
		b.Errorf("of a device that works: %v", err)
	}
	if _, err := b.Source.Processes(b.ctx(), "GPU-ffffffff-ffff-ffff-ffff-ffffffffffff"); !errors.Is(err, gpu.ErrNoDevice) {
		b.Errorf("of a device that is not there: %v", err)
	}
	b.Break(b.devices[0].UUID, Lost)
	if list, err := b.Source.Processes(b.ctx(), b.devices[0].UUID); err == nil {
		b.Errorf("of a lost device: %v, as if that were known", list)
	}
	b.Mend(b.devices[0].UUID, Lost)
}

func callsMayRunAtTheSameTime(b *bench) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				// A new context each time, without b.Cleanup: this is not the test's goroutine.
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				readings, err := b.Source.Read(ctx)
				if err != nil || len(readings) != len(b.devices) {
					b.Errorf("Read: %d readings, %v", len(readings), err)
				}
				for _, r := range readings {
					if !works(r) {
						b.Errorf("a device that works is read as %+v", r)
					}
				}
				_, err = b.Source.Devices(ctx)
				_, err2 := b.Source.Events(ctx)
				_, err3 := b.Source.Processes(ctx, b.devices[0].UUID)
				if err := errors.Join(err, err2, err3); err != nil {
					b.Error(err)
				}
				cancel()
			}
		})
	}
	all.Wait()
}

func noCallOutlastsItsDeadline(b *bench) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.Source.Read(over); !errors.Is(err, context.Canceled) {
		b.Errorf("Read after its context's end: %v", err)
	}
	if _, err := b.Source.Devices(over); !errors.Is(err, context.Canceled) {
		b.Errorf("Devices after its context's end: %v", err)
	}
	ill := b.devices[0].UUID
	b.Break(ill, Hang)
	defer b.Mend(ill, Hang)
	for range 3 {
		began := time.Now()
		list, err := b.Source.Processes(b.ctx(), ill)
		if took := time.Since(began); took > deadline+slack {
			b.Errorf("Processes of a hung device took %v with a deadline of %v", took, deadline)
		}
		if err == nil {
			b.Errorf("a hung device has processes %v, as if that were known", list)
		}
		b.read() // looks at its own deadline
	}
}

func closeIsCleanAndMayBeRepeated(b *bench) {
	b.read()
	for range 2 {
		if err := b.Source.Close(); err != nil {
			b.Errorf("Close: %v", err)
		}
	}
	_, err := b.Source.Read(b.ctx())
	_, err2 := b.Source.Devices(b.ctx())
	_, err3 := b.Source.Events(b.ctx())
	_, err4 := b.Source.Processes(b.ctx(), b.devices[0].UUID)
	for _, err := range []error{err, err2, err3, err4} {
		if !errors.Is(err, gpu.ErrClosed) {
			b.Errorf("a call after Close: %v", err)
		}
	}
}

// closeDoesNotHang closes while a call hangs. That may be an error, but it ends; and when the call returns at last, nothing
// of the Source is left.
func closeDoesNotHang(b *bench) {
	ill := b.devices[0].UUID
	b.Break(ill, Hang)
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		b.Source.Read(ctx)
	}()
	began := time.Now()
	b.Source.Close()
	if took := time.Since(began); took > patience/2 {
		b.Errorf("Close took %v", took)
	}
	b.Mend(ill, Hang)
	<-reading
}
