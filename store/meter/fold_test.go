package meter

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
	"pgregory.net/rapid"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// stretch is a segment to be made: its seconds and its rate.
type stretch struct {
	seconds, rate int64
	idle          bool
}

func segmentsOf(stretches ...stretch) (segments []Segment, end time.Time) {
	at := start
	for _, s := range stretches {
		to := at.Add(time.Duration(s.seconds) * time.Second)
		segments = append(segments, Segment{State: life.Running, Billable: !s.idle, RateMicrosPerHour: s.rate, From: at, To: &to})
		at = to
	}
	return segments, at
}

func TestTheWorkedNumbers(t *testing.T) {
	day := func(zone string, y int, m time.Month) (time.Time, time.Time) {
		z, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		return time.Date(y, m, 1, 0, 0, 0, 0, z), time.Date(y, m+1, 1, 0, 0, 0, 0, z)
	}
	marchFrom, marchTo := day("Europe/Berlin", 2026, time.March)
	octoberFrom, octoberTo := day("Europe/Berlin", 2026, time.October)
	for _, c := range []struct {
		name      string
		stretches []stretch
		want      int64
	}{
		{"3,723 s at 2.50", []stretch{{seconds: 3723, rate: 2_500_000}}, 2_585_417},
		{"1,800 s at 2.50, 1,923 s at 2.80", []stretch{{seconds: 1800, rate: 2_500_000}, {seconds: 1923, rate: 2_800_000}}, 2_745_667},
		{"12 s at 2.50: the minimum", []stretch{{seconds: 12, rate: 2_500_000}}, 41_667},
		{"7,240 s at 2.50", []stretch{{seconds: 7240, rate: 2_500_000}}, 5_027_778},
		{"7,240 s at 2.50 in three pieces", []stretch{{seconds: 19, rate: 2_500_000}, {seconds: 7200, rate: 2_500_000}, {seconds: 21, rate: 2_500_000}}, 5_027_778},
		{"time out of reach costs nothing", []stretch{{seconds: 3600, rate: 2_500_000}, {seconds: 9999, rate: 2_500_000, idle: true}}, 2_500_000},
		{"March in Berlin: 743 h", []stretch{{seconds: int64(marchTo.Sub(marchFrom).Seconds()), rate: 2_500_000}}, 1_857_500_000},
		{"October in Berlin: 745 h", []stretch{{seconds: int64(octoberTo.Sub(octoberFrom).Seconds()), rate: 2_500_000}}, 1_862_500_000},
	} {
		segments, end := segmentsOf(c.stretches...)
		bill := Fold(segments, Terms{RateMicrosPerHour: c.stretches[0].rate, StartedAt: &start, EndedAt: &end}, end.Add(time.Hour))
		if bill.TotalMicros != c.want {
			t.Errorf("%s: %d, want %d", c.name, bill.TotalMicros, c.want)
		}
		var sum int64
		for _, line := range bill.Lines {
			sum += line.AmountMicros
		}
		if sum != bill.TotalMicros {
			t.Errorf("%s: lines add up to %d, the total is %d", c.name, sum, bill.TotalMicros)
		}
	}
}

func TestWhatNeverBecameHealthyCostsNothing(t *testing.T) {
	end := start.Add(time.Hour)
	if bill := Fold(nil, Terms{RateMicrosPerHour: 2_500_000, EndedAt: &end}, end); bill.TotalMicros != 0 || len(bill.Lines) != 0 {
		t.Errorf("bill: %+v", bill)
	}
}

func TestTheHostsFaultInTheFirstMinuteIsFree(t *testing.T) {
	for seconds, want := range map[int64]int64{0: 0, 1: 0, 59: 0, 60: 41_667, 61: 42_361} {
		segments, end := segmentsOf(stretch{seconds: seconds, rate: 2_500_000})
		terms := Terms{RateMicrosPerHour: 2_500_000, StartedAt: &start, EndedAt: &end, HostFault: true}
		bill := Fold(segments, terms, end)
		if bill.TotalMicros != want || Total(segments, terms, end) != want {
			t.Errorf("%d s: %d, want %d", seconds, bill.TotalMicros, want)
		}
		if waived := len(bill.Lines) > 1 && bill.Lines[1].Waived; waived != (seconds > 0 && seconds < 60) && seconds != 0 {
			t.Errorf("%d s: lines %+v", seconds, bill.Lines)
		}
	}
}

