package web_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// flows follows a form's answer to the page it leads to.
func flows(t *testing.T, c *webtest.Client, a webtest.Answer, to string) webtest.Answer {
	t.Helper()
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != to {
		t.Fatalf("%d %q, want %q: %.500s", a.Status, a.Header.Get("Location"), to, a.Body)
	}
	return c.Get(to)
}

func TestRentingByFormShowsThePriceFirstAndSaysWhatWasDone(t *testing.T) {
	t.Parallel()
	site := planSite{webtest.Start(t)}
	c := site.Browser(t, site.Member)
	page := c.Get("/rent/new")
	key := regexp.MustCompile(`name="idempotency_key" value="([^"]+)"`).FindStringSubmatch(page.Body)
	if key == nil {
		t.Fatalf("no key in the form: %s", page.Body)
	}
	form := url.Values{"plan": {site.plan(t)}, "gpu_count": {"2"}, "name": {"two"}, "command": {"sleep 9"}, "hours": {"1.5"}, "labels": {"project=vision"}, "idempotency_key": {key[1]}, "do": {"quote"}}
	if a := c.Form("/rent/new", form); a.Status != http.StatusOK || count(t, site.Site) != 0 {
		t.Fatalf("quote: %d", a.Status)
	}
	form.Set("do", "rent")
	a := c.Form("/rent/new", form)
	in := instances(t, site.Site)[0]
	page = flows(t, c, a, "/instances/"+in.ID)
	if page.Status != http.StatusOK || !strings.Contains(page.Body, "two was rented") || strings.Contains(c.Get("/instances/"+in.ID).Body, "two was rented") {
		t.Error("what was done is to be said once")
	}
	if in.GPUCount != 2 || in.Labels["project"] != "vision" {
		t.Errorf("%+v", in)
	}
}

// planSite is a site of which a plan with one GPU is wanted.
type planSite struct{ *webtest.Site }

func (s planSite) plan(t *testing.T) string {
	t.Helper()
	offers, err := s.Store.Offers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range offers {
		if o.Plan.GPUCount == 1 {
			return o.Plan.ID
		}
	}
	t.Fatal("no plan with one GPU")
	return ""
}

func instances(t *testing.T, site *webtest.Site) []web.Instance {
	t.Helper()
	var list web.Instances
	site.Program(t, site.Admin).Call("GET", "/instances", nil, &list)
	return list.Instances
}

func TestStoppingByFormAsksForTheName(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "training")
	c := site.Browser(t, site.Member)
	if a := c.Form("/instances/"+in.ID+"/stop", url.Values{"confirm": {"other"}}); a.Status != http.StatusUnprocessableEntity {
		t.Fatalf("another name: %d", a.Status)
	}
	if got := instances(t, site)[0]; got.Status != "running" {
		t.Fatalf("stopped by another name: %s", got.Status)
	}
	for n := range 2 {
		a := c.Form("/instances/"+in.ID+"/stop", url.Values{"confirm": {"training"}})
		if page := flows(t, c, a, "/instances/"+in.ID); n == 0 && !strings.Contains(page.Body, "training") {
			t.Errorf("%s", page.Body)
		}
	}
	if got := instances(t, site)[0]; got.Status != "stopping" {
		t.Errorf("%s", got.Status)
	}
}

func TestSuspendingCanBeUndone(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "training")
	c := site.Browser(t, site.Member)
	for range 2 { // the second changes nothing
		page := flows(t, c, c.Form("/instances/"+in.ID+"/suspend", nil), "/instances/"+in.ID)
		if instances(t, site)[0].Status != "suspended" {
			t.Fatalf("%d %s", page.Status, instances(t, site)[0].Status)
		}
	}
	flows(t, c, c.Form("/instances/"+in.ID+"/resume", nil), "/instances/"+in.ID)
	if got := instances(t, site)[0]; got.Status != "running" {
		t.Errorf("%s", got.Status)
	}
	for range 2 {
		flows(t, c, c.Form("/instances/"+in.ID+"/extend", url.Values{"hours": {"2"}, "idempotency_key": {"page"}}), "/instances/"+in.ID)
	}
	if got := instances(t, site)[0]; got.EndsAt == nil || got.EndsAt.Sub(site.Clock.Now()).Hours() != 2 {
		t.Errorf("extended twice by one form: %v", got.EndsAt)
	}
	if a := c.Form("/instances/"+in.ID+"/extend", url.Values{"hours": {"soon"}}); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, "soon") {
		t.Errorf("%d", a.Status)
	}
}

