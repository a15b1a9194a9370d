package gpu

import (
	"math"
	"testing"
)

func TestWhatNoDeviceCanDoIsInvalid(t *testing.T) {
	l4 := Device{MemoryBytes: 23 << 30, PowerLimit: Known(72_000)}
	silent := Device{PowerLimit: Unknown(NotSupported)} // tells neither its memory nor its limit
	for _, c := range []struct {
		name string
		d    Device
		m    Metric
		n    int64
		ok   bool
	}{
		{"busy all the time", l4, Utilization, 1000, true},
		{"429 percent", l4, Utilization, 4290, false},
		{"ten billion", l4, Utilization, 10_000_000_000, false},
		{"negative", l4, Utilization, -1, false},
		{"memory bus 101 percent", l4, MemoryBusy, 1010, false},
		{"all memory", l4, MemoryUsed, 23 << 30, true},
		{"more than all memory", l4, MemoryUsed, 23<<30 + 1, false},
		{"more than any memory", silent, MemoryTotal, 1 << 50, false},
		{"at the limit and half again", l4, Power, 108_000, true},
		{"above", l4, Power, 108_001, false},
		{"3.7 million watts", silent, Power, 3_700_000_000, false},
		{"a kilowatt of a device without a limit", silent, Power, 1_000_000, true},
		{"a terajoule", l4, Energy, 1_000_000_000_000_001, false},
		{"a year at 700 W", l4, Energy, 700_000 * 365 * 86_400, true},
		{"freezing", l4, Temperature, -10, true},
		{"as hot as a kiln", l4, Temperature, 900, false},
		{"a fan faster than its nominal speed", l4, Fan, 1100, true},
		{"every throttle reason", l4, Throttle, math.MaxInt64, true},
		{"a clock of 4 THz", l4, ClockSM, 4_000_000, false},
	} {
		v := c.d.Plausible(c.m, c.n)
		if n, ok := v.Get(); ok != c.ok || ok && n != c.n || !ok && v.Why() != Invalid {
			t.Errorf("%s: %d is %d, known: %v, why: %s", c.name, c.n, n, ok, v.Why())
		}
	}
}

func TestTheZeroValueIsUnknown(t *testing.T) {
	var r Reading
	for m, v := range r.Values {
		if _, ok := v.Get(); ok || v.Why() != NotRead {
			t.Errorf("%s of an empty reading is known", Metric(m).Info().Name)
		}
	}
}
