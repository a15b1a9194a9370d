package spot

import (
	"time"

	"github.com/meterhouse/meterhouse/store/money"
)

const (
	// Notice is how long before its end an instance knows that it is reclaimed.
	Notice = 120 * time.Second
	// Safe is the time from an instance's start in which no notice is given.
	Safe = 15 * time.Minute
	// Free is the time from an instance's start in which a reclaim makes all of it free.
	Free = time.Hour
)

// Step is one step of a reclaim: what is sent to the instance how long after the notice.
type Step struct {
	After  time.Duration
	Signal string
}

var steps = [...]Step{{0, "SIGUSR1"}, {90 * time.Second, "SIGTERM"}, {Notice, "SIGKILL"}}

// Due returns the steps of a reclaim that are due by now, in their order: all that were so far, so that a console that was
// down in the middle finds those that it missed behind the ones that it knows to be done.
func Due(notice, now time.Time) []Step {
	n := 0
	for n < len(steps) && !now.Before(notice.Add(steps[n].After)) {
		n++
	}
	due := steps // a copy: nobody changes the rule
	return due[:n]
}

// Next returns when the first step after the given number of them is due; ok is false when all are done.
func Next(notice time.Time, done int) (at time.Time, step Step, ok bool) {
	if done < 0 || done >= len(steps) {
		return time.Time{}, Step{}, false
	}
	return notice.Add(steps[done].After), steps[done], true
}

// MayReclaim reports whether an instance that started then can be given notice now.
func MayReclaim(startedAt, now time.Time) bool { return now.Sub(startedAt) >= Safe }

// IsFree reports whether an instance costs nothing: its notice came in its first hour.
func IsFree(startedAt, notice time.Time) bool { return notice.Sub(startedAt) < Free }

const hour = int64(time.Hour / time.Microsecond)

// Saving returns how much less than on demand a time has cost, in micro-units: what it would have come to, rounded once,
// minus what was billed.
func Saving(onDemandMicrosPerHour int64, used time.Duration, billedMicros int64) int64 {
	return money.Product(onDemandMicrosPerHour, used.Microseconds()).Over(hour) - billedMicros
}

// History is what is known of a pool's past spot instances.
type History struct {
	Runs, Reclaims int64
	Time           time.Duration // that they ran, all together
}

// With returns the history with one more instance in it.
func (h History) With(ran time.Duration, reclaimed bool) History {
	h.Runs, h.Time = h.Runs+1, h.Time+max(ran, 0)
	if reclaimed {
		h.Reclaims++
	}
	return h
}

// Risk returns how many reclaims there were an hour, in millionths, to be shown with the number of runs that it comes
// from. ok is false when nothing has run yet: then the risk is unknown, not zero.
func (h History) Risk() (perHourPPM int64, ok bool) {
	us := h.Time.Microseconds()
	if h.Runs <= 0 || us <= 0 {
		return 0, false
	}
	return money.Product(h.Reclaims*Whole, hour).Over(us), true
}
