package web

import (
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/money"
)

// costOf is what a rate costs over a time, by the bill's own arithmetic.
func costOf(rate int64, d time.Duration) int64 {
	return money.Product(rate, d.Microseconds()).Over(microsecondsPerHour)
}

// farAway is later than every period's end.
var farAway = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// runsOut is when a rest is used up at a rate.
func runsOut(left, rate int64, now time.Time) time.Time {
	if rate <= 0 {
		return farAway
	}
	micros := money.Product(max(left, 0), microsecondsPerHour).Over(rate)
	if micros > math.MaxInt64/int64(time.Microsecond) {
		return farAway
	}
	return now.Add(time.Duration(micros) * time.Microsecond)
}

func trimmed(f url.Values, field string) string { return strings.TrimSpace(f.Get(field)) }

func planNames(offers []store.Offer) string {
	names := make([]string, len(offers))
	for i, o := range offers {
		names[i] = o.Plan.ID
	}
	return strings.Join(names, ", ")
}

// countNames are the numbers of GPUs in which a plan's model is offered.
func countNames(offers []store.Offer, of store.Offer) string {
	var counts []string
	for _, o := range offers {
		if sameGPU(o, of) {
			counts = append(counts, strconv.Itoa(o.Plan.GPUCount))
		}
	}
	return strings.Join(counts, ", ")
}
