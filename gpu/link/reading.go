package link

import (
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// wireReading is a gpu.Reading by the stable names of its metrics: the two ends may know different ones.
type wireReading struct {
	UUID    string            `json:"uuid"`
	At      int64             `json:"at"` // the agent's clock, microseconds since 1970
	Values  map[string]int64  `json:"values,omitempty"`
	Unknown map[string]string `json:"unknown,omitempty"` // why
}

func packReadings(all []gpu.Reading) []wireReading {
	out := make([]wireReading, 0, len(all))
	for _, r := range all {
		w := wireReading{UUID: r.UUID, At: r.At.UnixMicro(), Values: make(map[string]int64, gpu.NumMetrics)}
		for m, v := range r.Values {
			name := gpu.Metric(m).Info().Name
			if n, known := v.Get(); known {
				w.Values[name] = n
				continue
			}
			if w.Unknown == nil {
				w.Unknown = make(map[string]string)
			}
			w.Unknown[name] = v.Why().String()
		}
		out = append(out, w)
	}
	return out
}

func unpackReadings(all []wireReading, shift time.Duration) []gpu.Reading {
	out := make([]gpu.Reading, 0, len(all))
	for _, w := range all {
		r := gpu.Reading{UUID: w.UUID, At: time.UnixMicro(w.At).UTC().Add(shift)}
		for m := range r.Values {
			r.Values[m] = w.value(gpu.Metric(m).Info().Name)
		}
		out = append(out, r)
	}
	return out
}

func (w wireReading) value(metric string) gpu.Value {
	if n, known := w.Values[metric]; known {
		return gpu.Known(n)
	}
	for why := gpu.NotRead; why <= gpu.Invalid; why++ {
		if w.Unknown[metric] == why.String() {
			return gpu.Unknown(why)
		}
	}
	return gpu.Unknown(gpu.NotRead)
}

// wireDevice is a gpu.Device whose power limit may be unknown.
type wireDevice struct {
	gpu.Device
	PowerLimit    *int64 `json:"power_limit,omitempty"` // milliwatts
	PowerLimitWhy string `json:"power_limit_why,omitempty"`
}

func packDevices(all []gpu.Device) []wireDevice {
	out := make([]wireDevice, 0, len(all))
	for _, d := range all {
		w := wireDevice{Device: d}
		if n, known := d.PowerLimit.Get(); known {
			w.PowerLimit = &n
		} else {
			w.PowerLimitWhy = d.PowerLimit.Why().String()
		}
		out = append(out, w)
	}
	return out
}

func unpackDevices(all []wireDevice) []gpu.Device {
	out := make([]gpu.Device, 0, len(all))
	for _, w := range all {
		d := w.Device
		limit := wireReading{Unknown: map[string]string{"": w.PowerLimitWhy}}
		if w.PowerLimit != nil {
			limit.Values = map[string]int64{"": *w.PowerLimit}
		}
		d.PowerLimit = limit.value("")
		out = append(out, d)
	}
	return out
}

// wireProcess is a gpu.Process whose memory may be unknown.
type wireProcess struct {
	PID    int    `json:"pid"`
	Name   string `json:"name"`
	Memory *int64 `json:"memory,omitempty"` // bytes
	Why    string `json:"why,omitempty"`
}

func packProcesses(all []gpu.Process) []wireProcess {
	out := make([]wireProcess, 0, len(all))
	for _, p := range all {
		w := wireProcess{PID: p.PID, Name: p.Name}
		if n, known := p.MemoryBytes.Get(); known {
			w.Memory = &n
		} else {
			w.Why = p.MemoryBytes.Why().String()
		}
		out = append(out, w)
	}
	return out
}

func unpackProcesses(all []wireProcess) []gpu.Process {
	out := make([]gpu.Process, 0, len(all))
	for _, w := range all {
		memory := wireReading{Unknown: map[string]string{"": w.Why}}
		if w.Memory != nil {
			memory.Values = map[string]int64{"": *w.Memory}
		}
		out = append(out, gpu.Process{PID: w.PID, Name: w.Name, MemoryBytes: memory.value("")})
	}
	return out
}
