package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

func TestAFormOfAnotherPageIsRefused(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	browser := site.Browser(t, site.Member)
	form := url.Values{"plan": {"cpu-2"}, "do": {"rent"}}
	other := strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	for name, header := range map[string][]string{
		"another site":         {"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
		"another port":         {"Origin", "http://127.0.0.1:1", "Sec-Fetch-Site", "same-site"},
		"another name":         {"Origin", other, "Sec-Fetch-Site", "same-site"},
		"an opaque origin":     {"Origin", "null", "Sec-Fetch-Site", "same-origin"},
		"no origin at all":     {"Origin", "", "Sec-Fetch-Site", ""},
		"only the site header": {"Origin", site.URL, "Sec-Fetch-Site", "same-site"},
	} {
		if a := browser.Form("/rent/new", form, header...); a.Status != http.StatusForbidden || strings.Contains(a.Body, "Ask a manager") || !strings.Contains(a.Body, "Open the console at its own address") {
			t.Errorf("%s: %d, or it says what to do in two ways", name, a.Status)
		}
	}
	for name, token := range map[string]string{"no token": "", "another token": "x", "another session's": site.Browser(t, site.Member).CSRF} {
		if a := browser.Form("/rent/new", url.Values{"plan": {"cpu-2"}, "csrf": {token}}); a.Status != http.StatusForbidden {
			t.Errorf("%s: %d", name, a.Status)
		}
	}
	if n := count(t, site); n != 0 {
		t.Errorf("%d instances came of foreign forms", n)
	}
	if a := browser.Form("/rent/new", form); a.Status != http.StatusSeeOther {
		t.Errorf("the own form: %d %s", a.Status, a.Body)
	}
}

func TestTheAPITakesASessionOnlyWithItsFormToken(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	browser := site.Browser(t, site.Member)
	if a := browser.Call("GET", "/me", nil, nil); a.Status != http.StatusOK {
		t.Errorf("reading: %d", a.Status)
	}
	if a := browser.Call("POST", "/instances", `{"gpu_count":1}`, nil); a.Status != http.StatusForbidden {
		t.Errorf("without token and origin: %d", a.Status)
	}
	if a := browser.Do("POST", "/api/v1/instances", strings.NewReader(`{"gpu_count":1}`), "Content-Type", "application/json", "Origin", site.URL, "X-CSRF-Token", browser.CSRF); a.Status != http.StatusCreated {
		t.Errorf("with both: %d %s", a.Status, a.Body)
	}
}

func TestAFormSentTwiceHasOneEffect(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	browser := site.Browser(t, site.Manager)
	var to []string
	for range 3 {
		a := browser.Form("/rent/new", url.Values{"plan": {"cpu-2"}, "do": {"rent"}, "idempotency_key": {"abc"}})
		to = append(to, a.Header.Get("Location"))
	}
	if n := count(t, site); n != 1 || to[0] != to[2] {
		t.Errorf("%d instances, %v", n, to)
	}
	for range 3 {
		browser.Form("/budgets", url.Values{"scope": {"team:" + site.Team.ID}, "name": {"March"}, "period": {"month"}, "limit": {"100"}, "action": {"notify"}, "thresholds": {"80, 100"}, "idempotency_key": {"abc"}})
	}
	var budgets web.Budgets
	if site.Program(t, site.Viewer).Call("GET", "/budgets", nil, &budgets); len(budgets.Budgets) != 1 || budgets.Budgets[0].LimitMicros != 100_000_000 {
		t.Errorf("%+v", budgets)
	}
}

func TestEveryAnswerCarriesTheSecurityHeaders(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c := site.Browser(t, site.Member)
	for _, path := range []string{"/", "/login", "/healthz", "/no/such/page", "/api/v1/offers", "/api/v1/nope", "/static/nope.js"} {
		h := c.Get(path).Header
		policy := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") == "" ||
			h.Get("Permissions-Policy") == "" || h.Get("Cross-Origin-Opener-Policy") == "" || h.Get("Cross-Origin-Resource-Policy") == "" {
			t.Errorf("%s: %v", path, h)
		}
	}
}

func TestCookiesAreOutOfReachOfScriptsAndOtherSites(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		base, prefix string
		secure       bool
	}{{"", "", false}, {"https://gpu.example.com", "__Host-", true}} {
		site := webtest.Start(t, func(c *web.Config) { c.BaseURL = test.base })
		code, err := site.Store.LoginLink(t.Context(), site.Member.ID)
		if err != nil {
			t.Fatal(err)
		}
		c := site.Nobody(t)
		site.URL = "http://" + site.Server.Addr().String()
		a := c.Get("/login?code=" + code)
		set := a.Header.Get("Set-Cookie")
		if !strings.HasPrefix(set, test.prefix+"meterhouse_session=") || !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Lax") || strings.Contains(set, "Secure") != test.secure || !strings.Contains(set, "Path=/") {
			t.Errorf("%d %q", a.Status, set)
		}
		if (a.Header.Get("Strict-Transport-Security") != "") != test.secure {
			t.Errorf("HSTS with %q: %q", test.base, a.Header.Get("Strict-Transport-Security"))
		}
	}
}
