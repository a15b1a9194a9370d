package views

import (
	"strconv"
	"time"
)

// SpotPage is /rent/spot: what GPUs cost as spot, what they did cost, and how often they were reclaimed.
type SpotPage struct {
	Page
	From, To time.Time // of the charts
	Markets  []SpotMarket
}

// SpotMarket is one pool's. Parts are millionths of the price on demand.
type SpotMarket struct {
	ID, Model       string
	Simulated       bool
	FactorPPM       int64
	MinimumPPM      int64
	UsePPM          int64 // averaged
	PriceMicros     int64 // of one GPU an hour
	NextMove        time.Time
	Runs, Reclaims  int64 // of 30 days
	ReclaimsPerHour int64 // in millionths
	Prices          []SpotPrice
}

// SpotPrice is a factor that held from a moment on.
type SpotPrice struct {
	At        time.Time
	FactorPPM int64
}

// SpotFacts is what a spot instance's page says besides.
type SpotFacts struct {
	ListMicrosPerHour  int64 // of all its GPUs on demand, when it was rented
	SavedMicros        Value // unknown "not_started"
	Requeue            bool
	Run                int
	EarlierID, LaterID string
	NoticeAt           time.Time // zero: none was given
	ReclaimsAt         time.Time
	NeededBy           string // "on_demand", "reserved", "reservation"
	Free               bool   // the notice came in its first hour
	Signals            []SpotSignal
	Checkpoint         string // the command; "": none
	CheckpointState    string // "", "runs", "ended", "failed"
	CheckpointExit     string
	CheckpointDetail   string
}

// SpotSignal is a step of a reclaim.
type SpotSignal struct {
	Name string
	At   time.Time
	Sent bool
}

// percentPPM writes a part in millionths.
func percentPPM(ppm int64) string { return Percent((ppm + 500) / 1000) }

// perDay writes how often something happens in a day of running, from millionths an hour.
func perDay(perHourPPM int64) string {
	tenths := (perHourPPM*24*10 + 500_000) / 1_000_000
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10)
}

// spotScale places factors in a plot of 1000 × 100 whose top is the price on demand.
type spotScale struct{ from, to time.Time }

func (s spotScale) x(at time.Time) string {
	at = maxTime(at, s.from)
	return coordinate(1000 * float64(at.Sub(s.from)) / float64(max(s.to.Sub(s.from), 1)))
}

func (s spotScale) y(ppm int64) string { return coordinate(100 - float64(ppm)/10_000) }

// steps is the line of a price that holds until the next one.
func (s spotScale) steps(prices []SpotPrice) string {
	line := ""
	for k, p := range prices {
		if k > 0 {
			line += " H" + s.x(p.At) + " V" + s.y(p.FactorPPM)
			continue
		}
		line = "M" + s.x(p.At) + "," + s.y(p.FactorPPM)
	}
	if line != "" {
		line += " H" + s.x(s.to)
	}
	return line
}

// bounds are the lowest and the highest factor that is drawn.
func bounds(prices []SpotPrice) (low, high int64) {
	for k, p := range prices {
		if k == 0 {
			low = p.FactorPPM
		}
		low, high = min(low, p.FactorPPM), max(high, p.FactorPPM)
	}
	return low, high
}

func lowest(prices []SpotPrice) string  { low, _ := bounds(prices); return percentPPM(low) }
func highest(prices []SpotPrice) string { _, high := bounds(prices); return percentPPM(high) }

func maxTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
