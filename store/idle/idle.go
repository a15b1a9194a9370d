// Package idle says from what is known of an instance's activity whether it works, and what follows where it doesn't: a note,
// a mail, a warning, a stop. It imports the standard library alone and reads no clock. The rules it keeps: what is unknown is
// never idle; looking at an instance is no work, and using a processor is; nobody is stopped who was not told the one moment
// an hour before.
package idle

import "time"

const (
	// Span is how long one sample is: a row of the database.
	Span = 5 * time.Minute
	// Window is how long an instance has to be idle to be called so, and growing memory has to be past.
	Window = 30 * time.Minute
	// Warning is how long before its stop an instance's person is told of it at the latest.
	Warning = time.Hour
	// KeepTime is how long an instance is kept once somebody says that it is needed.
	KeepTime = 24 * time.Hour
	// Late is how much later than told a stop may come, or a warning: beyond, it is told anew.
	Late = 10 * time.Minute

	growth      = 64 << 20 // bytes: less than that is no growth, allocators breathe
	busyPart    = 20       // works where the busiest GPU was active for one 20th of the time, 5 %
	cpuPart     = 10       // or where processors were for one 10th of a core: a shell in which somebody types takes far less
	known, ofIt = 9, 10    // of a window has to be known
)

// Sample is what is known of an instance's activity in the Span that begins at From.
type Sample struct {
	From   time.Time
	Known  time.Duration // of it, in which all that follows was known
	Busy   time.Duration // of Known, in which the busiest of its GPUs was active
	CPU    time.Duration // time of processors that it used in Known
	Memory int64         // bytes, the most that its GPUs held
}

// works reports whether what is known of a sample is work, memory aside.
func (s Sample) works() bool {
	return s.Known > 0 && (s.Busy*busyPart >= s.Known || s.CPU*cpuPart >= s.Known)
}

// State is what an instance does.
type State string

// The states.
const (
	Active  State = "active"
	Idle    State = "idle"
	Unknown State = "unknown" // too little is known of the last half hour
)

// Verdict is what an instance does, and if it is idle since when.
type Verdict struct {
	State State
	Since time.Time
}

// Judge says what an instance does at a moment, by its samples in order.
func Judge(samples []Sample, now time.Time) Verdict {
	working := mark(samples)
	first, state := window(samples, working, now)
	if state != Idle {
		return Verdict{State: state}
	}
	for first > 0 {
		before := samples[first-1]
		if working[first-1] || samples[first].From.Sub(before.From) != Span || !covered(samples[first-1:], before.From.Add(Window)) {
			break
		}
		first--
	}
	return Verdict{Idle, samples[first].From}
}

// mark says of each sample whether it is work: what was computed, or memory that grew since the last work.
func mark(samples []Sample) []bool {
	working := make([]bool, len(samples))
	low, seen := int64(0), false
	for k, s := range samples {
		switch {
		case s.Known == 0:
		case s.works() || seen && s.Memory > low+growth:
			working[k], low, seen = true, s.Memory, true
		case !seen || s.Memory < low:
			low, seen = s.Memory, true
		}
	}
	return working
}

// window looks at the last half hour, and returns the sample with which it begins.
func window(samples []Sample, working []bool, now time.Time) (first int, state State) {
	first = len(samples)
	for k := len(samples) - 1; k >= 0 && samples[k].From.Add(Span).After(now.Add(-Window)); k-- {
		if !samples[k].From.Before(now) {
			continue
		}
		if working[k] {
			return 0, Active
		}
		first = k
	}
	if first == len(samples) || now.Sub(samples[first].From) < Window || !covered(samples[first:], now) {
		return 0, Unknown
	}
	return first, Idle
}

// covered reports whether enough is known from the first of the samples up to a moment.
func covered(samples []Sample, to time.Time) bool {
	var sum time.Duration
	for _, s := range samples {
		if s.From.Before(to) {
			sum += s.Known
		}
	}
	return len(samples) > 0 && sum*ofIt >= to.Sub(samples[0].From)*known
}
