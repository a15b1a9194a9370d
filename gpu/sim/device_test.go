package sim

import (
	"context"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// worker is an instance on every GPU, which uses some cores and some memory.
type worker struct {
	cpu    time.Duration
	memory int64
	absent bool
}

func (w *worker) load(string) (time.Duration, int64, bool) { return w.cpu, w.memory, !w.absent }

// run lets seconds pass, one reading each, in which that many cores are busy.
func (w *worker) run(t *testing.T, s *Source, c *clock, seconds int, cores float64) (last []gpu.Reading) {
	t.Helper()
	for range seconds {
		c.pass(time.Second)
		w.cpu += time.Duration(cores * float64(time.Second))
		last = read(t, s)
	}
	return last
}

func TestPowerTemperatureAndClocksFollowTheLoad(t *testing.T) {
	c, w := newClock(), &worker{}
	s := open(t, Config{Now: c.now, Load: w.load})
	idle := w.run(t, s, c, 3, 0)[0]
	soon := w.run(t, s, c, 3, 1)[0]
	late := w.run(t, s, c, 120, 1)[0]
	if p := known(t, idle, gpu.Power); p < 58_000 || p > 62_000 {
		t.Errorf("an idle A100 draws %d mW", p)
	}
	if p := known(t, late, gpu.Power); p < 380_000 || p > 400_000 {
		t.Errorf("a busy A100 draws %d mW", p)
	}
	if a, b, c := known(t, idle, gpu.Temperature), known(t, soon, gpu.Temperature), known(t, late, gpu.Temperature); a != 31 || b <= a || b > 45 || c != 68 {
		t.Errorf("it has %d °C idle, %d after 3 s, %d after two minutes", a, b, c)
	}
	if a, b := known(t, idle, gpu.ClockSM), known(t, late, gpu.ClockSM); a != 210 || b != 1410 {
		t.Errorf("its clock is %d idle and %d busy", a, b)
	}
	if a, b := known(t, idle, gpu.Throttle), known(t, late, gpu.Throttle); a != 0 || b != powerCapped {
		t.Errorf("its throttle reasons are %d idle and %d at the power limit", a, b)
	}
	joules := (known(t, late, gpu.Energy) - known(t, soon, gpu.Energy)) / 1000
	if joules < 120*380 || joules > 120*400 {
		t.Errorf("two minutes at 400 W are %d J", joules)
	}
}

func TestAFreedGPUIsIdleAtOnce(t *testing.T) {
	c, w := newClock(), &worker{memory: 1 << 30}
	s := open(t, Config{Now: c.now, Load: w.load})
	w.run(t, s, c, 5, 1)
	w.absent = true
	r := w.run(t, s, c, 1, 0)[0]
	if u, m := known(t, r, gpu.Utilization), known(t, r, gpu.MemoryUsed); u != 0 || m != 0 {
		t.Errorf("a freed GPU shows %d per mille and %d bytes", u, m)
	}
}

// An instance that was there before the simulator has used hours of CPU time; a new one begins again at zero. Neither may
// look like a load.
func TestOnlyWhatIsUsedNowIsALoad(t *testing.T) {
	c, w := newClock(), &worker{cpu: 5 * time.Hour}
	s := open(t, Config{Now: c.now, Load: w.load})
	if u := known(t, w.run(t, s, c, 1, 0)[0], gpu.Utilization); u != 0 {
		t.Errorf("old CPU time shows as %d", u)
	}
	w.cpu = 0
	if u := known(t, w.run(t, s, c, 1, 0)[0], gpu.Utilization); u != 0 {
		t.Errorf("a counter that went back shows as %d", u)
	}
}

func TestHalfTheCoresAreHalfTheLoad(t *testing.T) {
	c, w := newClock(), &worker{}
	s := open(t, Config{File: write(t, `{"version": 1, "devices": [{"id": "a", "model": "L4", "full_load_cores": 4}]}`), Now: c.now, Load: w.load})
	if u := known(t, w.run(t, s, c, 10, 2)[0], gpu.Utilization); u < 490 || u > 510 {
		t.Errorf("2 of 4 cores show as %d", u)
	}
	if u := known(t, w.run(t, s, c, 10, 64)[0], gpu.Utilization); u < 990 || u > 1000 {
		t.Errorf("64 of 4 cores show as %d", u)
	}
}

func TestManyReadsInAMomentDoNotMakeALoadJump(t *testing.T) {
	c, w := newClock(), &worker{}
	s := open(t, Config{Now: c.now, Load: w.load})
	before := known(t, w.run(t, s, c, 10, 0.5)[0], gpu.Utilization)
	for range 10 {
		c.pass(time.Millisecond)
		w.cpu += 10 * time.Millisecond // as coarse accounting would show it
		if u := known(t, read(t, s)[0], gpu.Utilization); u != before {
			t.Fatalf("the load went from %d to %d in a millisecond", before, u)
		}
	}
}

func TestTheSameLoadMakesTheSameReadings(t *testing.T) {
	var runs [2][]gpu.Reading
	for i := range runs {
		c, w := newClock(), &worker{memory: 3 << 28}
		s := open(t, Config{Now: c.now, Load: w.load})
		runs[i] = w.run(t, s, c, 7, 0.7)
	}
	for i := range runs[0] {
		if runs[0][i] != runs[1][i] {
			t.Errorf("readings differ: %+v and %+v", runs[0][i], runs[1][i])
		}
	}
}

func TestProcessesOfARentedGPUComeFromTheConsole(t *testing.T) {
	ctx := context.Background()
	c, w := newClock(), &worker{}
	s := open(t, Config{Now: c.now, Load: w.load})
	devices, _ := s.Devices(ctx)
	if list, err := s.Processes(ctx, devices[0].UUID); err == nil {
		t.Errorf("unknown processes are %v", list)
	}
	w.absent = true
	if list, err := s.Processes(ctx, devices[0].UUID); err != nil || len(list) != 0 {
		t.Errorf("a free GPU has %v, %v", list, err)
	}
	s = open(t, Config{Now: c.now, Load: w.load, Processes: func(string) ([]gpu.Process, error) {
		return []gpu.Process{{PID: 42}}, nil
	}})
	if list, err := s.Processes(ctx, devices[0].UUID); err != nil || len(list) != 1 || list[0].PID != 42 {
		t.Errorf("processes are %v, %v", list, err)
	}
}