func TestABudgetIsMadeChangedAndDeletedByForm(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c := site.Browser(t, site.Manager)
	form := url.Values{"scope": {"member:" + site.Team.ID + ":" + site.Member.ID}, "name": {"Mine"}, "period": {"month"}, "limit": {"1,250.50"}, "thresholds": {"80, 100"}, "action": {"block"}}
	page := flows(t, c, c.Form("/budgets", form), "/budgets")
	list := func() []web.Budget {
		var b web.Budgets
		site.Program(t, site.Viewer).Call("GET", "/budgets", nil, &b)
		return b.Budgets
	}
	b := list()[0]
	if !strings.Contains(page.Body, "Mine") || b.Scope != "member" || b.LimitMicros != 1_250_500_000 || b.Action != "block" || len(b.Thresholds) != 2 {
		t.Fatalf("%+v", b)
	}
	if page := c.Get("/budgets?edit=" + b.ID); !strings.Contains(page.Body, "1250.5") && !strings.Contains(page.Body, "1,250.5") {
		t.Errorf("the form does not hold the limit")
	}
	form.Set("limit", "2000")
	flows(t, c, c.Form("/budgets/"+b.ID, form), "/budgets")
	if b := list()[0]; b.LimitMicros != 2_000_000_000 {
		t.Errorf("%+v", b)
	}
	if a := site.Browser(t, site.Member).Form("/budgets/"+b.ID+"/delete", nil); a.Status != http.StatusForbidden {
		t.Errorf("a member deletes a budget: %d", a.Status)
	}
	for range 2 {
		flows(t, c, c.Form("/budgets/"+b.ID+"/delete", nil), "/budgets")
	}
	if len(list()) != 0 {
		t.Error("it is still there")
	}
}

// publicKey is an SSH key of the test's own.
func publicKey(t *testing.T) string {
	t.Helper()
	key, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	var b []byte
	for _, part := range [][]byte{[]byte("ssh-ed25519"), key} {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(part))), part...)
	}
	return "ssh-ed25519 " + base64.StdEncoding.EncodeToString(b) + " laptop"
}

func TestSettingsKeepKeysTokensAndSessions(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c := site.Browser(t, site.Member)
	page := flows(t, c, c.Form("/settings/tokens", url.Values{"name": {"ci"}}), "/settings")
	token := regexp.MustCompile(`mh_[A-Za-z0-9]{40}`).FindString(page.Body)
	if token == "" || strings.Contains(c.Get("/settings").Body, token) {
		t.Fatal("a new token is to be shown once")
	}
	program := site.Nobody(t)
	program.Headers.Set("Authorization", "Bearer "+token)
	if a := program.Call("GET", "/me", nil, nil); a.Status != http.StatusOK {
		t.Errorf("the token: %d", a.Status)
	}
	tokens, err := site.Store.Tokens(t.Context(), site.Member.ID)
	if err != nil {
		t.Fatal(err)
	}
	asks(t, site, c, "tokens", tokens[0].ID, "Revoke the token “ci”?")
	flows(t, c, c.Form("/settings/tokens/"+tokens[0].ID+"/delete", nil), "/settings")
	if a := program.Call("GET", "/me", nil, nil); a.Status != http.StatusUnauthorized {
		t.Errorf("the revoked token: %d", a.Status)
	}
	key := publicKey(t)
	flows(t, c, c.Form("/settings/keys", url.Values{"name": {"laptop"}, "key": {key}}), "/settings")
	if a := c.Form("/settings/keys", url.Values{"name": {"laptop"}, "key": {"no key"}}); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, "no key") {
		t.Errorf("no key: %d", a.Status)
	}
	keys, err := site.Store.SSHKeys(t.Context(), site.Member.ID)
	if err != nil || len(keys) != 1 {
		t.Fatalf("%v %v", keys, err)
	}
	asks(t, site, c, "keys", keys[0].ID, "Delete the key “laptop”?")
	flows(t, c, c.Form("/settings/keys/"+keys[0].ID+"/delete", nil), "/settings")
	if a := c.Form("/settings/profile", url.Values{"name": {"member"}, "email": {"nonsense"}}); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, "nonsense") {
		t.Errorf("no address: %d", a.Status)
	}
	flows(t, c, c.Form("/settings/profile", url.Values{"name": {"member"}, "email": {"new@example.org"}}), "/settings")
	sessions, err := site.Store.Sessions(t.Context(), site.Member.ID)
	if err != nil || len(sessions) != 1 {
		t.Fatalf("%v %v", sessions, err)
	}
	other := site.Browser(t, site.Member)
	asks(t, site, other, "sessions", sessions[0].ID, "Sign out of")
	flows(t, other, other.Form("/settings/sessions/"+sessions[0].ID+"/delete", nil), "/settings")
	if a := c.Get("/"); a.Status != http.StatusSeeOther {
		t.Errorf("an ended session: %d", a.Status)
	}
	if a := site.Browser(t, site.Member).Form("/settings/sessions/nope/delete", nil); a.Status != http.StatusSeeOther {
		t.Errorf("none such: %d", a.Status)
	}
}

