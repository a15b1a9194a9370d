package budget

import (
	"time"

	"github.com/meterhouse/meterhouse/store/money"
)

// Rolling is the last RollingDays calendar days, today's included. Unlike the other periods it overlaps the next one, so
// that its thresholds are told by DueRolling and not once a period.
const Rolling Period = "rolling"

// RollingDays is how long a rolling period is.
const RollingDays = 30

// RollingBounds returns the period [start, end) of so many calendar days that ends with the day a moment is in. It moves
// on at the zone's midnight, and is the same all day long.
func RollingBounds(days int, at time.Time, zone *time.Location) (start, end time.Time) {
	y, m, d := at.In(zone).Date()
	return Midnight(y, m, d+1-max(days, 1), zone), Midnight(y, m, d+1, zone)
}

// FiredDay says that a threshold was told on a day: an index into the days that DueRolling gets, below 0 for earlier ones.
type FiredDay struct{ Percent, Day int }

// DueRolling returns the thresholds of a rolling budget that are to be told now, which is the last of the days whose
// spending it gets, oldest first, one a day without gaps. A threshold is told once for as long as the windows that end with
// successive days all reach it; it can be told again after one that fell below. That is worked out from the days
// themselves, so that checks which were missed change nothing, and a back-dated correction can make a threshold due and
// never undoes that it was told. The days must go back to days-1 before the oldest telling that may still hold; days before
// the first count as nothing spent.
func DueRolling(thresholds []int, days int, spent []int64, limit int64, fired []FiredDay) []int {
	windows := windowsOf(spent, max(days, 1))
	var due []int
	for _, percent := range thresholds {
		since := len(windows) // the first day of those, up to today, whose windows all reach it
		for since > 0 && windows[since-1].reaches(percent, limit) {
			since--
		}
		if since < len(windows) && !told(fired, percent, since) {
			due = append(due, percent)
		}
	}
	return due
}

// told reports whether a threshold was told since a day. Where all days known reach it, any telling counts.
func told(fired []FiredDay, percent, since int) bool {
	for _, f := range fired {
		if f.Percent == percent && (f.Day >= since || since == 0) {
			return true
		}
	}
	return false
}

// total is what a window comes to.
type total money.Sum

func (t total) reaches(percent int, limit int64) bool {
	var hundredfold money.Sum
	for range 100 {
		hundredfold = hundredfold.Plus(money.Sum(t))
	}
	return !hundredfold.Minus(money.Product(limit, int64(percent))).Negative()
}

// windowsOf returns what the windows that end with each of the days come to.
func windowsOf(spent []int64, days int) []total {
	windows := make([]total, 0, len(spent))
	var sum money.Sum
	for k, s := range spent {
		sum = sum.Plus(money.Product(s, 1))
		if k >= days {
			sum = sum.Minus(money.Product(spent[k-days], 1))
		}
		windows = append(windows, total(sum))
	}
	return windows
}
