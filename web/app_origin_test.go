package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// ownOrigins gives apps origins of their own; the host of the console is one that no test reaches by its name.
func ownOrigins(c *web.Config) {
	c.BaseURL, c.AppsURL = "https://gpu.example.com", "https://*.apps.example"
}

// ask sends a request to a host that is the console's by another name.
func ask(t *testing.T, site *webtest.Site, method, host, path string, header ...string) webtest.Answer {
	t.Helper()
	at := "http://" + strings.TrimPrefix(site.Server.Addr().String(), "http://")
	r, err := http.NewRequestWithContext(t.Context(), method, at+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body := new(strings.Builder)
	if err := answer.Write(body); err != nil {
		t.Fatal(err)
	}
	return webtest.Answer{Status: answer.StatusCode, Header: answer.Header, Body: body.String()}
}

func TestAnAppWithAnOriginOfItsOwnIsEnteredByATicketThatWorksOnce(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t, ownOrigins)
	in := site.Running(t, site.Member, "notebook")
	if _, err := site.Store.SetPort(t.Context(), in.ID, site.Member.ID, appPort); err != nil {
		t.Fatal(err)
	}
	site.Fleet.Serve(t, in.ID, "8888", notebook())
	code, err := site.Store.LoginLink(t.Context(), site.Member.ID)
	if err != nil {
		t.Fatal(err)
	}
	session := ""
	for _, c := range ask(t, site, "GET", "gpu.example.com", "/login/link?code="+code).Header.Values("Set-Cookie") {
		if strings.HasPrefix(c, "__Host-meterhouse_session=") {
			session, _, _ = strings.Cut(c, ";")
		}
	}
	host := in.ID + ".apps.example"
	a := ask(t, site, "GET", "gpu.example.com", "/i/"+in.ID+"/lab?x=1", "Cookie", session)
	to, err := url.Parse(a.Header.Get("Location"))
	if err != nil || a.Status != http.StatusSeeOther || to.Host != host || to.Scheme != "https" {
		t.Fatalf("the door: %d %s", a.Status, to)
	}
	if a := ask(t, site, "GET", "i-other-0000.apps.example", to.RequestURI()); a.Header.Get("Set-Cookie") != "" {
		t.Error("the ticket of another instance's app works")
	}
	a = ask(t, site, "GET", host, to.RequestURI())
	cookie, rest, _ := strings.Cut(a.Header.Get("Set-Cookie"), ";")
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/lab?x=1" || !strings.HasPrefix(cookie, "__Host-meterhouse_app=") || !strings.Contains(rest, "HttpOnly") || !strings.Contains(rest, "Secure") || strings.Contains(rest, "Domain") {
		t.Fatalf("entering: %d %v", a.Status, a.Header)
	}
	if a := ask(t, site, "GET", host, to.RequestURI()); a.Header.Get("Set-Cookie") != "" || !strings.HasPrefix(a.Header.Get("Location"), "https://gpu.example.com/i/"+in.ID+"/lab") {
		t.Errorf("the ticket worked twice: %d %v", a.Status, a.Header)
	}

	a = ask(t, site, "GET", host, "/lab?x=1", "Cookie", cookie+"; own=1")
	for _, want := range []string{"GET /lab?x=1 host=localhost:8888", "Cookie: own=1\r\n", "X-Forwarded-Proto: https", "X-Forwarded-Host: " + host} {
		if !strings.Contains(a.Body, want) {
			t.Errorf("no %q in %s", want, a.Body)
		}
	}
	if a.Header.Get("Content-Security-Policy") != "" || strings.Contains(a.Body, "X-Forwarded-Prefix") {
		t.Errorf("its own origin has no sandbox: %v", a.Header)
	}
	q := url.Values{"cookie": {"_xsrf=1; Path=/", "b=2; Domain=apps.example; Path=/", "__Host-meterhouse_app=stolen; Path=/; Secure"}}
	if got := strings.Join(ask(t, site, "GET", host, "/?"+q.Encode(), "Cookie", cookie).Header.Values("Set-Cookie"), "|"); got != "_xsrf=1; Path=/|b=2; Path=/" {
		t.Errorf("cookies %s", got)
	}
	if a := ask(t, site, "GET", host, "/away?to=/lab", "Cookie", cookie); a.Header.Get("Location") != "/lab" {
		t.Errorf("%v", a.Header)
	}

	for name, c := range map[string]struct {
		method, cookie string
		header         []string
		want           int
	}{
		"no visit":                          {"GET", "", nil, 401},
		"no visit, a page":                  {"GET", "", []string{"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 303},
		"the console's session is no visit": {"GET", session, nil, 401},
		"another instance's page posts":     {"POST", cookie, []string{"Origin", "https://i-other-0000.apps.example", "Sec-Fetch-Site", "same-site"}, 403},
		"another instance's page asks":      {"GET", cookie, []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors"}, 403},
		"another instance's page frames it": {"GET", cookie, []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		"a link elsewhere":                  {"GET", cookie, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		"its own page posts":                {"POST", cookie, []string{"Origin", "https://" + host, "Sec-Fetch-Site", "same-origin"}, 200},
		"a post from nowhere":               {"POST", cookie, nil, 403},
		"a socket from nowhere":             {"GET", cookie, []string{"Connection", "Upgrade", "Upgrade", "websocket"}, 403},
	} {
		if a := ask(t, site, c.method, host, "/", append(c.header, "Cookie", c.cookie)...); a.Status != c.want {
			t.Errorf("%s: %d, want %d", name, a.Status, c.want)
		}
	}
	if a := ask(t, site, "GET", "i-other-0000.apps.example", "/", "Cookie", cookie); a.Status != http.StatusUnauthorized {
		t.Errorf("another instance's app with this one's visit: %d", a.Status)
	}
	for _, to := range []string{"//evil.example", `/\evil.example`, "https://evil.example"} {
		if a := ask(t, site, "GET", host, "/.meterhouse/enter?ticket=x&to="+url.QueryEscape(to)); a.Header.Get("Location") != "https://gpu.example.com/i/"+in.ID+"/" {
			t.Errorf("%s leads to %s", to, a.Header.Get("Location"))
		}
	}
	if a := ask(t, site, "GET", host, "/settings", "Cookie", session); strings.Contains(a.Body, "<html") {
		t.Error("the console's pages are found at an app's origin")
	}
}

func TestAppsOriginsThatCanNotBeMeantAreRefused(t *testing.T) {
	t.Parallel()
	site := webtest.StartEmpty(t)
	for _, wrong := range [][2]string{{"", "https://*.apps.example"}, {"https://gpu.example.com", "https://apps.example"}, {"https://gpu.example.com", "ftp://*.apps.example"}, {"https://gpu.example.com", "https://*.apps.example/x"},
		{"https://gpu.example.com", "https://*."}, {"https://gpu.example.com", "https://*.example.com"}} {
		if _, err := web.New(web.Config{Store: site.Store, Fleet: site.Fleet, Now: site.Clock.Now, BaseURL: wrong[0], AppsURL: wrong[1]}); err == nil {
			t.Errorf("%v was taken", wrong)
		}
	}
}