// asks finds that a page's list only leads to a question, that it names the thing, and that its answer alone does it; others
// are asked nothing.
func asks(t *testing.T, site *webtest.Site, c *webtest.Client, kind, id, question string) {
	t.Helper()
	form := `action="/settings/` + kind + "/" + id + `/delete"`
	if list := c.Get("/settings").Body; strings.Contains(list, form) || !strings.Contains(list, `href="/settings?ask=`+id+`"`) {
		t.Errorf("%s: the list does it without a question", kind)
	}
	if page := c.Get("/settings?ask=" + id).Body; !strings.Contains(page, form) || !strings.Contains(page, question) {
		t.Errorf("%s: no question %q", kind, question)
	}
	if page := site.Browser(t, site.Stranger).Get("/settings?ask=" + id).Body; strings.Contains(page, form) {
		t.Errorf("%s: another person is asked", kind)
	}
}

func TestABenchmarkIsStartedAndCancelledByForm(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c := site.Browser(t, site.Member)
	form := url.Values{"suite": {"stream"}, "backend": {"cpu"}, "seconds": {"20"}, "idempotency_key": {"k1"}}
	first, second := c.Form("/bench", form), c.Form("/bench", form)
	if first.Status != http.StatusSeeOther || first.Header.Get("Location") != second.Header.Get("Location") {
		t.Fatalf("%d %s %s", first.Status, first.Header.Get("Location"), second.Header.Get("Location"))
	}
	path := first.Header.Get("Location")
	if a := c.Get(path); a.Status != http.StatusOK {
		t.Errorf("%d", a.Status)
	}
	for _, kind := range []string{".json", ".csv"} {
		if a := c.Get(path + kind); a.Status != http.StatusOK || !strings.Contains(a.Header.Get("Content-Disposition"), kind) {
			t.Errorf("%s: %d %v", kind, a.Status, a.Header)
		}
	}
	if a := site.Browser(t, site.Stranger).Form(path+"/cancel", nil); a.Status != http.StatusNotFound {
		t.Errorf("another team cancels: %d", a.Status)
	}
	flows(t, c, c.Form(path+"/cancel", nil), path)
	for _, bad := range []url.Values{{"suite": {"nope"}}, {"suite": {"stream"}, "size": {"-1"}}, {"suite": {"stream"}, "seconds": {"x"}}, {"suite": {"stream"}, "target": {"GPU-nope"}}} {
		if a := c.Form("/bench", bad); a.Status != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", bad, a.Status)
		}
	}
}

func TestTheLanguageFollowsThePersonElseTheBrowser(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c := site.Browser(t, site.Member)
	c.Headers.Set("Accept-Language", "en")
	flows(t, c, c.Form("/settings/language", url.Values{"language": {"zh"}}), "/settings")
	if a := c.Get("/rent"); !strings.Contains(a.Body, `lang="zh-Hans"`) {
		t.Error("the person's choice is not followed")
	}
	flows(t, c, c.Form("/settings/language", url.Values{"language": {""}}), "/settings")
	if a := c.Get("/rent"); !strings.Contains(a.Body, `lang="en"`) {
		t.Error("the browser is not followed")
	}
	if a := c.Form("/settings/language", url.Values{"language": {"tlh"}}); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("%d", a.Status)
	}
}
