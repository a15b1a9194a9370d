package idle

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTheLadder(t *testing.T) {
	on := Settings{On: true, Mail: time.Hour, Stop: 3 * time.Hour}
	now := start.Add(4 * time.Hour)
	since := now.Add(-90 * time.Minute)
	idle, active, unknown := Verdict{Idle, since}, Verdict{State: Active}, Verdict{State: Unknown}
	told := func(in time.Duration, warned bool) *Spell { return &Spell{since, now.Add(in), warned} }
	ran := Instance{StartedAt: start}
	for _, c := range []struct {
		name     string
		settings Settings
		verdict  Verdict
		instance Instance
		told     *Spell
		step     Step
		stops    time.Duration // from now
		why      string
	}{
		{"idle", on, idle, ran, nil, Note, 0, ""},
		{"off", Defaults, idle, ran, nil, Nothing, 0, ""},
		{"unknown", on, unknown, ran, nil, Nothing, 0, ""},
		{"active", on, active, ran, nil, Nothing, 0, ""},
		{"a benchmark, or paid for", on, idle, Instance{start, time.Time{}, true}, nil, Nothing, 0, ""},
		{"kept", on, idle, Instance{start, now.Add(1), false}, nil, Nothing, 0, ""},
		{"kept until now", on, idle, Instance{start, now, false}, nil, Note, 0, ""},
		{"for long enough", on, idle, ran, &Spell{Since: since}, Mail, 2 * time.Hour, ""},
		{"not for long enough", on, idle, ran, &Spell{Since: now.Add(-59 * time.Minute)}, Nothing, 0, ""},
		{"L17: a minimum wins", Settings{true, time.Hour, 2 * time.Hour, 10 * time.Hour}, idle, ran, &Spell{Since: since}, Mail, 6 * time.Hour, ""},
		{"before its warning", on, idle, ran, told(61*time.Minute, false), Nothing, 0, ""},
		{"an hour before", on, idle, ran, told(time.Hour, false), Warn, 0, ""},
		{"warned", on, idle, ran, told(time.Minute, true), Nothing, 0, ""},
		{"the moment", on, idle, ran, told(0, true), Stop, 0, ""},
		{"it works at the moment", on, active, ran, told(0, true), Over, 0, "active"},
		{"nobody knows at the moment", on, unknown, ran, told(0, true), Over, 0, "unknown"},
		{"nobody knows before", on, unknown, ran, told(time.Minute, true), Nothing, 0, ""},
		{"long after the moment", on, idle, ran, told(-10*time.Minute, true), Over, 0, "late"},
		{"it could not be warned in time", on, idle, ran, told(49*time.Minute, false), Over, 0, "late"},
		{"kept since", on, idle, Instance{start, now.Add(time.Hour), false}, told(0, true), Over, 0, "kept"},
		{"switched off since", Defaults, idle, ran, told(0, true), Over, 0, "off"},
	} {
		step, stops, why := c.settings.Next(c.verdict, c.instance, c.told, now)
		if step != c.step || why != c.why || c.step == Mail && !stops.Equal(now.Add(c.stops)) {
			t.Errorf("%s: %q at %v (%s), want %q in %v (%s)", c.name, step, stops, why, c.step, c.stops, c.why)
		}
	}
}

// TestNobodyIsStoppedWhoWasNotToldInTime follows the ladder through any samples and any looks: a stop comes at the one moment
// that was told (L9), at least an hour after it was told, and not before the minimum (L17).
func TestNobodyIsStoppedWhoWasNotToldInTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mail := time.Duration(rapid.IntRange(30, 90).Draw(t, "mail")) * time.Minute
		s := Settings{true, mail, mail + time.Duration(rapid.IntRange(60, 120).Draw(t, "more"))*time.Minute, time.Duration(rapid.IntRange(0, 6).Draw(t, "minimum")) * time.Hour}
		if wrong := s.Wrong(); wrong != "" {
			t.Fatal(wrong)
		}
		all, i := append(drawn(t), quiet(60)[30:]...), Instance{StartedAt: start}
		var told *Spell
		var at time.Time
		for now := start; now.Before(start.Add(8 * time.Hour)); now = now.Add(time.Duration(rapid.SampledFrom([]int{1, 1, 1, 1, 5, 30, 120}).Draw(t, "look")) * time.Minute) {
			known := 0
			for known < len(all) && all[known].From.Before(now) {
				known++
			}
			v := Judge(all[:known], now)
			step, stops, _ := s.Next(v, i, told, now)
			switch step {
			case Note:
				told = &Spell{Since: v.Since}
			case Mail:
				told.StopsAt, at, told.Warned = stops, now, stops.Sub(now) <= Warning
			case Warn:
				told.Warned = true
			case Over:
				told = nil
			case Stop:
				if v.State != Idle || told == nil || now.Before(told.StopsAt) || now.Sub(told.StopsAt) >= Late || now.Sub(at) < Warning || now.Sub(i.StartedAt) < s.Minimum {
					t.Fatalf("stopped at %v, told %v at %v, %+v", now, told, at, v)
				}
				return
			}
		}
	})
}

func TestWhatWouldHaveBeenStopped(t *testing.T) {
	s := Settings{Mail: time.Hour, Stop: 2 * time.Hour}
	worked := changed(quiet(100), 40, func(s *Sample) { s.Busy = Span })
	got := s.Replay(worked, Instance{StartedAt: start})
	want := []Would{{start, start.Add(2 * time.Hour), start.Add(40 * Span)}, {start.Add(41 * Span), start.Add(41*Span + 2*time.Hour), start.Add(100 * Span)}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%v\nwant %v", got, want)
	}
	s.Minimum = 4 * time.Hour
	if got := s.Replay(worked, Instance{StartedAt: start}); len(got) != 1 || got[0] != want[1] {
		t.Errorf("with a minimum: %v", got)
	}
	if got := s.Replay(worked, Instance{StartedAt: start, Exempt: true}); got != nil {
		t.Errorf("a benchmark: %v", got)
	}
}
