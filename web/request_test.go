package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

var pageKey = regexp.MustCompile(`name="idempotency_key" value="([^"]+)"`)

// keyOf is the key that a page gave its forms.
func keyOf(t *testing.T, a webtest.Answer) string {
	t.Helper()
	m := pageKey.FindStringSubmatch(a.Body)
	if m == nil {
		t.Fatalf("no key: %d %.300s", a.Status, a.Body)
	}
	return m[1]
}

func TestAnAPIKeyUsedForAnotherBodyIsAConflict(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c := site.Program(t, site.Manager)
	budget := func(name string) map[string]any {
		return map[string]any{"name": name, "limit_micros": 1_000_000, "idempotency_key": "k"}
	}
	var first, second web.Budget
	if a := c.Call("POST", "/budgets", budget("b"), &first); a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := c.Do("POST", "/api/v1/budgets", strings.NewReader(` {"limit_micros":1000000,"idempotency_key":"k","name":"b"}`), "Content-Type", "application/json"); a.Status != http.StatusCreated || !strings.Contains(a.Body, first.ID) {
		t.Errorf("the same, written otherwise: %d %s", a.Status, a.Body)
	}
	if a := c.Call("POST", "/budgets", budget("other"), nil); a.Status != http.StatusConflict || !strings.Contains(a.Header.Get("Content-Type"), "problem") || !strings.Contains(a.Body, `"field":"idempotency_key"`) {
		t.Errorf("another body: %d %s", a.Status, a.Body)
	}
	if a := site.Program(t, site.Admin).Call("POST", "/budgets", budget("b"), &second); a.Status != http.StatusCreated || second.ID == first.ID {
		t.Errorf("another person: %d %s", a.Status, a.Body)
	}
	in := site.Running(t, site.Manager, "training")
	path := "/instances/" + in.ID + "/extend"
	extend := func(hours int, key string) webtest.Answer {
		return c.Call("POST", path, map[string]any{"hours": hours, "idempotency_key": key}, nil)
	}
	for range 2 {
		if a := extend(2, "e"); a.Status != http.StatusOK || instances(t, site)[0].EndsAt.Sub(site.Clock.Now()).Hours() != 2 {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	for _, key := range []string{"e", "k"} { // one of this address with another body, and one of another address
		if a := extend(3, key); a.Status != http.StatusConflict {
			t.Errorf("%s: %d %s", key, a.Status, a.Body)
		}
	}
}

func TestAFormSentTwiceHasOneEffectAndWithOtherContentAsks(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c := site.Browser(t, site.Manager)
	key := keyOf(t, c.Get("/budgets"))
	form := url.Values{"scope": {"team:" + site.Team.ID}, "name": {"b"}, "period": {"month"}, "limit": {"10"}, "thresholds": {"80"}, "action": {"notify"}, "idempotency_key": {key}}
	flows(t, c, c.Form("/budgets", form), "/budgets")
	flows(t, site.Browser(t, site.Manager), c.Form("/budgets", form), "/budgets")
	form.Set("name", "other")
	a := c.Form("/budgets", form)
	if a.Status != http.StatusConflict || !strings.Contains(a.Body, "send it once more") || !strings.Contains(a.Body, "other") {
		t.Fatalf("other content: %d %.500s", a.Status, a.Body)
	}
	form.Set("idempotency_key", keyOf(t, a))
	flows(t, c, c.Form("/budgets", form), "/budgets")
	if all, err := site.Store.Budgets(t.Context(), ""); err != nil || len(all) != 2 {
		t.Errorf("%d %v", len(all), err)
	}
}

func TestATokenIsShownOnceHoweverOftenItsFormIsSent(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c := site.Browser(t, site.Member)
	form := url.Values{"name": {"ci"}, "idempotency_key": {keyOf(t, c.Get("/settings"))}}
	c.Form("/settings/tokens", form) // the first of two clicks, whose answer nobody follows
	page := flows(t, c, c.Form("/settings/tokens", form), "/settings")
	if !strings.Contains(page.Body, "mh_") {
		t.Errorf("the token is to be shown after the second click")
	}
	a := c.Form("/settings/tokens", form)
	if a.Status != http.StatusConflict || strings.Contains(a.Body, "mh_") || !strings.Contains(a.Body, "shown once only") {
		t.Errorf("a third time: %d %.500s", a.Status, a.Body)
	}
	if all, err := site.Store.Tokens(t.Context(), site.Member.ID); err != nil || len(all) != 1 {
		t.Errorf("%d %v", len(all), err)
	}
}
