// Package budget holds the rules of budgets: where periods begin and end, which thresholds are crossed, when the money
// runs out. It imports store/money and the standard library, reads no clock and touches no database. The rule it keeps:
// periods are half-open and counted on the calendar of the site's zone, so that they neither overlap nor leave a gap,
// whatever the clocks do in spring and autumn.
package budget

import "time"

// Period is how long a budget's limit is for.
type Period string

// The periods. A week begins on Monday.
const (
	Day     Period = "day"
	Week    Period = "week"
	Month   Period = "month"
	Quarter Period = "quarter"
)

// Known reports whether p is a period of the calendar, one of which follows the other.
func (p Period) Known() bool { return p == Day || p == Week || p == Month || p == Quarter }

// Bounds returns the period [start, end) that a moment is in.
func (p Period) Bounds(at time.Time, zone *time.Location) (start, end time.Time) {
	y, m, d := at.In(zone).Date()
	switch p {
	case Week:
		monday := d - (int(at.In(zone).Weekday())+6)%7
		return Midnight(y, m, monday, zone), Midnight(y, m, monday+7, zone)
	case Month:
		return Midnight(y, m, 1, zone), Midnight(y, m+1, 1, zone)
	case Rolling:
		return RollingBounds(RollingDays, at, zone)
	case Quarter:
		first := m - (m-1)%3
		return Midnight(y, first, 1, zone), Midnight(y, first+3, 1, zone)
	default:
		return Midnight(y, m, d, zone), Midnight(y, m, d+1, zone)
	}
}

// step divides every offset that a zone has had since zones were standardised.
const step = 15 * time.Minute

// Midnight returns the first moment, in UTC, at which a zone's calendar shows the given day or a later one. d may lie
// outside the month, as with time.Date. Where the clocks jump over midnight, or over a whole day, that is the moment after
// the gap; where an hour before it comes twice, the first time it is that day.
func Midnight(y int, m time.Month, d int, zone *time.Location) time.Time {
	y, m, d = time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Date() // normalised
	at, day := time.Date(y, m, d, 0, 0, 0, 0, zone), date(y, m, d)
	for date(at.Date()) < day {
		at = at.Add(step)
	}
	for date(at.Add(-step).Date()) >= day {
		at = at.Add(-step)
	}
	return at.UTC()
}

// date makes days comparable.
func date(y int, m time.Month, d int) int { return (y*100+int(m))*100 + d }

// NextMidnight returns the first midnight after a moment.
func NextMidnight(at time.Time, zone *time.Location) time.Time {
	_, end := Day.Bounds(at, zone)
	return end
}
