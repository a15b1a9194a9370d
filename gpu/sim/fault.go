package sim

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// What a scripted fault can be.
const (
	faultLost         = "lost"
	faultXid          = "xid"
	faultMismatch     = "mismatch"
	faultHang         = "hang"
	faultNotSupported = "not_supported"
	faultNonsense     = "nonsense"
)

const (
	maxFaultSeconds = 366 * 24 * 3600
	maxXid          = 1000
	defaultXid      = 31 // memory page fault: the commonest one that a program causes by itself
)

type faultDef struct {
	At      float64  `json:"at_seconds"`
	For     float64  `json:"for_seconds"`
	GPU     *int     `json:"gpu"`
	Fault   string   `json:"fault"`
	Code    *int     `json:"code"`
	Metrics []string `json:"metrics"`
}

func (d *faultDef) check(devices int) error {
	switch d.Fault {
	case faultLost, faultXid, faultMismatch, faultHang, faultNotSupported, faultNonsense:
	default:
		return fmt.Errorf("fault is %q; it can be lost, xid, mismatch, hang, not_supported or nonsense", d.Fault)
	}
	switch {
	case !(d.At >= 0 && d.At <= maxFaultSeconds) || !(d.For >= 0 && d.For <= maxFaultSeconds):
		return fmt.Errorf("at_seconds and for_seconds must be between 0 and %d", maxFaultSeconds)
	case d.Fault == faultMismatch && d.GPU != nil:
		return errors.New("a mismatch concerns every device; leave gpu out")
	case d.Fault != faultMismatch && (d.GPU == nil || *d.GPU < 0 || *d.GPU >= devices):
		return fmt.Errorf("gpu must be between 0 and %d, the place of a device in the file", devices-1)
	case d.Code != nil && (d.Fault != faultXid || *d.Code < 1 || *d.Code > maxXid):
		return fmt.Errorf("code belongs to an xid and is between 1 and %d", maxXid)
	case d.Fault == faultXid && d.For != 0:
		return errors.New("an xid is a moment; leave for_seconds out")
	case d.Metrics != nil && d.Fault != faultNotSupported:
		return errors.New("metrics belongs to not_supported")
	}
	for _, name := range d.Metrics {
		if _, ok := metricOf(name); !ok {
			return fmt.Errorf("metrics: %q is no metric", name)
		}
	}
	return nil
}

func metricOf(name string) (gpu.Metric, bool) {
	for m := range gpu.NumMetrics {
		if m.Info().Name == name {
			return m, true
		}
	}
	return 0, false
}

// fault is a faultDef set on the clock: it holds in [from, to); a zero to is never.
type fault struct {
	kind     string
	device   int // -1: all
	from, to time.Time
	code     int
	metrics  []gpu.Metric
	stuck    bool // a call already hangs in it
}

func newFault(d faultDef, opened time.Time) *fault {
	f := &fault{kind: d.Fault, device: -1, code: defaultXid, from: opened.Add(seconds(d.At))}
	if d.GPU != nil {
		f.device = *d.GPU
	}
	if d.Code != nil {
		f.code = *d.Code
	}
	if d.For > 0 {
		f.to = f.from.Add(seconds(d.For))
	}
	for _, name := range d.Metrics {
		m, _ := metricOf(name)
		f.metrics = append(f.metrics, m)
	}
	if f.kind == faultNotSupported && len(f.metrics) == 0 {
		f.metrics = []gpu.Metric{gpu.Utilization, gpu.MemoryBusy} // what MIG mode takes away
	}
	return f
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// holds reports whether the fault shows on a device at that moment.
func (f *fault) holds(device int, at time.Time) bool {
	return (f.device < 0 || f.device == device) && !at.Before(f.from) && (f.to.IsZero() || at.Before(f.to))
}

// events are what a driver would report of the fault in (after, until].
func (f *fault) events(after, until time.Time) []gpu.Event {
	var begin, end gpu.Event
	switch f.kind {
	case faultLost:
		begin = gpu.Event{Kind: gpu.EventLost, Detail: "simulated: fell off the bus"}
	case faultHang:
		begin = gpu.Event{Kind: gpu.EventLost, Detail: "simulated: a call to the driver does not return"}
	case faultMismatch:
		begin = gpu.Event{Kind: gpu.EventMismatch, Detail: "simulated: driver and library versions differ"}
	case faultXid:
		begin = gpu.Event{Kind: gpu.EventXid, Code: f.code, Detail: "simulated"}
	default:
		return nil
	}
	if f.kind != faultXid && !f.to.IsZero() {
		end = gpu.Event{Kind: gpu.EventBack, Detail: "simulated"}
	}
	begin.At, end.At = f.from, f.to
	both := []gpu.Event{begin, end}
	return slices.DeleteFunc(both, func(e gpu.Event) bool {
		return e.Kind == "" || !e.At.After(after) || e.At.After(until)
	})
}
