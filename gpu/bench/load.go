package bench

import (
	"io/fs"
	"strings"
	"syscall"
	"time"
)

// loadReading is how much CPU time was used up to a moment, by everyone and by this process.
type loadReading struct {
	known     bool
	total     int64 // ticks of all CPUs, idle ones included
	busy      int64 // ticks used
	steal     int64 // ticks that a hypervisor kept
	own       time.Duration
	throttled int64
}

// tick is the unit of /proc/stat: USER_HZ, which is 100 on every architecture that Linux has had since 2.6.
const tick = 10 * time.Millisecond

func readLoad(root fs.FS) loadReading {
	var r loadReading
	first, _, _ := strings.Cut(readText(root, "proc/stat"), "\n")
	r.total, r.busy, r.steal, r.known = cpuTicks(first)
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		r.known = false
	}
	r.own = time.Duration(own.Utime.Nano() + own.Stime.Nano())
	r.throttled, _ = cpuThrottled(root)
	r.throttled += heatThrottled(root)
	return r
}

// cpuTicks reads the line "cpu user nice system idle iowait irq softirq steal guest guest_nice" (proc(5)); guest time is in
// user time already.
func cpuTicks(line string) (total, busy, steal int64, known bool) {
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, 0, 0, false
	}
	for i, f := range fields[1:9] {
		n := number(f)
		total += n
		switch i {
		case 3, 4: // idle, iowait
		case 7:
			steal = n
		default:
			busy += n
		}
	}
	return total, busy, steal, total > 0
}

// heatThrottled counts how often a core was slowed because it was too hot; 0 where the machine does not count it.
func heatThrottled(root fs.FS) int64 {
	files, _ := fs.Glob(root, "sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count")
	times := int64(0)
	for _, f := range files {
		times += number(readText(root, f))
	}
	return times
}

// since is what happened between two readings.
func (r loadReading) since(before loadReading) disturbance {
	d := disturbance{known: r.known && before.known, throttled: r.throttled > before.throttled}
	total := r.total - before.total
	if !d.known || total <= 0 {
		d.known = false
		return d
	}
	other := r.busy - before.busy - int64((r.own-before.own)/tick)
	if other >= minLoadTicks {
		d.other = float64(other) / float64(total)
	}
	if steal := r.steal - before.steal; steal >= minLoadTicks {
		d.steal = float64(steal) / float64(total)
	}
	return d
}
