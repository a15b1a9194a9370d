package views

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/meterhouse/meterhouse/web/lang"
)

func fleetAttributes(v FleetPage) templ.Attributes {
	a := liveWords(v.Page)
	a["data-live"] = "/live?fleet=1"
	return a
}

// gpuClass is the shape of the dot before a GPU's state.
func gpuClass(state string) string {
	switch state {
	case "free":
		return "open"
	case "rented":
		return "good"
	case "drain", "quarantined", "driver_mismatch", "kept":
		return "warn"
	case "fenced", "lost":
		return "bad"
	}
	return ""
}

func nodeParts(t lang.T, n FleetNode) string {
	parts := []string{}
	if n.CPUs > 0 {
		parts = append(parts, t.CPUs(n.CPUs))
	}
	if n.RAMBytes > 0 {
		parts = append(parts, t.RAM(Bytes(n.RAMBytes)))
	}
	if n.Driver == "simulated" {
		parts = append(parts, t.Simulated())
	} else if n.Driver != "" {
		parts = append(parts, t.Driver(n.Driver))
	}
	return strings.Join(parts, " · ")
}

// barWidth is a per mille as the width of a bar.
func barWidth(n int64) string { return strconv.FormatInt(min(max(n, 0), 1000), 10) }
