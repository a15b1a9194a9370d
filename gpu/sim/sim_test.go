package sim

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// clock is a time that tests move by hand.
type clock struct{ t time.Time }

func newClock() *clock                { return &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }
func (c *clock) now() time.Time       { return c.t }
func (c *clock) pass(d time.Duration) { c.t = c.t.Add(d) }
func write(t *testing.T, s string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sim.json")
	if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, cfg Config) *Source {
	t.Helper()
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func read(t *testing.T, s *Source) []gpu.Reading {
	t.Helper()
	r, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func known(t *testing.T, r gpu.Reading, m gpu.Metric) int64 {
	t.Helper()
	n, ok := r.Values[m].Get()
	if !ok {
		t.Fatalf("%s is unknown: %s", m.Info().Name, r.Values[m].Why())
	}
	return n
}

func TestBuiltInDevicesSayThatTheyAreSimulated(t *testing.T) {
	s := open(t, Config{Now: newClock().now})
	devices, err := s.Devices(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"A100-SXM4-80GB", "A100-SXM4-80GB", "L4", "L4"}
	if len(devices) != len(want) {
		t.Fatalf("%d devices, want %d", len(devices), len(want))
	}
	for i, d := range devices {
		if d.Model != want[i] || !d.Simulated || !strings.HasPrefix(d.UUID, uuidPrefix) {
			t.Errorf("device %d is %+v", i, d)
		}
	}
	if len(s.Links()) != 2 {
		t.Errorf("links are %v", s.Links())
	}
}

func TestALoopMovesTheChartWithinTwoSeconds(t *testing.T) {
	c := newClock()
	var cpu time.Duration
	memory, rented := int64(1<<30), ""
	s := open(t, Config{Now: c.now, Load: func(uuid string) (time.Duration, int64, bool) {
		return cpu, memory, uuid == rented
	}})
	devices, _ := s.Devices(context.Background())
	read(t, s)
	rented = devices[1].UUID
	for range 2 {
		c.pass(time.Second)
		cpu += time.Second
		read(t, s)
	}
	r := read(t, s)
	if u := known(t, r[1], gpu.Utilization); u < 800 || u > 1000 {
		t.Errorf("two seconds into a loop the utilization is %d", u)
	}
	if u := known(t, r[0], gpu.Utilization); u != 0 {
		t.Errorf("a GPU that nobody has shows %d", u)
	}
	if m := known(t, r[1], gpu.MemoryUsed); m != 16<<30 {
		t.Errorf("memory used is %d", m)
	}
	memory = 1 << 40
	c.pass(time.Second)
	r = read(t, s)
	if used, reserved, total := known(t, r[1], gpu.MemoryUsed), known(t, r[1], gpu.MemoryReserved), known(t, r[1], gpu.MemoryTotal); used+reserved != total {
		t.Errorf("a full GPU shows %d used, %d reserved of %d", used, reserved, total)
	}
}
