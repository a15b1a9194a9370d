package idle

import "time"

// Settings are the site's. Times are counted from when an instance is idle, Minimum from its start.
type Settings struct {
	On      bool
	Mail    time.Duration // until its person gets a mail
	Stop    time.Duration // until it is stopped, at least Warning later
	Minimum time.Duration // how long every instance may run, however idle
}

// Defaults are what holds where nobody set anything else: off.
var Defaults = Settings{Mail: time.Hour, Stop: 2 * time.Hour}

// longest is the longest time that can be set.
const longest = 30 * 24 * time.Hour

// Wrong names the setting that can't be, "" if all can.
func (s Settings) Wrong() string {
	switch {
	case s.Mail < Window || s.Mail > longest:
		return "mail"
	case s.Stop < s.Mail+Warning || s.Stop > longest:
		return "stop"
	case s.Minimum < 0 || s.Minimum > longest:
		return "minimum"
	}
	return ""
}

// Instance is what the ladder asks of an instance besides what it does.
type Instance struct {
	StartedAt time.Time
	KeptUntil time.Time // zero: nobody said that it is needed
	Exempt    bool      // a benchmark, or one whose GPUs are paid for whether it uses them or not
}

// Spell is one time of being idle, as far as its person was told.
type Spell struct {
	Since   time.Time
	StopsAt time.Time // zero: no mail went out
	Warned  bool      // within the last Warning before it
}

// Step is what is to be done.
type Step string

// The steps, in their order.
const (
	Nothing Step = ""
	Note    Step = "note" // on the page
	Mail    Step = "mail" // says when it stops
	Warn    Step = "warn" // says it again
	Stop    Step = "stop"
	Over    Step = "over" // what was told does not hold any more
)

// Next returns what is due. Of a mail it says when the instance stops, of what is over why: "active", "kept", "exempt", "off",
// or "unknown" and "late" where the moment came and nobody could tell, or looked.
func (s Settings) Next(v Verdict, i Instance, told *Spell, now time.Time) (step Step, stops time.Time, why string) {
	switch {
	case told == nil && s.On && !i.Exempt && !now.Before(i.KeptUntil) && v.State == Idle:
		return Note, stops, ""
	case told == nil:
		return Nothing, stops, ""
	case !s.On:
		return Over, stops, "off"
	case i.Exempt:
		return Over, stops, "exempt"
	case now.Before(i.KeptUntil):
		return Over, stops, "kept"
	case v.State == Active:
		return Over, stops, "active"
	case told.StopsAt.IsZero() && v.State == Idle && now.Sub(told.Since) >= s.Mail:
		return Mail, s.stops(i, now), ""
	case told.StopsAt.IsZero():
		return Nothing, stops, ""
	case !told.Warned && now.After(told.StopsAt.Add(Late-Warning)), !now.Before(told.StopsAt.Add(Late)):
		return Over, stops, "late"
	case v.State == Unknown && !now.Before(told.StopsAt):
		return Over, stops, "unknown"
	case v.State == Unknown:
		return Nothing, stops, ""
	case !now.Before(told.StopsAt):
		return Stop, stops, ""
	case !told.Warned && !now.Before(told.StopsAt.Add(-Warning)):
		return Warn, stops, ""
	}
	return Nothing, stops, ""
}

// stops is when an instance stops whose person is told now.
func (s Settings) stops(i Instance, now time.Time) time.Time {
	at := now.Add(max(s.Stop-s.Mail, Warning))
	if least := i.StartedAt.Add(s.Minimum); at.Before(least) {
		return least
	}
	return at
}

// Would is a stop that was not made: idle since, stopped at, and until when it stayed idle and cost.
type Would struct{ Since, At, Until time.Time }

// Replay returns the stops that these settings would have made, were they on and nothing kept.
func (s Settings) Replay(samples []Sample, i Instance) (all []Would) {
	if i.Exempt {
		return nil
	}
	working := mark(samples)
	var run Would
	end := func() {
		if run.At = run.Since.Add(s.Stop); run.At.Before(i.StartedAt.Add(s.Minimum)) {
			run.At = i.StartedAt.Add(s.Minimum)
		}
		if !run.Since.IsZero() && run.At.Before(run.Until) {
			all = append(all, run)
		}
		run = Would{}
	}
	for k := range samples {
		now := samples[k].From.Add(Span)
		first, state := window(samples[:k+1], working, now)
		if state != Idle || !run.Since.IsZero() && samples[k].From.After(run.Until) {
			end()
		}
		if state == Idle {
			if run.Since.IsZero() {
				run.Since = samples[first].From
			}
			run.Until = now
		}
	}
	end()
	return all
}
