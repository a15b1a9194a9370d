package meter

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/meterhouse/meterhouse/store/life"
)

func TestAWholeMonthIsItsHoursByTheZonesClocks(t *testing.T) {
	for _, c := range []struct {
		zone  string
		month time.Month
		want  int64 // at 2.50 an hour
	}{
		{"Europe/Berlin", time.March, 1_857_500_000}, {"Europe/Berlin", time.October, 1_862_500_000}, // 743 h, 745 h
		{"America/New_York", time.March, 1_857_500_000}, {"America/New_York", time.November, 1_802_500_000}, // 743 h, 721 h
		{"Australia/Lord_Howe", time.April, 1_801_250_000}, {"Australia/Lord_Howe", time.October, 1_858_750_000}, // 720.5 h, 743.5 h
		{"Asia/Kolkata", time.March, 1_860_000_000}, {"Asia/Kolkata", time.October, 1_860_000_000}, // 744 h
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		from, to := time.Date(2026, c.month, 1, 0, 0, 0, 0, zone), time.Date(2026, c.month+1, 1, 0, 0, 0, 0, zone)
		// Over the whole year, and of that the month: the same to the micro-unit.
		began := from.AddDate(0, -2, 0)
		segments, terms := []Segment{{State: life.Running, Billable: true, RateMicrosPerHour: 2_500_000, From: began}}, Terms{RateMicrosPerHour: 2_500_000, StartedAt: &began}
		later := to.AddDate(0, 1, 0)
		if got := Cost(segments, terms, to, later) - Cost(segments, terms, from, later); got != c.want {
			t.Errorf("%v in %s: %d, want %d", c.month, c.zone, got, c.want)
		}
	}
}

func TestASpotInstanceReclaimedInItsFirstHourIsFree(t *testing.T) {
	for seconds, want := range map[int64]int64{0: 0, 59: 0, 3599: 0, 3600: 2_583_333, 3601: 2_584_028} {
		// Notice decides, not the end two minutes later.
		segments, end := segmentsOf(stretch{seconds: seconds, rate: 2_500_000}, stretch{seconds: 120, rate: 2_500_000})
		notice := end.Add(-2 * time.Minute)
		terms := Terms{RateMicrosPerHour: 2_500_000, StartedAt: &start, EndedAt: &end, ReclaimedAt: &notice}
		if got := Fold(segments, terms, end).TotalMicros; got != want || Total(segments, terms, end) != want {
			t.Errorf("%d s: %d, want %d", seconds, got, want)
		}
	}
}

func TestStorageIsBilledByTheGiBMonth(t *testing.T) {
	for _, c := range []struct {
		gib, price int64
		d          time.Duration
		want       int64
	}{
		{200, 100_000, 5 * time.Hour, 136_986}, {200, 100_000, 730 * time.Hour, 20_000_000}, {1, 100_000, time.Second, 0}, {0, 100_000, time.Hour, 0},
	} {
		if got := Storage(c.gib, c.price, c.d); got != c.want {
			t.Errorf("%d GiB at %d for %v: %d, want %d", c.gib, c.price, c.d, got, c.want)
		}
	}
}

// A price that changed, a stop, time out of reach and its proof: each is a segment, and none changes another's.
func TestTheGapIsBilledOnlyWithProof(t *testing.T) {
	lost := []stretch{{seconds: 3600, rate: 2_500_000}, {seconds: 40, rate: 2_500_000, idle: true}, {seconds: 3600, rate: 2_500_000}}
	proved := []stretch{lost[0], {seconds: 40, rate: 2_500_000}, lost[2]}
	for want, stretches := range map[int64][]stretch{5_000_000: lost, 5_027_778: proved} {
		segments, end := segmentsOf(stretches...)
		if got := Total(segments, Terms{RateMicrosPerHour: 2_500_000, StartedAt: &start}, end); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
}
