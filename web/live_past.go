package web

import (
	"slices"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/meter"
	"github.com/meterhouse/meterhouse/store/money"
	"github.com/meterhouse/meterhouse/web/live"
)

func sortPoints(points []live.Point) {
	slices.SortFunc(points, func(a, b live.Point) int { return a.At.Compare(b.At) })
}

// microsecondsPerHour turns rate × microseconds into micro-units.
const microsecondsPerHour = int64(time.Hour / time.Microsecond)

// costAt is what an instance had cost at a moment: the bill's segments up to then, by the bill's own arithmetic. It is nil
// before the instance cost anything.
func costAt(b meter.Bill, at time.Time) *int64 {
	var sum money.Sum
	begun := false
	for _, l := range b.Lines {
		if !l.Billable || l.Minimum || l.Waived || !l.From.Before(at) {
			continue
		}
		to := l.To
		if at.Before(to) {
			to = at
		}
		begun = true
		sum = sum.Plus(money.Product(l.RateMicrosPerHour, to.Sub(l.From).Microseconds()))
	}
	if !begun {
		return nil
	}
	cost := sum.Over(microsecondsPerHour)
	return &cost
}

// gpuName is a GPU's name for show; its UUID is what it is called by.
func gpuName(g *store.GPU) string { return "GPU " + strconv.Itoa(g.Index) }
