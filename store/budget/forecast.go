package budget

import (
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/money"
)

const (
	// Recent is how far back the rate goes that a forecast goes on at.
	Recent = 7 * 24 * time.Hour
	// Enough is the shortest time of which data makes a forecast.
	Enough = 72 * time.Hour
)

// ForecastThresholds are what a budget's forecast is told at that names none, in percent.
var ForecastThresholds = []int{100}

// Spending is what a forecast is made from, in micro-units.
type Spending struct {
	ActualMicros int64 // in the period so far, reservations included
	RecentMicros int64 // over Elapsed until now, reservations included
	// RecentReservedMicros is the part of RecentMicros that reservations cost: it does not go on by itself.
	RecentReservedMicros int64
	// ReservedMicros is what the reservations known now will still cost in the period.
	ReservedMicros int64
	Elapsed        time.Duration // since the first data, at most Recent
}

// Forecast returns what a period that ends at end comes to: what is spent, what is reserved, and the recent rate for the
// time left, exactly, rounded once. Refunds that exceed the cost make a rate of 0. ok is false with too little data.
func Forecast(s Spending, now, end time.Time) (micros int64, ok bool) {
	if s.Elapsed < Enough {
		return 0, false
	}
	left := max(end.Sub(now), 0).Microseconds()
	known := money.Product(s.ActualMicros, 1).Plus(money.Product(s.ReservedMicros, 1))
	recent := money.Product(s.RecentMicros, 1).Minus(money.Product(s.RecentReservedMicros, 1)).Over(1)
	more := money.Product(max(recent, 0), left).Over(s.Elapsed.Microseconds())
	return known.Plus(money.Product(more, 1)).Over(1), true
}

// Due returns which of the thresholds crossed are still to be told. What was told stays told: a correction that lowers what
// was spent takes nothing back and arms nothing again, within one version of a budget and one period.
func Due(crossed, told []int) []int {
	var due []int
	for _, percent := range crossed {
		if !slices.Contains(told, percent) {
			due = append(due, percent)
		}
	}
	return due
}
