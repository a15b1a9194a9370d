package uitest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAnotherTeamsInstanceDoesNotExist(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	mine := c.rent(c.asAdmin(), "mine", "sleep 600")
	stranger := c.addPerson("stranger", "manager", "operations")
	b := newTab(t, c, stranger, screen{width: 1280})
	b.expect("404")
	for _, path := range []string{"/instances/" + mine, "/instances/" + mine + "?ask=stop"} {
		if status := b.open(path); status != http.StatusNotFound {
			t.Errorf("%s answers %d to another team", path, status)
		}
		if text := b.text("body"); strings.Contains(text, "mine") {
			t.Errorf("%s shows another team's instance: %s", path, text)
		}
	}
	b.visit("/instances")
	if text := b.text("main"); strings.Contains(text, "mine") {
		t.Error("/instances shows another team's instance")
	}
}

// L14: another port of the same host is another origin of the same site: the browser sends the cookies along, and only the
// console's own check of the origin is in the way.
func TestAnotherOriginsPageReachesNothing(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	mine := c.rent(admin, "mine", "sleep 600")
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<!DOCTYPE html><html lang="en"><link rel="icon" href="data:,"><title>other</title>
			<form method="post" action="%s/instances/%s/stop"><input name="confirm" value="mine"><button>Win</button></form>`, c.url(""), mine)
	}))
	defer other.Close()
	b := newTab(t, c, admin, screen{width: 1280})
	b.expect("another host|403|WebSocket|CORS|Failed to load")
	elsewhere := *b
	elsewhere.c = &console{t: t, address: strings.TrimPrefix(other.URL, "http://")}
	for _, path := range []string{"/live?instance=" + mine, "/live?fleet=1", "/instances/" + mine + "/terminal?cols=80&rows=24"} {
		elsewhere.visit("/")
		answer := eval[string](b, `new Promise(r => {
			const s = new WebSocket("ws://`+c.address+path+`", `+quote(protocolOf(path))+`);
			s.onopen = () => r("opened");
			s.onerror = () => r("refused");
		})`)
		if answer != "refused" {
			t.Errorf("%s from another origin: %s", path, answer)
		}
	}
	elsewhere.visit("/")
	b.click("button")
	b.until("an answer of the console", `location.host === `+quote(c.address))
	var i instance
	c.call(admin, http.MethodGet, "/instances/"+mine, nil, &i)
	if i.Status != "running" && i.Status != "starting" {
		t.Errorf("another origin's form made the instance %s", i.Status)
	}
	// The same socket from the console's own page opens: it was the origin that was refused.
	b.visit("/instances")
	if answer := eval[string](b, `new Promise(r => {
		const s = new WebSocket("ws://`+c.address+`/live?fleet=1", "meterhouse.live.v1");
		s.onopen = () => { s.close(); r("opened") };
		s.onerror = () => r("refused");
	})`); answer != "opened" {
		t.Errorf("the console's own page: %s", answer)
	}
}

func protocolOf(path string) string {
	if strings.HasPrefix(path, "/live") {
		return "meterhouse.live.v1"
	}
	return "meterhouse.terminal.v1"
}

// rent rents one GPU of the first plan by the API and returns the instance's id.
func (c *console) rent(p *person, name, command string) string {
	c.t.Helper()
	var offers struct {
		Offers []struct {
			Model string `json:"gpu_model"`
			Free  int    `json:"free"`
		}
	}
	c.call(p, http.MethodGet, "/offers", nil, &offers)
	for _, o := range offers.Offers {
		if o.Model == "" || o.Free == 0 {
			continue
		}
		var i instance
		c.call(p, http.MethodPost, "/instances", map[string]any{"name": name, "gpu_model": o.Model, "gpu_count": 1,
			"kind": "on_demand", "command": command}, &i)
		c.waitFor(i.ID, "running")
		return i.ID
	}
	c.t.Fatal("no GPU is free")
	return ""
}
