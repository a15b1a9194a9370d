package sim

import (
	"os"
	"path/filepath"
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
				s.Break(uuid, string(f), 0)
				clock.pass()
			},
			Mend: func(uuid string, f gputest.Fault) { s.Mend(uuid, string(f)) },
			Xid:  func(uuid string, code int) { s.Break(uuid, faultXid, code) },
			Reboot: func() gpu.Source {
				s.Close()
				return boot(otherOrder)
			},
		}
	})
}