func TestTheMinimumCountsOnlyFromTheEnd(t *testing.T) {
	segments, end := segmentsOf(stretch{seconds: 12, rate: 2_500_000})
	open := Terms{RateMicrosPerHour: 2_500_000, StartedAt: &start}
	closed := open
	closed.EndedAt = &end
	if got := Cost(segments, open, end, end); got != 8_333 {
		t.Errorf("while it runs: %d", got)
	}
	if got := Cost(segments, closed, end.Add(-time.Microsecond), end); got != 8_333 {
		t.Errorf("just before its end: %d", got)
	}
	bill := Fold(segments, closed, end)
	if last := bill.Lines[len(bill.Lines)-1]; !last.Minimum || last.AmountMicros != 33_334 {
		t.Errorf("lines: %+v", bill.Lines)
	}
}

// However a life is cut, the parts add up to the whole, and never run backwards.
func TestPartsAddUpExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var segments []Segment
		at := start
		for range rapid.IntRange(1, 6).Draw(t, "segments") {
			at = at.Add(time.Duration(rapid.Int64Range(0, 1e9).Draw(t, "gap")) * time.Microsecond)
			to := at.Add(time.Duration(rapid.Int64Range(1, 1e11).Draw(t, "long")) * time.Microsecond)
			segments = append(segments, Segment{State: life.Running, Billable: rapid.Bool().Draw(t, "billable"),
				RateMicrosPerHour: rapid.Int64Range(0, 1e12).Draw(t, "rate"), From: at, To: &to})
			at = to
		}
		terms := Terms{RateMicrosPerHour: 2_500_000, StartedAt: &start, EndedAt: &at}
		cuts := []time.Time{start}
		for range rapid.IntRange(0, 10).Draw(t, "cuts") {
			cuts = append(cuts, cuts[len(cuts)-1].Add(time.Duration(rapid.Int64Range(0, 1e11).Draw(t, "cut"))*time.Microsecond))
		}
		cuts = append(cuts, cuts[len(cuts)-1].Add(at.Sub(start)))
		now := at.Add(time.Duration(rapid.Int64Range(-1e9, 1e9).Draw(t, "now")) * time.Microsecond) // the clock may have gone back
		var sum int64
		var used time.Duration
		for k := 1; k < len(cuts); k++ {
			part := Cost(segments, terms, cuts[k], now) - Cost(segments, terms, cuts[k-1], now)
			if part < 0 {
				t.Fatalf("part %d is %d", k, part)
			}
			sum, used = sum+part, used+Used(segments, cuts[k-1], cuts[k], now)
		}
		whole := Fold(segments, terms, now)
		if sum != whole.TotalMicros || used != Used(segments, start, at, now) {
			t.Fatalf("parts add up to %d in %v, the whole is %d", sum, used, whole.TotalMicros)
		}
		var lines int64
		for _, line := range whole.Lines {
			lines += line.AmountMicros
		}
		if lines != whole.TotalMicros {
			t.Fatalf("lines add up to %d, the whole is %d", lines, whole.TotalMicros)
		}
	})
}

func TestABillKnowsWhatItCameToAtEachMoment(t *testing.T) {
	segments, end := segmentsOf(stretch{seconds: 7, rate: 2_500_000}, stretch{seconds: 9, rate: 1_000_000, idle: true}, stretch{seconds: 11, rate: 2_800_000})
	terms := Terms{RateMicrosPerHour: 2_500_000, StartedAt: &start, EndedAt: &end}
	bill := Fold(segments, terms, end)
	if got, begun := bill.At(start); begun || got != 0 {
		t.Errorf("at its start: %d, %v", got, begun)
	}
	for at := start.Add(time.Second); at.Before(end); at = at.Add(time.Second) {
		if got, begun := bill.At(at); !begun || got != Cost(segments, terms, at, end) {
			t.Errorf("after %v: %d, %v, want %d", at.Sub(start), got, begun, Cost(segments, terms, at, end))
		}
	}
	if got := Amount(2_500_000, 3723*time.Second); got != 2_585_417 {
		t.Errorf("3,723 s at 2.50: %d", got)
	}
}
