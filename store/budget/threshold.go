package budget

import (
	"time"

	"github.com/meterhouse/meterhouse/store/money"
)

// PageOnly is up to which threshold, in percent, a crossing is shown on the page and not mailed.
const PageOnly = 50

// DefaultThresholds are what a budget has that names none, in percent.
var DefaultThresholds = []int{50, 80, 100, 120}

// Crossed returns which of the thresholds (percent of the limit) are reached. All are told, also when several were crossed
// since the last look.
func Crossed(thresholds []int, spent, limit int64) []int {
	var crossed []int
	for _, percent := range thresholds {
		if money.AtLeast(spent, 100, limit, int64(percent)) {
			crossed = append(crossed, percent)
		}
	}
	return crossed
}

// RunsOut returns when what is left is gone at a rate an hour. ok is false if that is not before end, or never.
func RunsOut(left, rateMicrosPerHour int64, now, end time.Time) (at time.Time, ok bool) {
	if left <= 0 {
		return now, true
	}
	if rateMicrosPerHour <= 0 {
		return time.Time{}, false
	}
	us := money.Product(left, int64(time.Hour/time.Microsecond)).Over(rateMicrosPerHour)
	if us >= end.Sub(now).Microseconds() {
		return time.Time{}, false
	}
	return now.Add(time.Duration(us) * time.Microsecond), true
}
