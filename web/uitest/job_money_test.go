package uitest

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// budget sets a limit that is nearly reached, kills the console again and again, and finds one mail a threshold.
func (j *job) budget() {
	j.t.Helper()
	var i instance
	j.c.call(j.c.admin, http.MethodGet, "/instances/"+j.id, nil, &i)
	var used struct {
		TotalMicros int64 `json:"total_micros"`
	}
	j.c.call(j.c.admin, http.MethodGet, "/usage", nil, &used)
	// 90 % is spent once the form is sent; the rest takes eight seconds, in which the console dies four times.
	limit := max(used.TotalMicros, i.CostMicros) * 10 / 9
	if rest := i.RateMicros * 8 / 3600; limit/10 < rest {
		limit = used.TotalMicros + rest
	}
	j.nav("/budgets")
	j.fill("[name=name]", "small")
	j.fill("[name=limit]", fmt.Sprintf("%d.%06d", limit/1_000_000, limit%1_000_000))
	j.fill("[name=thresholds]", "80, 100")
	j.step("budgets")
	j.send(`form[action="/budgets"] button`)
	j.until("the new budget", `document.readyState === "complete" && [...document.querySelectorAll("main table, main ul, main section")].some(e => e.innerText.includes("small"))`)
	j.step("a new budget")

	j.expect("WebSocket|ERR_CONNECTION|Failed to load|Failed to fetch|NetworkError")
	for range 4 {
		time.Sleep(700 * time.Millisecond)
		j.c.kill9()
		j.c.start()
	}
	j.c.until("mails of both thresholds", 60*time.Second, func() bool { return len(j.budgetMails()) >= 2 })
	j.c.kill9()
	j.c.start()
	// What was sent twice would be here soon: the outbox looks every few seconds.
	time.Sleep(4 * time.Second)
	mails := j.budgetMails()
	if mails["80"] != 1 || mails["100"] != 1 || len(mails) != 2 {
		j.t.Errorf("budget mails by threshold: %v, want one of 80 and one of 100", mails)
	}
	j.forget()
	j.visit("/budgets")
	j.until("the thresholds on the page", `/80.%/.test(document.querySelector("main").innerText) && /100.%/.test(document.querySelector("main").innerText)`)
	j.step("a budget that is gone")
}

var percent = regexp.MustCompile(`(\d+)[\s\x{a0}\x{202f}]*%`)

// budgetMails counts the mails of the budget by the threshold in their subject, and checks each.
func (j *job) budgetMails() map[string]int {
	j.t.Helper()
	count := map[string]int{}
	for _, m := range j.mail.Mails() {
		p := percent.FindStringSubmatch(m.Subject)
		if p == nil || !strings.Contains(m.Subject+m.Text, "small") {
			continue
		}
		count[p[1]]++
		if strings.TrimSpace(m.Text) == "" || !strings.Contains(m.HTML, "<html") {
			j.t.Errorf("the mail %q lacks a part", m.Subject)
		}
		if len(m.To) != 1 || m.To[0].Address != "ada@example.com" {
			j.t.Errorf("the mail %q went to %v", m.Subject, m.To)
		}
	}
	return count
}

// stop asks for the instance by its name before it is gone, and reads the bill.
func (j *job) stop() {
	j.t.Helper()
	j.nav("/instances")
	j.step("instances")
	j.clickTo(`main a[href="/instances/`+j.id+`"]`, "/instances/"+j.id)
	j.click("a[data-dialog=stop]")
	j.see("dialog#stop")
	if text := j.text("dialog#stop"); !strings.Contains(text, j.name) {
		j.t.Errorf("the dialog does not name the instance: %s", text)
	}
	j.step("the dialog")
	j.click("dialog#stop button.primary")
	j.c.waitFor(j.id, "stopped")
	j.visit("/instances/" + j.id)
	b := j.checkBill()
	if b.BookedMicros != b.TotalMicros {
		j.t.Errorf("the bill is %d, booked are %d", b.TotalMicros, b.BookedMicros)
	}
	shown := int64(0)
	lines := eval[[]string](j.tab, `[...document.querySelectorAll(".ledger tbody td.num")].map(e => e.innerText)`)
	for _, line := range lines {
		shown += j.micros(line)
	}
	if total := j.micros(j.text(".ledger tfoot td.num")); total != b.TotalMicros || shown != total {
		j.t.Errorf("the page's bill is %d, its %d lines add up to %d, the API's is %d", total, len(lines), shown, b.TotalMicros)
	}
	j.step("the bill")
}

// costs finds what was spent on the page of costs.
func (j *job) costs() {
	j.t.Helper()
	j.nav("/costs")
	j.visit("/costs?group=instance")
	if text := j.text("main"); !strings.Contains(text, j.name) {
		j.t.Errorf("the costs do not name the instance: %s", text)
	}
	j.step("costs")
}
