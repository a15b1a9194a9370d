package uitest

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// nowAt is the figure of the utilization that the page shows, in per cent; -1 while it shows none.
const nowAt = `parseFloat(document.querySelector("[data-now=utilization]")?.innerText ?? "-1")`

// A loop takes what the machine has to give: on one that is busy with other things, that is little, but never what an idle
// instance shows.
const (
	idle = nowAt + ` < 2`
	load = nowAt + ` >= 4`
)

// says reports whether the page's live state begins as the page's own words for a state do: "live", "again", "ended".
func says(state string) string {
	return `[...document.querySelectorAll("[data-live-state]")].some(e => e.textContent.trim() === document.querySelector("[data-live]").dataset["text" + ` + quote(strings.ToUpper(state[:1])+state[1:]) + `].trim())`
}

// work puts load on the GPU from the terminal and sees the chart follow; a reload keeps the shell and what runs in it.
func (j *job) work() {
	j.t.Helper()
	s := shell{j.tab}
	j.pid = s.pid()
	j.until("live figures", says("live"))
	j.until("an idle GPU", idle)
	j.click(".xterm-screen")
	j.keys("sha256sum /dev/zero")
	began := time.Now()
	j.keys("\r")
	j.until("load on the chart", load)
	took := time.Since(began)
	j.t.Logf("from the command to the chart: %v (promised: %v)", took.Round(time.Millisecond), promisedChart)
	if took > heldChart {
		j.t.Errorf("the chart took %v", took)
	}
	j.see(".u-over, .chart canvas")
	cost := j.text("[data-live-cost]")
	j.until("a cost that grows", `document.querySelector("[data-live-cost]").innerText !== `+quote(cost))
	j.step("at work")

	j.visit("/instances/" + j.id)
	s.show()
	j.until("the screen as it was", screenText+`.includes("sha256sum /dev/zero")`)
	j.until("load after the reload", load)
	if s.atPrompt() {
		j.t.Error("after the reload the shell is at its prompt: the loop is gone")
	}
	j.step("after the reload")
}

// loseTheConsole kills the console while the terminal is open. The page says so, and all of it is there again afterwards.
func (j *job) loseTheConsole() {
	j.t.Helper()
	s := shell{j.tab}
	j.expect("WebSocket|ERR_CONNECTION|Failed to load|Failed to fetch|NetworkError")
	j.c.kill9()
	j.until("a page that says that it reconnects", says("again"))
	j.until("a terminal that says that it reconnects", `document.querySelector("[data-terminal-state]").textContent.trim() !== document.querySelector("[data-terminal]").dataset.textOpen.trim()`)
	j.c.start()
	j.untilWithin(2*patience, "live figures again", says("live"))
	j.untilWithin(2*patience, "a terminal again", `document.querySelector("[data-terminal-state]").textContent.trim() === document.querySelector("[data-terminal]").dataset.textOpen.trim()`)
	j.forget()
	j.until("load after the restart", load)
	if s.atPrompt() {
		j.t.Error("after the restart the shell is at its prompt: the loop is gone")
	}
	j.click(".xterm-screen")
	j.keys("c", chromedp.ModifierCtrl)
	s.prompt()
	if pid := s.pid(); pid != j.pid {
		j.t.Errorf("after the restart the shell is %s, it was %s", pid, j.pid)
	}
	j.checkBill()
	j.step("after the restart")
}

// checkBill holds the bill: its segments follow each other without gap or overlap and add up to the total, which is what is
// booked once the instance is over.
func (j *job) checkBill() bill {
	j.t.Helper()
	var b bill
	j.c.call(j.c.admin, http.MethodGet, "/instances/"+j.id+"/bill", nil, &b)
	sum := int64(0)
	for i, s := range b.Segments {
		sum += s.AmountMicros
		if i > 0 && !s.Minimum && !b.Segments[i-1].To.Equal(s.From) {
			j.t.Errorf("the bill has a gap or a double: %s ends %v, %s begins %v", b.Segments[i-1].State, b.Segments[i-1].To, s.State, s.From)
		}
	}
	if sum != b.TotalMicros || len(b.Segments) == 0 {
		j.t.Errorf("%d segments add up to %d, the total is %d", len(b.Segments), sum, b.TotalMicros)
	}
	return b
}

// benchmark runs a suite from the page and follows it to its result.
func (j *job) benchmark() {
	j.t.Helper()
	j.nav("/bench")
	j.choose("[name=suite]", "stream")
	j.fill("[name=seconds]", "8")
	j.step("benchmarks")
	j.clickTo(`form[action="/bench"] button`, "/bench/")
	run := strings.TrimPrefix(j.path(), "/bench/")
	j.until("progress", `document.querySelector("main [role=progressbar], main progress, main .bar") !== null || document.querySelectorAll("main table tbody tr").length > 1`)
	j.step("a running benchmark")
	var b struct {
		Status  string
		Results []struct{ Test string }
	}
	j.c.until("benchmark that is over", 3*time.Minute, func() bool {
		j.c.call(j.c.admin, http.MethodGet, "/benchmarks/"+run, nil, &b)
		return b.Status != "queued" && b.Status != "running"
	})
	if b.Status != "done" && b.Status != "unstable" {
		j.t.Errorf("the benchmark is %s", b.Status)
	}
	// The page comes to the result by itself.
	for _, r := range b.Results {
		j.until("the result of "+r.Test, `document.querySelector("main").innerText.includes(`+quote(r.Test)+`)`)
	}
	if len(b.Results) < 4 {
		j.t.Errorf("stream has %d results, want copy, scale, add and triad", len(b.Results))
	}
	j.step("a benchmark's result")
}

// micros reads an amount as a bill writes it, "1,234.567890".
func (j *job) micros(text string) int64 {
	j.t.Helper()
	whole, part, _ := strings.Cut(strings.NewReplacer(",", "", "$", "", "\u00a0", "", " ", "").Replace(strings.TrimSpace(text)), ".")
	n, err := strconv.ParseInt(whole+(part + "000000")[:6], 10, 64)
	if err != nil {
		j.t.Fatalf("%q is no amount", text)
	}
	return n
}
