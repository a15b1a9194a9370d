package sim

import (
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// Break lets a fault of FORMAT.md's kinds happen now, as if the file had it at this moment: to a device, or to all where uuid
// is "". It lasts until Mend; code is an xid's number, and not_supported hides the utilization.
func (s *Source) Break(uuid, kind string, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &fault{kind: kind, device: s.place(uuid), from: s.cfg.Now().Add(time.Nanosecond), code: code,
		metrics: []gpu.Metric{gpu.Utilization}})
}

// Mend ends what Break began.
func (s *Source) Mend(uuid, kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		if f.kind == kind && f.device == s.place(uuid) && f.to.IsZero() {
			f.to = s.cfg.Now().Add(time.Nanosecond)
		}
	}
}

func (s *Source) place(uuid string) int {
	return slices.IndexFunc(s.devices, func(d *device) bool { return d.UUID == uuid })
}
