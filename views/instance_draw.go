package views

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/meterhouse/meterhouse/web/lang"
)

// startSteps are what an instance goes through until it runs.
var startSteps = []string{"queued", "image", "start", "health"}

// stepState marks what is done and what goes on.
func stepState(i int, step string) templ.Attributes {
	at := 0
	for j, s := range startSteps {
		if s == step {
			at = j
		}
	}
	switch {
	case i < at:
		return templ.Attributes{"class": "done"}
	case i == at:
		return templ.Attributes{"aria-current": "step"}
	}
	return nil
}

// instanceScripts are those of what the page has or may yet get: a terminal comes with the start, to whoever may enter.
func instanceScripts(v InstancePage) []string {
	switch {
	case instanceOver(v):
		return nil
	case v.CanStop:
		return []string{"live.js", "terminal.js"}
	}
	return []string{"live.js"}
}

// refreshed makes the head ask for the page anew, now and then and whenever something happened, and put what came into its
// places. An instance that is over has no live part: the last charts and the last screen stay until the page is left.
func refreshed(v InstancePage) templ.Attributes {
	pace := "every 20s"
	if v.Status == "reclaiming" {
		pace = "every 5s" // two minutes are all there is
	}
	a := polled(false, "/instances/"+id(v.ID), "#about", pace+", refresh from:body")
	a["data-hx-select-oob"] = "#live:outerMorph,#log:outerMorph,#aside:outerMorph,#what:outerMorph"
	return a
}

func instanceOver(v InstancePage) bool { return v.Status == "stopped" || v.Status == "failed" }

// hasCharts reports whether there is something to draw: before it runs an instance has neither readings nor costs.
func hasCharts(v InstancePage) bool {
	return !instanceOver(v) && v.Status != "queued" && v.Status != "starting"
}

func costLabel(v InstancePage) string {
	if instanceOver(v) {
		return v.T.CostTotal()
	}
	return v.T.CostHeading()
}

func endsNote(v InstancePage) string {
	why := v.T.EndsWhy(v.EndsWhy)
	if v.EndsAt.Sub(v.Now) < 12*time.Hour {
		return why
	}
	if why == "" {
		return v.Day(v.EndsAt)
	}
	return v.Day(v.EndsAt) + ", " + why
}

func actor(p Page, e Event) string {
	if e.You {
		return p.T.You()
	}
	return e.Actor
}

// eventArgs writes the times among what an event names in the site's zone.
func eventArgs(p Page, args map[string]string) map[string]string {
	shown := make(map[string]string, len(args))
	for name, text := range args {
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			text = p.Near(t, p.Now) + " " + p.ZoneAbbr(t)
		}
		shown[name] = text
	}
	return shown
}

// eventTime is to the second today, and with its day before.
func eventTime(p Page, t time.Time) string {
	if p.Date(t) == p.Date(p.Now) {
		return p.ClockSeconds(t)
	}
	return p.ShortDay(t) + " " + p.ClockSeconds(t)
}

// stopDialog opens the question in place, where the page does not ask already.
func stopDialog(v InstancePage) templ.Attributes {
	if v.Ask != "" {
		return nil
	}
	return templ.Attributes{"data-dialog": "stop"}
}

func limitClass(enforced bool) string {
	if enforced {
		return "good"
	}
	return "warn"
}

// limitDetail is what the machine itself says about a limit; it says it in English alone.
func limitDetail(t lang.T, l Limit) templ.Attributes {
	if l.Detail == "" || t != lang.English {
		return nil
	}
	return templ.Attributes{"title": l.Detail}
}

func connectCommands(v InstancePage) []string {
	commands := []string{"export METERHOUSE_URL=" + v.BaseURL}
	if v.CanTerminal {
		commands = append(commands, "meterhouse exec "+v.ID+" -- bash", "meterhouse logs -f "+v.ID)
	} else {
		commands = append(commands, "meterhouse logs "+v.ID)
	}
	if v.CanStop {
		commands = append(commands, "meterhouse stop "+v.ID)
	}
	return commands
}

func gpuValue(g InstanceGPU, metric string) Value {
	switch metric {
	case "utilization":
		return g.Utilization
	case "memory_used":
		return g.MemoryUsed
	}
	return g.Power
}

func gpuWrite(metric string) func(int64) string {
	switch metric {
	case "utilization":
		return Percent
	case "memory_used":
		return Bytes
	}
	return Watts
}

// memoryOf is what the memory chart is full at: the largest of the GPUs.
func memoryOf(gpus []InstanceGPU) string {
	most := int64(0)
	for _, g := range gpus {
		if g.MemoryTotal.Known {
			most = max(most, g.MemoryTotal.N)
		}
	}
	if most == 0 {
		return ""
	}
	return GiB(most)
}

func lastRead(gpus []InstanceGPU) time.Time {
	var last time.Time
	for _, g := range gpus {
		if g.ReadAt.After(last) {
			last = g.ReadAt
		}
	}
	return last
}

// dashes tells apart the GPUs that share a colour.
func dashes(i int) string {
	return []string{"none", "6 3", "2 2", "8 2 2 2"}[i/4%4]
}

// liveAttributes are what live.js needs: where to connect, how to write, and its words.
func liveAttributes(v InstancePage) templ.Attributes {
	if instanceOver(v) {
		return nil
	}
	a := liveWords(v.Page)
	a["data-live"] = "/live?instance=" + id(v.ID)
	a["data-status"] = v.Status
	a["data-memory-total"] = strconv.FormatInt(memoryTotal(v.GPUs), 10)
	return a
}

func memoryTotal(gpus []InstanceGPU) int64 {
	most := int64(0)
	for _, g := range gpus {
		if g.MemoryTotal.Known {
			most = max(most, g.MemoryTotal.N)
		}
	}
	return most
}

func liveWords(p Page) templ.Attributes {
	a := templ.Attributes{
		"data-zone": p.zone().String(), "data-sign": p.sign(), "data-lang": p.T.Tag(),
		"data-text-live": p.T.Live(), "data-text-old": p.T.LiveOld("{}"), "data-text-lost": p.T.LiveLost("{}"),
		"data-text-again": p.T.LiveAgain(), "data-text-ended": p.T.LiveEnded(), "data-text-now": p.T.Now(), "data-text-unknown": p.T.UnknownBecause(),
	}
	for i, why := range []string{"not_read", "not_supported", "no_permission", "lost", "driver_mismatch", "invalid"} {
		a["data-why-"+strconv.Itoa(i)] = p.T.Why(why)
	}
	return a
}

func terminalAttributes(v InstancePage) templ.Attributes {
	return templ.Attributes{
		"data-terminal": "/instances/" + id(v.ID) + "/terminal", "data-label": v.T.TerminalOf(v.Name),
		"data-text-open": v.T.TerminalNote(), "data-text-connecting": v.T.TerminalConnecting(), "data-text-again": v.T.TerminalAgain("{}"),
		"data-text-exit": v.T.TerminalExit(), "data-text-refused": v.T.TerminalRefused(), "data-text-loading": v.T.TerminalConnecting(),
	}
}
