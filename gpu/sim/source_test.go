package sim

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/gputest"
)

// steps is a clock that each Pass moves on; the suite reads it from several goroutines.
type steps struct {
	mu sync.Mutex
	t  time.Time
}

func (s *steps) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.t
}

func (s *steps) pass() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.t = s.t.Add(time.Second)
}

const (
	inOrder = `{"version": 1, "devices": [{"id": "a", "model": "A100-SXM4-80GB", "pci_bus_id": "00000000:17:00.0"},
		{"id": "b", "model": "L4", "pci_bus_id": "00000000:3B:00.0"}, {"id": "c", "model": "GeForce RTX 4090", "pci_bus_id": "00000000:5E:00.0"}]}`
	otherOrder = `{"version": 1, "devices": [{"id": "c", "model": "GeForce RTX 4090", "pci_bus_id": "00000000:5E:00.0"},
		{"id": "a", "model": "A100-SXM4-80GB", "pci_bus_id": "00000000:17:00.0"}, {"id": "b", "model": "L4", "pci_bus_id": "00000000:3B:00.0"}]}`
)

// breakNow adds a fault as if the file had it at this moment.
func (s *Source) breakNow(uuid, kind string, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &fault{kind: kind, device: s.place(uuid), from: s.cfg.Now().Add(time.Nanosecond), code: code,
		metrics: []gpu.Metric{gpu.Utilization}})
}

func (s *Source) mendNow(uuid, kind string) {
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

func TestSourceKeepsItsPromises(t *testing.T) {
	gputest.Source(t, func(t *testing.T) gputest.Hardware {
		clock := &steps{t: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
		path := filepath.Join(t.TempDir(), "sim.json")
		boot := func(file string) *Source {
			if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Open(Config{File: path, Now: clock.now})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		s := boot(inOrder)
		return gputest.Hardware{
			Source: s,
			Pass:   clock.pass,
			Break: func(uuid string, f gputest.Fault) {
				s.breakNow(uuid, string(f), 0)
				clock.pass()
			},
			Mend: func(uuid string, f gputest.Fault) { s.mendNow(uuid, string(f)) },
			Xid:  func(uuid string, code int) { s.breakNow(uuid, faultXid, code) },
			Reboot: func() gpu.Source {
				s.Close()
				return boot(otherOrder)
			},
		}
	})
}
