// Package meter folds an instance's segments into its bill. It imports store/life, store/money and store/spot,
// reads no clock and touches no database. The rule it keeps: time, not ticks, is the truth; amounts are the differences of one rounded
// running total, so that they never drift however often and wherever they are cut.
package meter

import (
	"time"

	"github.com/meterhouse/meterhouse/store/life"
)

// Minimum is the shortest time that is billed for what became healthy.
const Minimum = 60 * time.Second

// Segment is an interval [From, To) in which an instance was in one billable state at one rate.
type Segment struct {
	ID                int64
	State             life.State
	Billable          bool
	RateMicrosPerHour int64
	From              time.Time
	To                *time.Time // nil: open
}

// Terms are what a bill depends on besides its segments.
type Terms struct {
	RateMicrosPerHour int64      // locked when the instance was rented; the minimum's rate if it has no segment
	Storage           bool       // rates are for a StorageMonth, not for an hour, segments lie beside each other, and no minimum is billed
	StartedAt         *time.Time // became healthy; nil: never, and nothing is billed
	EndedAt           *time.Time // billing is over; nil: it goes on
	HostFault         bool       // ended by the host's fault
	ReclaimedAt       *time.Time // a spot instance was given notice then; nil: never
}

// Line is one line of a bill. The lines' amounts add up to the bill's total exactly.
type Line struct {
	State             life.State
	Billable          bool
	RateMicrosPerHour int64
	From, To          time.Time // To of an open line is the moment at which the bill was made
	Open              bool
	AmountMicros      int64 // the step of the rounded running total
	Minimum           bool  // what is missing to the minimum time, as of its end
	Waived            bool  // given back: the host's fault in the first minute, a reclaim in the first hour
}

// Bill is an instance's bill at one moment.
type Bill struct {
	Lines        []Line
	TotalMicros  int64
	BookedMicros int64 // what the ledger holds of it by now

	per int64 // the time that rates are for, in microseconds; 0: an hour
}
