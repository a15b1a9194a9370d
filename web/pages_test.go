package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// fill gives a site something to show on every page.
func fill(t *testing.T, site *webtest.Site) (in store.Instance, run store.Benchmark) {
	t.Helper()
	ctx := context.Background()
	in = site.Running(t, site.Member, "training")
	site.Fleet.WriteLog(in.ID, "step 1\n\x1b[31mred\x1b[0m \xff\n")
	reading(site, 420)
	site.Clock.Advance(90 * time.Minute)
	_, err := site.Store.CreateBudget(ctx, site.Manager.ID, store.NewBudget{Name: "March", Scope: "team", TeamID: site.Team.ID, Period: "month", LimitMicros: 1_000_000, Action: "notify"})
	if err == nil {
		_, err = site.Store.CheckBudgets(ctx)
	}
	if err == nil {
		run, _, err = site.Store.CreateBenchmark(ctx, store.NewBenchmark{Suite: "stream", Backend: "cpu", Seed: 1, Seconds: 20, PersonID: site.Member.ID, Argv: func(string) []string { return []string{"/bin/true"} }})
	}
	if err == nil {
		err = site.Store.FinishBenchmark(ctx, run.ID, store.BenchmarkOutcome{Status: "done", Environment: map[string]string{"cpu": "some CPU"}, Results: []store.BenchmarkResult{
			{Test: "triad", Unit: "GB/s", Median: 21.5, P5: 21, P95: 22, CV: 0.01, N: 30, Stable: true}, {Test: "copy", Unit: "GB/s", Median: 20, P5: 15, P95: 22, CV: 0.2, N: 30, Reasons: []string{"spread"}}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return in, run
}

func TestEveryPageIsDrawnForEveryRoleInBothLanguages(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in, run := fill(t, site)
	paths := []string{"/", "/rent", "/instances", "/instances?status=live", "/instances?q=train", "/instances?status=failed", "/instances/" + in.ID, "/instances/" + in.ID + "?ask=stop", "/queue", "/fleet", "/bench", "/bench/" + run.ID, "/costs", "/costs?group=team",
		"/costs?group=label", "/costs?group=gpu_model", "/costs?group=instance", "/costs?month=2026-02", "/budgets", "/settings", "/rent/new", "/rent/new?plan=cpu-2"}
	for _, p := range []store.Person{site.Viewer, site.Member, site.Manager, site.Admin} {
		for _, language := range []string{"en", "zh"} {
			c := site.Browser(t, p)
			if a := c.Form("/settings/language", url.Values{"language": {language}}); a.Status != http.StatusSeeOther {
				t.Fatalf("language: %d", a.Status)
			}
			for _, path := range paths {
				want := http.StatusOK
				if strings.HasPrefix(path, "/rent/new") && p.ID == site.Viewer.ID {
					want = http.StatusForbidden
				}
				a := c.Get(path)
				if a.Status != want || !strings.Contains(a.Header.Get("Content-Type"), "text/html") || !strings.Contains(a.Body, `lang="`+map[string]string{"en": "en", "zh": "zh-Hans"}[language]+`"`) {
					t.Errorf("%s as %s in %s: %d %.300s", path, p.Name, language, a.Status, a.Body)
				}
			}
		}
	}
}

func TestPagesLeadToTheLoginAndBack(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c := site.Nobody(t)
	a := c.Get("/instances?status=live")
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/login?next=%2Finstances%3Fstatus%3Dlive" {
		t.Fatalf("%d %s", a.Status, a.Header.Get("Location"))
	}
	c.Get(a.Header.Get("Location"))
	a = c.Form("/login", url.Values{"email": {"member@example.org"}, "password": {site.Password}, "next": {"/instances?status=live"}})
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/instances?status=live" {
		t.Fatalf("%d %s %s", a.Status, a.Header.Get("Location"), a.Body)
	}
	if a := c.Get("/instances"); a.Status != http.StatusOK {
		t.Errorf("signed in: %d", a.Status)
	}
	if a := c.Form("/logout", nil); a.Status != http.StatusSeeOther {
		t.Errorf("sign out: %d %s", a.Status, a.Body)
	}
	if a := c.Get("/"); a.Status != http.StatusSeeOther {
		t.Errorf("signed out: %d", a.Status)
	}
}

func TestTheLoginLeadsToNoOtherSite(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	for _, next := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "javascript:alert(1)", "/\r\nX: y", "", "evil"} {
		c := site.Nobody(t)
		c.Get("/login")
		a := c.Form("/login", url.Values{"email": {"member@example.org"}, "password": {site.Password}, "next": {next}})
		if a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/" {
			t.Errorf("%q: %d %q", next, a.Status, a.Header.Get("Location"))
		}
	}
}

