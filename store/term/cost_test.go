package term

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store/meter"
	"pgregory.net/rapid"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return start.Add(d) }

func TestAMonthCostsItsHoursInEachZone(t *testing.T) {
	for _, c := range []struct {
		zone  string
		month time.Month
		want  int64
	}{
		{"Europe/Berlin", time.March, 1_857_500_000}, {"Europe/Berlin", time.October, 1_862_500_000}, // 743 h, 745 h
		{"America/New_York", time.March, 1_857_500_000}, {"America/New_York", time.November, 1_802_500_000}, // 743 h, 721 h
		{"Australia/Lord_Howe", time.October, 1_858_750_000}, {"Australia/Lord_Howe", time.April, 1_801_250_000}, // 743.5 h, 720.5 h
		{"Asia/Kolkata", time.March, 1_860_000_000}, {"Asia/Kolkata", time.October, 1_860_000_000}, // 744 h
	} {
		z := zone(t, c.zone)
		from, to := time.Date(2026, c.month, 1, 0, 0, 0, 0, z), time.Date(2026, c.month+1, 1, 0, 0, 0, 0, z)
		part := Part{from, to, 2_500_000}
		if got := Total([]Part{part}); got != c.want {
			t.Errorf("%v in %s: %d, want %d", c.month, c.zone, got, c.want)
		}
		discount := Discount(Default(), from, to, z)
		part.RateMicrosPerHour = Rate(2_500_000, discount)
		if got := Total([]Part{part}); discount != 300_000 || got != c.want*7/10 {
			t.Errorf("%v in %s with %d: %d, want %d", c.month, c.zone, discount, got, c.want*7/10)
		}
	}
}

func TestAnExtensionHasItsOwnRateAndIsRoundedWithTheRest(t *testing.T) {
	parts := []Part{{start, after(1800 * time.Second), 2_500_000}, {after(1800 * time.Second), after(3723 * time.Second), 2_800_000}}
	if got := Total(parts); got != 2_745_667 {
		t.Errorf("%d", got)
	}
	if got := Total(nil); got != 0 {
		t.Errorf("of nothing: %d", got)
	}
}

func drawn(t *rapid.T) (parts []Part, end time.Time) {
	end = start
	for range rapid.IntRange(1, 4).Draw(t, "parts") {
		p := Part{From: end, To: end.Add(time.Duration(rapid.Int64Range(1, 3e11).Draw(t, "long")) * time.Microsecond),
			RateMicrosPerHour: rapid.Int64Range(0, 1e10).Draw(t, "rate")}
		parts, end = append(parts, p), p.To
	}
	return parts, end
}

func TestPartsOfAReservationAddUpAsTheMetersDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts, end := drawn(t)
		var segments []meter.Segment
		for k := range parts {
			segments = append(segments, meter.Segment{Billable: true, RateMicrosPerHour: parts[k].RateMicrosPerHour, From: parts[k].From, To: &parts[k].To})
		}
		terms := meter.Terms{StartedAt: &start}
		if got, want := Total(parts), meter.Total(segments, terms, end); got != want {
			t.Fatalf("%d, the meter says %d", got, want)
		}
	})
}

func TestCancellingLateCostsHalfOfADayAtMost(t *testing.T) {
	long := []Part{{start, after(72 * time.Hour), 2_500_000}}
	for _, c := range []struct {
		name             string
		parts            []Part
		at               time.Duration
		used, fee, total int64
	}{
		{"24 hours before", long, -24 * time.Hour, 0, 0, 0},
		{"a microsecond later", long, -24*time.Hour + time.Microsecond, 0, 30_000_000, 30_000_000},
		{"at its start", long, 0, 0, 30_000_000, 30_000_000},
		{"after an hour", long, time.Hour, 2_500_000, 30_000_000, 32_500_000},
		{"10 hours before its end", long, 62 * time.Hour, 155_000_000, 12_500_000, 167_500_000},
		{"at its end", long, 72 * time.Hour, 180_000_000, 0, 180_000_000},
		{"later", long, 99 * time.Hour, 180_000_000, 0, 180_000_000},
		{"a short one", []Part{{start, after(time.Hour), 3}}, 0, 0, 2, 2},
		{"an extension at another rate", []Part{{start, after(12 * time.Hour), 2_000_000}, {after(12 * time.Hour), after(99 * time.Hour), 1_000_000}}, 0, 0, 18_000_000, 18_000_000},
		{"both rounded once", []Part{{start, after(2 * time.Hour), 1}}, time.Hour + 30*time.Minute, 2, 0, 2}, // 1.5 + 0.25
		{"nothing", nil, 0, 0, 0, 0},
	} {
		if got := Cancel(c.parts, after(c.at)); got != (Cancelled{c.used, c.fee, c.total}) {
			t.Errorf("%s: %+v, want %d + %d = %d", c.name, got, c.used, c.fee, c.total)
		}
	}
}

