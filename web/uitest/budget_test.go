package uitest

import (
	"net/http"
	"strings"
	"testing"
)

// usedUp makes a budget of next to nothing with an action, for a team in which something runs, and waits until it is used up.
func (c *console) usedUp(name, action string) {
	c.t.Helper()
	admin := c.asAdmin()
	c.call(admin, http.MethodPost, "/budgets", map[string]any{"scope": "team", "name": name, "period": "month", "limit_micros": 1, "action": action}, nil)
	c.until("used-up budget", patience, func() bool {
		var list struct {
			Budgets []struct {
				Name  string
				Spent int64 `json:"spent_micros"`
			}
		}
		c.call(admin, http.MethodGet, "/budgets", nil, &list)
		for _, b := range list.Budgets {
			if b.Name == name && b.Spent > 0 {
				return true
			}
		}
		return false
	})
}

// runs rents the cheapest plan and waits until it runs.
func (c *console) runs(name string) (id string) {
	c.t.Helper()
	var i instance
	c.call(c.asAdmin(), http.MethodPost, "/instances", map[string]any{"name": name, "plan": c.firstPlan(), "command": "sleep 600"}, &i)
	c.waitFor(i.ID, "running")
	return i.ID
}

func TestABudgetThatIsUsedUpSaysWhatItRefusesAndWhoCanRaiseIt(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	c.runs("spender")
	c.usedUp("thrift", "block")
	b := newTab(t, c, admin, screen{width: 1280})
	b.expect("402|422")
	says := func(where, text string) {
		t.Helper()
		for _, want := range []string{"thrift", "0.000001 USD", "Nothing new can be rented on it until", admin.name} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q: %s", where, want, text)
			}
		}
	}
	b.visit("/rent/new?plan=" + c.firstPlan())
	says("the page before the click", b.text("main"))
	b.fill("[name=name]", "too much")
	b.click("button[name=do][value=rent]")
	b.until("a refusal", `document.querySelector("[role=alert]")`)
	says("the refusal", b.text("[role=alert]"))
	if got := eval[string](b, `document.querySelector("[name=name]").value`); got != "too much" {
		t.Errorf("what was typed came back as %q", got)
	}
	for _, e := range append(b.accessible(), b.laidOut()...) {
		t.Errorf("refused: %s", e)
	}
	if status, body, err := c.tryCall(admin, http.MethodPost, "/instances", map[string]any{"name": "x", "plan": c.firstPlan()}); err != nil || status != http.StatusPaymentRequired || !strings.Contains(string(body), "thrift") {
		t.Errorf("the API: %d %s %v", status, body, err)
	}
	b.check("a budget that blocks")
}

func TestABudgetThatStopsCountsDownUntilItIsRaised(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	id := c.runs("spender")
	c.usedUp("thrift", "stop")
	b := newTab(t, c, c.asAdmin(), screen{width: 1280})
	b.visit("/budgets")
	const left = `document.querySelector("main time[data-until]")?.textContent`
	c.until("notice", patience, func() bool {
		b.visit("/instances/" + id)
		return eval[string](b, left+` ?? ""`) != ""
	})
	before := eval[string](b, left)
	b.until("the countdown moves", left+` !== `+quote(before))
	if !strings.Contains(b.text("main"), "thrift") {
		t.Error("the instance's page does not name the budget")
	}
	b.visit("/")
	if !strings.Contains(b.text("main"), "what runs on it is stopped at") {
		t.Error("the first page says nothing of it")
	}
	b.visit("/budgets")
	b.see("main time[data-until]")
	for _, e := range append(b.accessible(), b.laidOut()...) {
		t.Errorf("counting down: %s", e)
	}
	b.clickTo(`a[href^="/budgets?edit="]`, "/budgets")
	b.fill("[name=limit]", "1000")
	b.send(`#form form button`)
	b.until("no countdown", `document.readyState === "complete" && !document.querySelector("main time[data-until]")`)
	c.waitFor(id, "running")
	b.check("a budget that stops")
}
