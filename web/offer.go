package web

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/store"
)

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
