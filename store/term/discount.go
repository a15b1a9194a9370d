// Package term holds the rules of reservations' money: the discount of a term, what a reservation costs, what is due when
// it is cancelled, what comes back when its time is rented again, and how well it was used. It imports store/money and
// store/calendar, reads no clock and touches no database. The rules it keeps: a term is counted on the calendar of the
// site's zone, so that no change of the clocks changes a discount, and amounts are rounded once.
package term

import (
	"errors"
	"fmt"
	"time"

	"github.com/meterhouse/meterhouse/store/calendar"
	"github.com/meterhouse/meterhouse/store/money"
)

// Whole is a share of 100 %, in parts per million.
const Whole int64 = 1_000_000

// MostDiscount is the largest discount that an admin can give, in parts per million.
const MostDiscount int64 = 700_000

// Length is a term on the calendar: months or days, never both.
type Length struct{ Months, Days int }

// Step is the discount from a length on, in parts per million.
type Step struct {
	From        Length
	DiscountPPM int64
}

// Default returns the discounts of a site that has set none: below a day there is none.
func Default() []Step {
	return []Step{
		{Length{Days: 1}, 50_000}, {Length{Days: 3}, 150_000}, {Length{Days: 7}, 200_000},
		{Length{Months: 1}, 300_000}, {Length{Months: 3}, 400_000}, {Length{Months: 6}, 500_000},
	}
}

// The reasons for which a list of discounts is refused.
var (
	ErrLength   = errors.New("a term is a number of days or of months, at most ten years")
	ErrOrder    = errors.New("each term is longer than the one before it")
	ErrLess     = errors.New("a longer term has no smaller discount")
	ErrDiscount = errors.New("a discount is from 0 to 70 %")
)

// monthDays is how long a month counts as when terms are put in order.
const monthDays = 30

const mostDays = 3660

func (l Length) days() int { return l.Months*monthDays + l.Days }

func (l Length) valid() bool {
	return l.Months >= 0 && l.Days >= 0 && (l.Months == 0) != (l.Days == 0) && l.Months <= 120 && l.Days <= mostDays
}

// Validate returns nil for a list that is ascending in its terms and nowhere descending in its discounts, else which step
// is wrong and why.
func Validate(steps []Step) error {
	for k, s := range steps {
		var err error
		switch {
		case !s.From.valid():
			err = ErrLength
		case s.DiscountPPM < 0 || s.DiscountPPM > MostDiscount:
			err = ErrDiscount
		case k > 0 && s.From.days() <= steps[k-1].From.days():
			err = ErrOrder
		case k > 0 && s.DiscountPPM < steps[k-1].DiscountPPM:
			err = ErrLess
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", k+1, err)
		}
	}
	return nil
}

// Discount returns the largest discount whose term [start, end) reaches, in parts per million; 0 for less than all.
func Discount(steps []Step, start, end time.Time, zone *time.Location) int64 {
	var discount int64
	for _, s := range steps {
		if s.DiscountPPM > discount && !end.Before(s.From.After(start, zone)) {
			discount = s.DiscountPPM
		}
	}
	return discount
}

// After returns the moment a term after another one: the same time on the wall clock so many days later, or months later
// on the same day, or on the month's last where it has no such day. A time that the clocks jump over is moved forward; of
// one that comes twice it is the first.
func (l Length) After(start time.Time, zone *time.Location) time.Time {
	t := start.In(zone)
	y, m, d := t.Date()
	if l.Months > 0 {
		last := time.Date(y, m+time.Month(l.Months)+1, 0, 0, 0, 0, 0, time.UTC)
		y, m, d = last.Year(), last.Month(), min(d, last.Day())
	}
	wall := time.Date(y, m, d+l.Days, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	return calendar.WallAt(wall, zone).At[0]
}

// Together returns what a term's discount and one that the team has anyway come to: the second is taken off what the first
// leaves. It is rounded half away from zero to parts per million, and never more than an admin could give at once.
func Together(a, b int64) int64 {
	return min(MostDiscount, Whole-money.Product(Whole-a, Whole-b).Over(Whole))
}

// Rate returns the rate an hour after a discount, in micro-units, rounded half away from zero.
func Rate(onDemandMicrosPerHour, discountPPM int64) int64 {
	return money.Product(onDemandMicrosPerHour, Whole-discountPPM).Over(Whole)
}
