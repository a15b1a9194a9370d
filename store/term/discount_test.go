package term

import (
	"errors"
	"math/big"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"
)

var zones = []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"}

func zone(t interface{ Fatal(...any) }, name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func local(t testing.TB, z *time.Location, text string) time.Time {
	t.Helper()
	at, err := time.ParseInLocation("2006-01-02 15:04", text, z)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestTheDiscountIsByTheCalendar(t *testing.T) {
	for _, c := range []struct {
		name, zone, start, end string
		short                  time.Duration
		want                   int64
	}{
		{"a minute less than a day", "Europe/Berlin", "2026-03-10 09:00", "2026-03-11 09:00", time.Minute, 0},
		{"a day", "Europe/Berlin", "2026-03-10 09:00", "2026-03-11 09:00", 0, 50_000},
		{"a day of 23 hours", "Europe/Berlin", "2026-03-28 09:00", "2026-03-29 09:00", 0, 50_000},
		{"24 of 25 hours", "Europe/Berlin", "2026-10-24 09:00", "2026-10-25 09:00", time.Hour, 0},
		{"a day of 25 hours", "Europe/Berlin", "2026-10-24 09:00", "2026-10-25 09:00", 0, 50_000},
		{"a day of 23 h 30 min", "Australia/Lord_Howe", "2026-10-03 09:00", "2026-10-04 09:00", 0, 50_000},
		{"24 h of 24 h 30 min", "Australia/Lord_Howe", "2026-04-04 09:00", "2026-04-05 09:00", 30 * time.Minute, 0},
		{"3 days over the change", "America/New_York", "2026-03-07 09:00", "2026-03-10 09:00", 0, 150_000},
		{"a microsecond less than 3 days", "America/New_York", "2026-10-31 09:00", "2026-11-03 09:00", time.Microsecond, 50_000},
		{"a week", "Asia/Kolkata", "2026-03-02 09:00", "2026-03-09 09:00", 0, 200_000},
		{"March", "Europe/Berlin", "2026-03-01 00:00", "2026-04-01 00:00", 0, 300_000},
		{"October", "Europe/Berlin", "2026-10-01 00:00", "2026-11-01 00:00", 0, 300_000},
		{"a second less than October", "Europe/Berlin", "2026-10-01 00:00", "2026-11-01 00:00", time.Second, 200_000},
		{"from January 31 to February's end", "Asia/Kolkata", "2026-01-31 12:00", "2026-02-28 12:00", 0, 300_000},
		{"4 weeks that are no month", "Asia/Kolkata", "2026-03-02 12:00", "2026-03-30 12:00", 0, 200_000},
		{"3 months", "America/New_York", "2026-01-31 12:00", "2026-04-30 12:00", 0, 400_000},
		{"6 months", "Australia/Lord_Howe", "2026-08-31 12:00", "2027-02-28 12:00", 0, 500_000},
		{"2 years", "Europe/Berlin", "2026-03-29 12:00", "2028-03-29 12:00", 0, 500_000},
		{"nothing", "Europe/Berlin", "2026-03-29 12:00", "2026-03-29 12:00", 0, 0},
	} {
		z := zone(t, c.zone)
		if got := Discount(Default(), local(t, z, c.start), local(t, z, c.end).Add(-c.short), z); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestATermEndsWhereTheWallClockSays(t *testing.T) {
	for _, c := range []struct {
		zone, start string
		length      Length
		want        string
	}{
		{"Europe/Berlin", "2026-03-28T01:30:00Z", Length{Days: 1}, "2026-03-29T01:30:00Z"},       // 02:30 is 03:30
		{"Europe/Berlin", "2026-10-24T00:30:00Z", Length{Days: 1}, "2026-10-25T00:30:00Z"},       // the first 02:30
		{"Europe/Berlin", "2026-10-25T01:30:00Z", Length{Days: 1}, "2026-10-26T01:30:00Z"},       // from the second 02:30
		{"Australia/Lord_Howe", "2026-10-02T15:40:00Z", Length{Days: 1}, "2026-10-03T15:40:00Z"}, // 02:10 is 02:40
		{"Asia/Kolkata", "2027-12-31T20:00:00Z", Length{Months: 1}, "2028-01-31T20:00:00Z"},
		{"America/New_York", "2028-01-31T05:00:00Z", Length{Months: 1}, "2028-02-29T05:00:00Z"},
		{"America/New_York", "2027-12-31T05:00:00Z", Length{Months: 14}, "2029-02-28T05:00:00Z"},
	} {
		start, err := time.Parse(time.RFC3339, c.start)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.length.After(start, zone(t, c.zone)).Format(time.RFC3339); got != c.want {
			t.Errorf("%+v after %s in %s: %s, want %s", c.length, c.start, c.zone, got, c.want)
		}
	}
}

// Booking longer never loses a discount.
func TestALongerTermIsNeverDearerAnHour(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		z := zone(t, rapid.SampledFrom(zones).Draw(t, "zone"))
		start := time.Unix(rapid.Int64Range(1_700_000_000, 1_900_000_000).Draw(t, "start"), 0)
		end := start.Add(time.Duration(rapid.Int64Range(0, 250*24*3600).Draw(t, "seconds")) * time.Second)
		longer := end.Add(time.Duration(rapid.Int64Range(0, 40*24*3600).Draw(t, "more")) * time.Second)
		less, more := Discount(Default(), start, end, z), Discount(Default(), start, longer, z)
		if less > more || Rate(2_500_001, more) > Rate(2_500_001, less) {
			t.Fatalf("%d until %v, %d until %v", less, end, more, longer)
		}
	})
}

func TestAListOfDiscountsIsChecked(t *testing.T) {
	days := func(d int, ppm int64) Step { return Step{Length{Days: d}, ppm} }
	for _, c := range []struct {
		name  string
		steps []Step
		want  error
	}{
		{"the default", Default(), nil}, {"none", nil, nil}, {"70 %", []Step{days(1, 700_000)}, nil}, {"equal discounts", []Step{days(1, 5), days(2, 5)}, nil},
		{"a month after 29 days", []Step{days(29, 1), {Length{Months: 1}, 2}}, nil},
		{"more than 70 %", []Step{days(1, 700_001)}, ErrDiscount}, {"below zero", []Step{days(1, -1)}, ErrDiscount},
		{"no length", []Step{{Length{}, 5}}, ErrLength}, {"both", []Step{{Length{1, 1}, 5}}, ErrLength}, {"negative", []Step{days(-1, 5)}, ErrLength},
		{"endless", []Step{days(1<<40, 5)}, ErrLength},
		{"not ascending", []Step{days(3, 5), days(1, 6)}, ErrOrder}, {"twice", []Step{days(3, 5), days(3, 6)}, ErrOrder},
		{"a month before 30 days", []Step{{Length{Months: 1}, 2}, days(30, 3)}, ErrOrder}, {"descending", []Step{days(1, 6), days(3, 5)}, ErrLess},
	} {
		if err := Validate(c.steps); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func TestTwoDiscountsTogetherAreMoreThanEachAndLessThanTheirSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64Range(0, MostDiscount).Draw(t, "a"), rapid.Int64Range(0, MostDiscount).Draw(t, "b")
		both := Together(a, b)
		if both != Together(b, a) || both < max(a, b) || both > a+b || both > MostDiscount || Together(a, 0) != a {
			t.Fatalf("%d and %d are %d", a, b, both)
		}
		list := rapid.Int64Range(0, 1_000_000_000_000).Draw(t, "list")
		rate := Rate(list, both)
		exact := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(list), big.NewInt(Whole-both)), big.NewInt(Whole))
		if off := new(big.Rat).Sub(exact, new(big.Rat).SetInt64(rate)); rate > list || off.Abs(off).Cmp(big.NewRat(1, 2)) > 0 {
			t.Fatalf("%d less %d is %d", list, both, rate)
		}
	})
	if got := Together(200_000, 100_000); got != 280_000 {
		t.Errorf("20 %% and 10 %% are %d", got)
	}
}

func TestTheRateAfterADiscountIsRoundedOnce(t *testing.T) {
	for _, c := range []struct{ rate, discount, want int64 }{
		{2_500_000, 0, 2_500_000}, {2_500_000, 300_000, 1_750_000}, {2_500_000, 50_000, 2_375_000}, {1, 500_000, 1}, {3, 500_000, 2}, {10, 50_000, 10}, {9, 150_000, 8}, {5, 700_000, 2},
	} {
		if got := Rate(c.rate, c.discount); got != c.want {
			t.Errorf("%d less %d: %d, want %d", c.rate, c.discount, got, c.want)
		}
	}
}
