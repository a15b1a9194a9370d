package sim

import (
	"context"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

const twoWithFaults = `{"version": 1, "devices": [{"id": "a", "model": "L4"}, {"id": "b", "model": "L4"}], "faults": [
	{"at_seconds": 0, "gpu": 1, "fault": "xid", "code": 31},
	{"at_seconds": 5, "gpu": 0, "fault": "lost", "for_seconds": 2.5},
	{"at_seconds": 10, "fault": "mismatch", "for_seconds": 2},
	{"at_seconds": 20, "gpu": 0, "fault": "nonsense", "for_seconds": 1},
	{"at_seconds": 20, "gpu": 1, "fault": "not_supported", "for_seconds": 1, "metrics": ["fan", "temperature"]}]}`

func TestFaultsComeAndGoAsTheFileSays(t *testing.T) {
	c := newClock()
	s := open(t, Config{File: write(t, twoWithFaults), Now: c.now})
	opened := c.now()
	at := func(seconds float64) []gpu.Reading {
		c.t = opened.Add(time.Duration(seconds * float64(time.Second)))
		return read(t, s)
	}
	why := func(r gpu.Reading, m gpu.Metric) string {
		if _, ok := r.Values[m].Get(); ok {
			return "known"
		}
		return r.Values[m].Why().String()
	}
	for _, c := range []struct {
		at          float64
		metric      gpu.Metric
		first, then string
	}{
		{4.9, gpu.Power, "known", "known"},
		{5, gpu.Power, "lost", "known"},
		{7.4, gpu.MemoryTotal, "lost", "known"},
		{7.5, gpu.Power, "known", "known"},
		{10, gpu.Energy, "driver_mismatch", "driver_mismatch"},
		{12, gpu.Energy, "known", "known"},
		{20, gpu.Power, "invalid", "known"},
		{20, gpu.Temperature, "known", "not_supported"},
		{20, gpu.Utilization, "known", "known"},
		{21, gpu.Temperature, "known", "known"},
		{21, gpu.Power, "known", "known"},
	} {
		r := at(c.at)
		if first, then := why(r[0], c.metric), why(r[1], c.metric); first != c.first || then != c.then {
			t.Errorf("at %v s %s is %s and %s, want %s and %s", c.at, c.metric.Info().Name, first, then, c.first, c.then)
		}
	}
}

func TestEventsAreToldInOrderWithTheirOwnTime(t *testing.T) {
	c := newClock()
	s := open(t, Config{File: write(t, twoWithFaults), Now: c.now})
	opened := c.now()
	devices, _ := s.Devices(context.Background())
	var told []gpu.Event
	for range 30 {
		events, err := s.Events(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, events...)
		c.pass(700 * time.Millisecond)
	}
	want := []struct {
		uuid string
		kind gpu.EventKind
		at   time.Duration
	}{
		{devices[1].UUID, gpu.EventXid, 0},
		{devices[0].UUID, gpu.EventLost, 5 * time.Second},
		{devices[0].UUID, gpu.EventBack, 7500 * time.Millisecond},
		{"", gpu.EventMismatch, 10 * time.Second},
		{"", gpu.EventBack, 12 * time.Second},
	}
	if len(told) != len(want) {
		t.Fatalf("told %+v", told)
	}
	for i, w := range want {
		if e := told[i]; e.UUID != w.uuid || e.Kind != w.kind || e.At.Sub(opened) != w.at || e.Detail == "" {
			t.Errorf("event %d is %+v, want %+v", i, e, w)
		}
	}
}

func TestEnergyRestartsAfterADeviceWasLost(t *testing.T) {
	c := newClock()
	s := open(t, Config{File: write(t, twoWithFaults), Now: c.now})
	var energy []int64
	for range 9 {
		c.pass(time.Second)
		n, _ := read(t, s)[0].Values[gpu.Energy].Get()
		energy = append(energy, n)
	}
	if before, after := energy[3], energy[7]; before < 60_000 || after > 1_000 {
		t.Errorf("energy in millijoules is %v", energy)
	}
}