func TestAWrongPasswordSaysNothingOfWhoExistsAndIsSlowedDown(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c := site.Nobody(t)
	c.Get("/login")
	texts := map[string]bool{}
	for _, email := range []string{"member@example.org", "nobody@example.org"} {
		a := c.Form("/login", url.Values{"email": {email}, "password": {"wrong password"}})
		if a.Status != http.StatusUnprocessableEntity || strings.Contains(a.Body, "wrong password") {
			t.Errorf("%d", a.Status)
		}
		texts[strings.ReplaceAll(a.Body, email, "")] = true
	}
	if len(texts) != 1 {
		t.Error("the answers differ")
	}
	var a webtest.Answer
	for range 6 {
		a = c.Form("/login", url.Values{"email": {"member@example.org"}, "password": {"wrong password"}})
	}
	if a.Status != http.StatusTooManyRequests {
		t.Errorf("after seven tries: %d", a.Status)
	}
}

func TestASignInLinkWorksOnce(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	code, err := site.Store.LoginLink(t.Context(), site.Member.ID)
	if err != nil {
		t.Fatal(err)
	}
	if a := site.Nobody(t).Get("/login?code=" + code); a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/" {
		t.Errorf("%d", a.Status)
	}
	if a := site.Nobody(t).Get("/login?code=" + code); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("again: %d", a.Status)
	}
}

func TestTheFirstStartLeadsToTheSetupWhichWorksOnce(t *testing.T) {
	t.Parallel()
	site := webtest.StartEmpty(t)
	c := site.Nobody(t)
	for _, path := range []string{"/", "/login", "/rent"} {
		if a := c.Get(path); a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/setup" {
			t.Errorf("%s: %d %s", path, a.Status, a.Header.Get("Location"))
		}
	}
	code, err := site.Store.SetupCode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a := c.Get("/setup?code=" + code); a.Status != http.StatusOK || !strings.Contains(a.Body, code) {
		t.Errorf("%d", a.Status)
	}
	form := url.Values{"code": {"wrong"}, "name": {"ada"}, "email": {"ada@example.org"}, "password": {"correct horse battery"}, "team": {"research"}, "zone": {"Europe/Berlin"}, "currency": {"EUR"}}
	if a := c.Form("/setup", form); a.Status < 400 || a.Status >= 500 || !strings.Contains(a.Body, "ada@example.org") {
		t.Errorf("a wrong code: %d", a.Status)
	}
	form.Set("code", code)
	form.Set("zone", "Nowhere/At all")
	if a := c.Form("/setup", form); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("a wrong zone: %d", a.Status)
	}
	form.Set("zone", "Europe/Berlin")
	if a := c.Form("/setup", form); a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/" {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := c.Get("/"); a.Status != http.StatusOK {
		t.Errorf("signed in: %d", a.Status)
	}
	if a := site.Nobody(t).Get("/setup?code=" + code); a.Status != http.StatusSeeOther {
		t.Errorf("again: %d", a.Status)
	}
}

func TestAPageIsServedQuicklyAndSmall(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	a := site.Nobody(t).Get("/login", "Accept-Encoding", "gzip")
	if a.Header.Get("Content-Encoding") != "gzip" || len(a.Body) > 20_000 {
		t.Errorf("%d bytes, %v", len(a.Body), a.Header)
	}
	if a := site.Nobody(t).Get("/login", "Accept-Encoding", "gzip;q=0"); a.Header.Get("Content-Encoding") != "" {
		t.Errorf("%v", a.Header)
	}
}

func TestReadyIsOnlyWhoHasAdopted(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c := site.Nobody(t)
	site.Fleet.SetReady(false)
	if a := c.Get("/readyz"); a.Status != http.StatusServiceUnavailable {
		t.Errorf("%d", a.Status)
	}
	if a := c.Get("/healthz"); a.Status != http.StatusOK {
		t.Errorf("%d", a.Status)
	}
	site.Fleet.SetReady(true)
	if a := c.Get("/readyz"); a.Status != http.StatusOK {
		t.Errorf("%d", a.Status)
	}
}
