package budget

import (
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var at9 = time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)

func TestTheForecastGoesOnAtTheRecentRate(t *testing.T) {
	day := 24 * time.Hour
	for _, c := range []struct {
		name string
		s    Spending
		left time.Duration
		want int64
		ok   bool
	}{
		{"100 a week, 14 days left", Spending{ActualMicros: 150, RecentMicros: 100, Elapsed: 7 * day}, 14 * day, 350, true},
		{"72 hours are enough", Spending{ActualMicros: 72, RecentMicros: 72, Elapsed: 72 * time.Hour}, day, 96, true},
		{"less is not", Spending{ActualMicros: 72, RecentMicros: 72, Elapsed: 72*time.Hour - 1}, day, 0, false},
		{"reservations are added as what they are", Spending{ActualMicros: 150, RecentMicros: 100, RecentReservedMicros: 30, ReservedMicros: 1000, Elapsed: 7 * day}, 7 * day, 1220, true},
		{"a period that is over is what it was", Spending{ActualMicros: 150, RecentMicros: 100, Elapsed: 7 * day}, -day, 150, true},
		{"refunds do not go on", Spending{ActualMicros: 150, RecentMicros: -100, Elapsed: 7 * day}, 7 * day, 150, true},
		{"half a micro-unit is rounded away from zero", Spending{RecentMicros: 1, Elapsed: 4 * day}, 2 * day, 1, true},
		{"no number wraps around", Spending{ActualMicros: math.MaxInt64, RecentMicros: math.MaxInt64, Elapsed: 4 * day}, 40 * day, math.MaxInt64, true},
	} {
		if got, ok := Forecast(c.s, at9, at9.Add(c.left)); got != c.want || ok != c.ok {
			t.Errorf("%s: %d %v, want %d %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

func TestForecastsAgreeWithExactFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Spending{rapid.Int64Range(0, 1e15).Draw(t, "actual"), rapid.Int64Range(0, 1e15).Draw(t, "recent"), 0, rapid.Int64Range(0, 1e15).Draw(t, "to come"),
			time.Duration(rapid.Int64Range(Enough.Microseconds(), Recent.Microseconds()).Draw(t, "elapsed")) * time.Microsecond}
		s.RecentReservedMicros = rapid.Int64Range(0, s.RecentMicros).Draw(t, "reserved")
		left := time.Duration(rapid.Int64Range(0, 1e14).Draw(t, "left")) * time.Microsecond
		want := new(big.Rat).SetFrac64(left.Microseconds(), s.Elapsed.Microseconds())
		want.Mul(want, new(big.Rat).SetInt64(s.RecentMicros-s.RecentReservedMicros)).Add(want, new(big.Rat).SetInt64(s.ActualMicros+s.ReservedMicros))
		got, _ := Forecast(s, at9, at9.Add(left))
		if d := want.Sub(want, new(big.Rat).SetInt64(got)); d.Abs(d).Cmp(big.NewRat(1, 2)) > 0 {
			t.Fatalf("%d is off by %v", got, d)
		}
	})
}

func TestWhatWasToldStaysTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var told []int
		for range rapid.IntRange(1, 20).Draw(t, "looks") {
			spent := rapid.Int64Range(-50, 150).Draw(t, "spent") // corrections go both ways
			crossed := Crossed(DefaultThresholds, spent, 100)
			told = append(told, Due(crossed, told)...)
			if len(Due(crossed, told)) != 0 {
				t.Fatalf("%v is due again", crossed)
			}
		}
		for _, percent := range DefaultThresholds {
			if first := slices.Index(told, percent); first >= 0 && slices.Contains(told[first+1:], percent) {
				t.Fatalf("told twice: %v", told)
			}
		}
	})
}

func TestTheStrictestActionIsInForce(t *testing.T) {
	responses := []Response{{120, Stop}, {80, SpotOnly}, {50, Notify}, {100, Block}, {80, Notify}}
	for _, c := range []struct {
		spent       int64
		want        Action
		demand, any bool // what may start: on demand, spot
	}{{49, "", true, true}, {50, Notify, true, true}, {80, SpotOnly, false, true}, {100, Block, false, false}, {120, Stop, false, false}} {
		got := InForce(responses, c.spent, 100)
		if got != c.want || got.Allows(false) != c.demand || got.Allows(true) != c.any || got.Known() != (c.want != "") {
			t.Errorf("%d of 100: %q", c.spent, got)
		}
		if at, ok := got.StopsAt(at9); ok != (got == Stop) || ok && !at.Equal(at9.Add(15*time.Minute)) {
			t.Errorf("%q stops at %v %v", got, at, ok)
		}
	}
}

func TestARollingPeriodIsSoManyCalendarDays(t *testing.T) {
	for _, c := range []struct{ zone, at, start, end string }{
		{"Europe/Berlin", "2026-04-15T12:00:00Z", "2026-03-16T23:00:00Z", "2026-04-15T22:00:00Z"},
		{"Europe/Berlin", "2026-03-29T21:59:59Z", "2026-02-27T23:00:00Z", "2026-03-29T22:00:00Z"},
		{"Europe/Berlin", "2026-03-29T22:00:00Z", "2026-02-28T23:00:00Z", "2026-03-30T22:00:00Z"},
		{"Asia/Kolkata", "2026-03-01T00:00:00Z", "2026-01-30T18:30:00Z", "2026-03-01T18:30:00Z"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		start, end := RollingBounds(RollingDays, at, zone(t, c.zone))
		if start.Format(time.RFC3339) != c.start || end.Format(time.RFC3339) != c.end {
			t.Errorf("%s in %s: %v – %v", c.at, c.zone, start, end)
		}
	}
}

func TestARollingThresholdIsToldOnceUntilItFellBelow(t *testing.T) {
	for _, c := range []struct {
		name  string
		spent []int64 // a day each, windows of 2 days, a limit of 100
		fired []FiredDay
		want  []int
	}{
		{"reached", []int64{60, 40}, nil, []int{100}},
		{"not reached", []int64{60, 39}, nil, nil},
		{"told yesterday", []int64{60, 40, 60}, []FiredDay{{100, 1}}, nil},
		{"fell below in between", []int64{60, 40, 50, 60}, []FiredDay{{100, 1}}, []int{100}},
		{"a check that was missed", []int64{60, 40, 60}, nil, []int{100}},
		{"told before a correction moved the crossing back", []int64{100, 40, 60}, []FiredDay{{100, 2}}, nil},
		{"told before all days known", []int64{100, 100}, []FiredDay{{100, -3}}, nil},
		{"no day", nil, nil, nil},
		{"no sum wraps around", []int64{math.MaxInt64, math.MaxInt64}, nil, []int{100}},
		{"another threshold", []int64{60, 40}, []FiredDay{{50, 1}}, []int{100}},
	} {
		if got := DueRolling([]int{100}, 2, c.spent, 100, c.fired); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
