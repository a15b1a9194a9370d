package idle

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

const gib = 1 << 30

// quiet are n samples in a row in which nothing was done, all known, with 8 GiB held.
func quiet(n int) (all []Sample) {
	for k := range n {
		all = append(all, Sample{From: start.Add(time.Duration(k) * Span), Known: Span, Memory: 8 * gib})
	}
	return all
}

func changed(all []Sample, k int, change func(*Sample)) []Sample {
	all = slices.Clone(all)
	change(&all[k])
	return all
}

// TestWhatIsIdle holds case L7 (what computes is not idle, whoever looks) and L8 (looking is no work).
func TestWhatIsIdle(t *testing.T) {
	for _, c := range []struct {
		name    string
		samples []Sample
		want    State
	}{
		{"half an hour of nothing", quiet(6), Idle},
		{"not half an hour yet", quiet(5), Unknown},
		{"nothing known", nil, Unknown},
		{"GPU just below 5 %", changed(quiet(6), 3, func(s *Sample) { s.Busy = 14 * time.Second }), Idle},
		{"GPU at 5 %", changed(quiet(6), 3, func(s *Sample) { s.Busy = 15 * time.Second }), Active},
		{"L7: no GPU, but a processor computes", changed(quiet(6), 0, func(s *Sample) { s.CPU = Span }), Active},
		{"L8: a shell in which somebody types", changed(quiet(6), 5, func(s *Sample) { s.CPU = 10 * time.Second }), Idle},
		{"memory grew", changed(quiet(6), 4, func(s *Sample) { s.Memory += gib }), Active},
		{"memory was given back", changed(quiet(6), 4, func(s *Sample) { s.Memory -= gib }), Active}, // and taken again
		{"memory was given back at the end", changed(quiet(6), 5, func(s *Sample) { s.Memory -= gib }), Idle},
		{"memory breathes", changed(quiet(6), 4, func(s *Sample) { s.Memory += 16 << 20 }), Idle},
		{"just 90 % known", changed(quiet(6), 2, func(s *Sample) { s.Known -= 3 * time.Minute }), Idle},
		{"less than 90 % known", changed(quiet(6), 2, func(s *Sample) { s.Known -= 3*time.Minute + 1 }), Unknown},
		{"a row is missing", append(quiet(3), quiet(6)[4:]...), Unknown},
		{"work that is hardly known", changed(quiet(6), 2, func(s *Sample) { s.Known, s.Busy = time.Second, time.Second }), Active},
	} {
		if got := Judge(c.samples, start.Add(Window)); got.State != c.want {
			t.Errorf("%s: %s, want %s", c.name, got.State, c.want)
		}
	}
}

func TestIdleSinceTheLastWork(t *testing.T) {
	worked := changed(quiet(100), 40, func(s *Sample) { s.Busy = Span })
	if v := Judge(worked, start.Add(100*Span)); v.State != Idle || !v.Since.Equal(start.Add(41*Span)) {
		t.Errorf("%+v", v)
	}
	gap := slices.Delete(quiet(100), 50, 52)
	if v := Judge(gap, start.Add(100*Span)); v.State != Idle || v.Since.Before(start.Add(52*Span)) {
		t.Errorf("idle since before what nobody knows: %+v", v)
	}
	silent := quiet(100)
	if v := Judge(silent, start.Add(100*Span+Window)); v.State != Unknown {
		t.Errorf("nothing was known for half an hour: %+v", v)
	}
}

func drawn(t *rapid.T) []Sample {
	all := quiet(rapid.IntRange(0, 30).Draw(t, "n"))
	for k := range all {
		s := &all[k]
		s.Known = time.Duration(rapid.IntRange(0, 10).Draw(t, "known")) * Span / 10
		if rapid.IntRange(0, 9).Draw(t, "works") == 0 {
			s.Busy = s.Known * time.Duration(rapid.IntRange(0, 100).Draw(t, "busy")) / 100
			s.CPU = s.Known * time.Duration(rapid.IntRange(0, 800).Draw(t, "cpu")) / 100
		}
		if rapid.IntRange(0, 9).Draw(t, "moves") == 0 {
			s.Memory = int64(rapid.IntRange(0, 80).Draw(t, "memory")) * gib
		}
	}
	return all
}

func TestWhatIsUnknownIsNeverIdle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := drawn(t)
		now := start.Add(time.Duration(rapid.IntRange(0, 40*5).Draw(t, "now")) * time.Minute)
		v := Judge(all, now)
		if v.State != Idle {
			return
		}
		if now.Sub(v.Since) < Window {
			t.Fatalf("idle since %v at %v", v.Since, now)
		}
		var sum time.Duration
		for _, s := range all {
			if !s.From.Before(v.Since) && s.From.Before(now) {
				sum += s.Known
				if s.works() {
					t.Fatalf("idle while it works: %+v", s)
				}
			}
		}
		if len(all) > 0 && sum*ofIt < (now.Sub(v.Since)-Span)*known {
			t.Fatalf("idle for %v, of which %v are known", now.Sub(v.Since), sum)
		}
		// Knowing less can't make it idle for longer.
		k := rapid.IntRange(0, len(all)-1).Draw(t, "forgotten")
		if less := Judge(changed(all, k, func(s *Sample) { *s = Sample{From: s.From} }), now); less.State == Idle && less.Since.Before(v.Since) {
			t.Fatalf("idle since %v, with less known since %v", v.Since, less.Since)
		}
	})
}

func TestWorkIsNeverIdle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := drawn(t)
		if len(all) == 0 {
			return
		}
		now := all[len(all)-1].From.Add(Span)
		k := len(all) - 1 - rapid.IntRange(0, min(5, len(all)-1)).Draw(t, "ago")
		work := changed(all, k, func(s *Sample) { s.Known, s.Busy = max(s.Known, time.Second), max(s.Known, time.Second) })
		if v := Judge(work, now); v.State != Active {
			t.Fatalf("it worked %v ago and is %s", now.Sub(all[k].From), v.State)
		}
	})
}
