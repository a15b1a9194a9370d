package views

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/meterhouse/meterhouse/web/lang"
)

// barClass is the colour of a bar: what is nearly spent warns.
func barClass(permille int64) string {
	switch {
	case permille >= 1000:
		return "bad"
	case permille >= 800:
		return "warn"
	}
	return ""
}

// statusClass is the shape of the dot before a status; the word always stands beside it.
func statusClass(status string) string {
	switch status {
	case "running", "done", "up":
		return "good"
	case "queued":
		return "open"
	case "starting", "stopping":
		return "busy"
	case "suspended":
		return "half"
	case "unreachable", "reclaiming", "unstable":
		return "warn"
	case "failed", "wrong":
		return "bad"
	}
	return ""
}

// breakable cuts a command where a narrow page may best break it: before an address.
func breakable(text string) []string {
	if before, after, found := strings.Cut(text, "=http"); found {
		return []string{before + "=", "http" + after}
	}
	return []string{text}
}

// gpuText is the GPUs of an instance, "2 × A100-SXM4-80GB".
func gpuText(r InstanceRow) string {
	if r.GPUCount == 1 {
		return r.GPUModel
	}
	return strconv.Itoa(r.GPUCount) + nbsp + "×" + nbsp + r.GPUModel
}

// link is a local address with a query of pairs of names and values; what is empty is left out.
func link(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// id is a path segment for what a person or a program named.
func id(s string) string { return url.PathEscape(s) }

// offerParts is what goes with a GPU: its memory, cores and main memory.
func offerParts(t lang.T, o Offer) string {
	parts := []string{}
	if o.Model != "" && o.MemoryBytes > 0 {
		parts = append(parts, Bytes(o.MemoryBytes))
	}
	if o.CPUs > 0 {
		parts = append(parts, t.CPUs(o.CPUs))
	}
	if o.RAMBytes > 0 {
		parts = append(parts, t.RAM(Bytes(o.RAMBytes)))
	}
	return strings.Join(parts, " · ")
}

// teraflops writes GFLOPS as TFLOPS, gigabytes MB/s as GB/s.
func teraflops(gflops int64) string { return Quantity(float64(gflops)/1000, "TFLOPS") }
func gigabytes(mb int64) string     { return Quantity(float64(mb)/1000, "GB/s") }

// polled keeps a part of a page current. A later page of a list stays as it is: what it shows is past.
func polled(paged bool, address, part, every string) templ.Attributes {
	if paged {
		return nil
	}
	return templ.Attributes{
		"data-hx-get": address, "data-hx-trigger": every, "data-hx-select": part, "data-hx-target": "this", "data-hx-swap": "outerMorph",
	}
}
