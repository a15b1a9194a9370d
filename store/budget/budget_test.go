package budget

import (
	"slices"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestPeriodsEndAtTheZonesMidnight(t *testing.T) {
	for _, c := range []struct {
		name, zone, at string
		period         Period
		start, end     string
	}{
		{"a month in winter time that ends in summer time (M1)", "Europe/Berlin", "2026-03-15T12:00:00Z", Month, "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"},
		{"a month that ends in winter time", "Europe/Berlin", "2026-10-15T12:00:00Z", Month, "2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z"},
		{"23:30 on the last day is that month's (M2)", "Europe/Berlin", "2026-03-31T21:30:00Z", Month, "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"},
		{"its end is the next one's", "Europe/Berlin", "2026-03-31T22:00:00Z", Month, "2026-03-31T22:00:00Z", "2026-04-30T22:00:00Z"},
		{"the 31st is followed by a month of 30 (M12)", "UTC", "2026-01-31T10:00:00Z", Month, "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"},
		{"a quarter over the year's end", "America/New_York", "2026-12-31T23:59:59Z", Quarter, "2026-10-01T04:00:00Z", "2027-01-01T05:00:00Z"},
		{"a week begins on Monday", "UTC", "2026-03-08T23:59:59Z", Week, "2026-03-02T00:00:00Z", "2026-03-09T00:00:00Z"},
		{"Monday is its own week's", "UTC", "2026-03-09T00:00:00Z", Week, "2026-03-09T00:00:00Z", "2026-03-16T00:00:00Z"},
		{"a day of 23 hours", "Europe/Berlin", "2026-03-29T12:00:00Z", Day, "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		{"a day of 25 hours", "Europe/Berlin", "2026-10-25T12:00:00Z", Day, "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		{"midnight does not exist", "America/Sao_Paulo", "2018-11-04T12:00:00Z", Day, "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"},
		{"midnight comes twice", "America/Havana", "2026-11-01T12:00:00Z", Day, "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"},
		{"the day that Samoa left out", "Pacific/Apia", "2011-12-30T09:00:00Z", Day, "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		start, end := c.period.Bounds(at, zone(t, c.zone))
		if start.Format(time.RFC3339) != c.start || end.Format(time.RFC3339) != c.end {
			t.Errorf("%s: %s – %s, want %s – %s", c.name, start.Format(time.RFC3339), end.Format(time.RFC3339), c.start, c.end)
		}
	}
}

// Every moment is in exactly one period, and one follows the other without gap or overlap.
func TestPeriodsTileTime(t *testing.T) {
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/Havana", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "Africa/Cairo", "Asia/Shanghai"}
	rapid.Check(t, func(t *rapid.T) {
		z, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		p := rapid.SampledFrom([]Period{Day, Week, Month, Quarter}).Draw(t, "period")
		at := time.UnixMicro(rapid.Int64Range(1_200_000_000_000_000, 1_950_000_000_000_000).Draw(t, "at"))
		start, end := p.Bounds(at, z)
		if at.Before(start) || !at.Before(end) {
			t.Fatalf("%v is not in [%v, %v)", at, start, end)
		}
		if next, _ := p.Bounds(end, z); !next.Equal(end) {
			t.Fatalf("after %v comes %v", end, next)
		}
		if _, before := p.Bounds(start.Add(-time.Microsecond), z); !before.Equal(start) {
			t.Fatalf("before %v ends at %v", start, before)
		}
	})
}

func TestEveryThresholdReachedIsTold(t *testing.T) {
	for _, c := range []struct {
		spent, limit int64
		want         []int
	}{
		{0, 5_000_000, nil}, {2_499_999, 5_000_000, nil}, {2_500_000, 5_000_000, []int{50}}, {3_999_999, 5_000_000, []int{50}},
		{26_000_000, 5_000_000, []int{50, 80, 100, 120}}, // M9: all between two looks
		{1 << 62, 1 << 62, []int{50, 80, 100}}, {799_999, 1_000_000, []int{50}}, {800_000, 1_000_000, []int{50, 80}},
	} {
		if got := Crossed(DefaultThresholds, c.spent, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("%d of %d: %v, want %v", c.spent, c.limit, got, c.want)
		}
	}
}

func TestWhenTheMoneyRunsOut(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	end := now.Add(48 * time.Hour)
	for _, c := range []struct {
		left, rate int64
		want       time.Duration
		ok         bool
	}{
		{5_000_000, 2_500_000, 2 * time.Hour, true}, {0, 0, 0, true}, {-1, 5, 0, true}, {1, 0, 0, false}, {120_000_000, 2_500_000, 0, false}, {1 << 62, 1, 0, false},
	} {
		at, ok := RunsOut(c.left, c.rate, now, end)
		if ok != c.ok || ok && !at.Equal(now.Add(c.want)) {
			t.Errorf("%d at %d: %v %v", c.left, c.rate, at, ok)
		}
	}
}

func TestTheMonthsInWhichClocksChange(t *testing.T) {
	for _, c := range []struct {
		zone, at string
		want     time.Duration
	}{
		{"Europe/Berlin", "2026-03-15T00:00:00Z", 743 * time.Hour}, {"Europe/Berlin", "2026-10-15T00:00:00Z", 745 * time.Hour},
		{"America/New_York", "2026-03-15T00:00:00Z", 743 * time.Hour}, {"America/New_York", "2026-11-15T00:00:00Z", 721 * time.Hour},
		{"Australia/Lord_Howe", "2026-04-15T00:00:00Z", 1441 * time.Hour / 2}, {"Australia/Lord_Howe", "2026-10-15T00:00:00Z", 1487 * time.Hour / 2},
		{"Asia/Kolkata", "2026-03-15T00:00:00Z", 744 * time.Hour}, {"Asia/Kolkata", "2026-10-15T00:00:00Z", 744 * time.Hour},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if start, end := Month.Bounds(at, zone(t, c.zone)); end.Sub(start) != c.want {
			t.Errorf("%s in %s: %v, want %v", c.at, c.zone, end.Sub(start), c.want)
		}
	}
}