func TestCancellingNeverCostsMoreThanKeeping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts, end := drawn(t)
		now := start.Add(time.Duration(rapid.Int64Range(-9e10, end.Sub(start).Microseconds()+9e10).Draw(t, "now")) * time.Microsecond)
		if c := Cancel(parts, now); c.UsedMicros < 0 || c.FeeMicros < 0 || c.TotalMicros > Total(parts) || c.UsedMicros+c.FeeMicros != c.TotalMicros {
			t.Fatalf("%+v of %d", c, Total(parts))
		}
	})
}

func TestOnlyWhatIsRentedAgainComesBack(t *testing.T) {
	parts := []Part{{start, after(10 * time.Hour), 4_000_000}, {after(10 * time.Hour), after(20 * time.Hour), 2_000_000}} // of 4 GPUs
	h := func(from, to float64, gpus int) Again {
		return Again{after(time.Duration(from * float64(time.Hour))), after(time.Duration(to * float64(time.Hour))), gpus}
	}
	for _, c := range []struct {
		name  string
		again []Again
		want  int64
	}{
		{"nobody", nil, 0},
		{"all of it", []Again{h(5, 20, 4)}, 40_000_000},
		{"one GPU for an hour", []Again{h(6, 7, 1)}, 1_000_000},
		{"over both rates", []Again{h(9, 11, 2)}, 3_000_000},
		{"what was before the release, and after the end", []Again{h(0, 6, 4), h(19, 40, 4)}, 6_000_000},
		{"no GPU twice", []Again{h(6, 8, 3), h(7, 9, 3)}, 3_000_000 + 4_000_000 + 3_000_000},
		{"one after the other", []Again{h(6, 7, 2), h(7, 8, 2)}, 4_000_000},
		{"an empty time", []Again{h(7, 7, 2), h(8, 7, 2), h(8, 9, 0)}, 0},
	} {
		if got := Refund(parts, 4, after(5*time.Hour), c.again); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if got := Refund(parts, 0, start, []Again{h(0, 20, 1)}); got != 0 {
		t.Errorf("of no GPUs: %d", got)
	}
}

func TestARefundIsNeverMoreThanWhatRemained(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts, end := drawn(t)
		span := end.Sub(start).Microseconds()
		at := func(name string) time.Time {
			return start.Add(time.Duration(rapid.Int64Range(-1e6, span+1e6).Draw(t, name)) * time.Microsecond)
		}
		released, gpus := at("released"), rapid.IntRange(1, 8).Draw(t, "gpus")
		var again []Again
		for range rapid.IntRange(0, 6).Draw(t, "again") {
			again = append(again, Again{at("from"), at("to"), rapid.IntRange(0, 9).Draw(t, "of")})
		}
		remained := between(parts, released, end).Over(hour)
		if got := Refund(parts, gpus, released, again); got < 0 || got > remained {
			t.Fatalf("%d of %d", got, remained)
		}
		if got := Refund(parts, gpus, released, append(again, Again{start.Add(-time.Hour), end.Add(time.Hour), gpus})); got != remained {
			t.Fatalf("all rented again: %d of %d", got, remained)
		}
	})
}

func TestReportsSayWhatTheyDoNotKnow(t *testing.T) {
	if got, ok := Utilization(3*time.Hour, 4*time.Hour); !ok || got != 750_000 {
		t.Errorf("utilization %d %v", got, ok)
	}
	if got, ok := Coverage(time.Hour, 3*time.Hour); !ok || got != 333_333 {
		t.Errorf("coverage %d %v", got, ok)
	}
	if _, ok := Utilization(0, 0); ok {
		t.Error("a utilization of nothing")
	}
	if _, ok := Coverage(0, 0); ok {
		t.Error("a coverage of nothing")
	}
}

func TestBreakEvenIsTheFirstMomentThatIsNoDearer(t *testing.T) {
	if got, ok := BreakEven(1_300_250_000, 2_500_000, 743*time.Hour); !ok || got != 520*time.Hour+6*time.Minute {
		t.Errorf("March at 30 %% off: %v %v", got, ok)
	}
	for _, c := range []struct{ cost, rate int64 }{{-1, 5}, {5, 0}, {2_500_001, 2_500_000}, {1 << 62, 1}} {
		if got, ok := BreakEven(c.cost, c.rate, time.Hour); ok {
			t.Errorf("%d at %d: %v", c.cost, c.rate, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		cost, rate := rapid.Int64Range(1, 1e12).Draw(t, "cost"), rapid.Int64Range(1e3, 1e9).Draw(t, "rate")
		use, ok := BreakEven(cost, rate, 1e6*time.Hour)
		exact := func(d time.Duration) bool {
			return weighted([]Part{{start, start.Add(d), rate}}, start, start.Add(d), 1).Minus(weighted([]Part{{start, after(time.Hour), cost}}, start, after(time.Hour), 1)).Negative()
		}
		if ok && (exact(use) || !exact(use-time.Microsecond)) {
			t.Fatalf("%v for %d at %d", use, cost, rate)
		}
	})
}
