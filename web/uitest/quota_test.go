package uitest

import (
	"net/http"
	"testing"
)

func TestWhoIsRefusedByALimitAsksIsGrantedAndRents(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	member, manager := c.addPerson("trainee", "member", "research"), c.addPerson("boss", "manager", "research")
	names := []string{"trainee", "boss", "a deadline"}
	model, _ := c.largest(admin)
	names = append(names, model)
	for _, limit := range []map[string]any{{"kind": "gpus", "limit": 64_000}, {"kind": "rate", "limit": 90_000_000}, {"kind": "term", "limit": 360_000}} {
		c.call(admin, http.MethodPost, "/quotas", limit, nil)
	}

	m := newTab(t, c, manager, screen{width: 1280})
	m.visit("/quotas")
	who := eval[string](m, `[...document.querySelectorAll("[name=scope] option")].find(o => o.innerText.includes("trainee")).value`)
	m.choose("[name=scope]", who)
	m.choose("[name=kind]", "gpus")
	m.fill("[name=limit]", "0")
	m.send(`form[action="/quotas"] button.primary`)
	m.until("the limit", `document.querySelector("main").innerText.includes("trainee")`)

	b := newTab(t, c, member, screen{width: 1280})
	b.expect("403|422")
	b.visit("/rent/new?plan=" + c.planOf(model))
	b.send(`button[name=do][value=rent]`)
	b.until("whose limit and who can raise it", `document.querySelector("[role=alert]").innerText.includes("0 GPUs at once") && document.querySelector("[role=alert]").innerText.includes("boss")`)
	for _, found := range append(b.accessible(), b.laidOut()...) {
		t.Errorf("refused: %s", found)
	}
	if got := eval[string](b, `document.querySelector("#f-ask-limit").value`); got != "1" {
		t.Errorf("what was refused is not what is asked for: %q", got)
	}
	b.fill("#f-ask-hours", "4")
	b.fill("#f-ask-why", "a deadline")
	b.send(`form[action="/quotas/requests"] button`)
	b.arrive("/inbox")
	b.until("the own request", `document.querySelector("main").innerText.includes("waits for a decision")`)
	b.sweep("/inbox", names)
	b.visit("/quotas")
	b.clickTo(`a[href$="#ask"]`, "/quotas")
	b.sweep(b.path()+eval[string](b, `location.search`), names)
	c.sweep(t, true, []string{"/inbox", "/quotas"}, names)

	b.look(screen{lang: "en", width: 1280})

	m.visit("/")
	m.until("a count beside the inbox", `[...document.querySelectorAll(".nav a[href='/inbox']")].some(a => a.innerText.includes("1"))`)
	m.visit("/inbox")
	m.until("the request", `document.querySelector("main").innerText.includes("a deadline")`)
	m.send(`button[value=grant]`)
	m.until("that it was granted", `document.querySelector("main").innerText.includes("Granted to trainee")`)

	b.visit("/rent/new?plan=" + c.planOf(model))
	b.fill(`form[action="/rent/new"] [name=hours]`, "3") // the team has a longest term
	b.send(`button[name=do][value=rent]`)
	b.arrive("/instances/i-")
	b.visit("/quotas")
	b.until("what was granted and is used", `document.querySelector("main").innerText.includes("raised to 1")`)
	b.visit("/inbox")
	b.until("the answer as a notice", `document.querySelector("main").innerText.includes("granted by boss") && document.querySelector(".lines .chip")`)
	b.send(`form[action="/inbox/read"] button`)
	b.until("nothing unread", `!document.querySelector(".lines .chip")`)
	b.check("the whole way")
}

// planOf is the plan of one GPU of a model.
func (c *console) planOf(model string) string {
	c.t.Helper()
	var offers struct {
		Offers []struct {
			Plan  string
			Model string `json:"gpu_model"`
			Count int    `json:"gpu_count"`
		}
	}
	c.call(c.asAdmin(), http.MethodGet, "/offers", nil, &offers)
	for _, o := range offers.Offers {
		if o.Model == model && o.Count == 1 {
			return o.Plan
		}
	}
	c.t.Fatalf("no plan of one %s", model)
	return ""
}
