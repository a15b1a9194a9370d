package uitest

import (
	"net/http"
	"testing"
)

// stays marks the page as it is loaded now, and returns what is true as long as it was not loaded anew.
func (b *tab) stays() string {
	b.t.Helper()
	eval[bool](b, `(window.loadedOnce = true)`)
	return `window.loadedOnce === true`
}

func TestAnInstancesPageFollowsItWithoutBeingLoadedAnew(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	b := newTab(t, c, admin, screen{width: 1280})
	s := shell{b}
	act := func(id, verb string) { c.call(admin, http.MethodPost, "/instances/"+id+"/"+verb, struct{}{}, nil) }

	// One that waits, as another has what it wants.
	var offers struct {
		Offers []struct {
			Model string `json:"gpu_model"`
			Count int    `json:"gpu_count"`
		}
	}
	c.call(admin, http.MethodGet, "/offers", nil, &offers)
	model, most := "", 0
	for _, o := range offers.Offers {
		if o.Count > most {
			model, most = o.Model, o.Count
		}
	}
	var first, second instance
	rent := func(name string, in *instance) {
		c.call(admin, http.MethodPost, "/instances", map[string]any{"name": name, "gpu_model": model, "gpu_count": most, "kind": "on_demand", "queue": true, "command": "sleep 1; echo first words; sleep 600"}, in)
	}
	rent("first", &first)
	c.waitFor(first.ID, "running")
	rent("second", &second)
	b.visit("/instances/" + second.ID)
	once := b.stays()
	b.until("steps to the start", `document.querySelector(".steps")`)
	if b.has("[data-terminal], [data-chart], #extend") {
		t.Error("what waits has charts, a terminal, or an end to move")
	}

	act(first.ID, "stop")
	s.prompt()
	b.until("live figures", says("live"))
	b.until("charts", `document.querySelectorAll(".chart canvas").length === document.querySelectorAll("[data-chart]").length && document.querySelector(".chart canvas")`)
	b.until("no steps", `!document.querySelector(".steps")`)
	pid := s.pid()
	if !eval[bool](b, once+` && document.querySelector("#extend [name=hours]") !== null`) {
		t.Error("with the start the page was loaded anew, or its end can't be moved")
	}

	act(second.ID, "suspend")
	b.until("no terminal while it is suspended", `!document.querySelector("[data-terminal], .xterm")`)
	b.until("the way to resume", `document.querySelector('form[action$="/resume"]')`)
	b.click(`form[action$="/resume"] button`)
	b.until("the page after the form", `window.loadedOnce === undefined && document.readyState === "complete"`)
	once = b.stays()
	s.prompt()
	if now := s.pid(); now != pid {
		t.Errorf("after it was suspended the shell is %s, it was %s", now, pid)
	}
	b.fill("#extend [name=hours]", "7")
	b.click("a[data-dialog=stop]")
	b.until("an open dialog", `document.querySelector("dialog#stop:modal")`)
	eval[bool](b, `(document.body.dispatchEvent(new Event("refresh")), true)`)
	b.until("the answer to a refresh", `performance.getEntriesByType("resource").filter(e => e.name === location.href).length > 0`)
	b.frame()
	if !eval[bool](b, `document.querySelector("dialog#stop:modal") !== null && document.querySelector("#extend [name=hours]").value === "7"`) {
		t.Error("a refresh took away the question, or what was typed")
	}
	b.click("dialog#stop [data-close]")

	s.enter("echo last words")
	b.until("what was said", screenText+`.includes("last words")`)
	act(second.ID, "stop")
	b.until("the end of the live figures", says("ended"))
	b.until("the final bill", `document.querySelector("#about .head").innerText.includes("stopped")`)
	b.until("what it wrote", `document.querySelector("#log").innerText.includes("first words")`)
	if !eval[bool](b, once) {
		t.Error("the page was loaded anew")
	}
	if !eval[bool](b, screenText+`.includes("last words")`) {
		t.Error("the terminal's last screen is gone")
	}
	for _, f := range append(b.laidOut(), b.accessible()...) {
		t.Errorf("at the end: %s", f)
	}
}
