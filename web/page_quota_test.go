package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// limited gives the member a limit of no GPU.
func limited(t *testing.T, site *webtest.Site) store.Quota {
	t.Helper()
	q, err := site.Store.SetQuota(t.Context(), site.Admin.ID, store.NewQuota{TeamID: site.Member.TeamID, PersonID: site.Member.ID, Kind: "gpus", Limit: 0})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Refused, asked where it was refused, granted in the inbox, rented; a form that is sent again does nothing more.
func TestARefusalLeadsToARequestAndAGrant(t *testing.T) {
	t.Parallel()
	site := planSite{webtest.Start(t)}
	q := limited(t, site.Site)
	member, manager := site.Browser(t, site.Member), site.Browser(t, site.Manager)
	rent := url.Values{"plan": {site.plan(t)}, "gpu_count": {"1"}, "do": {"rent"}}
	a := member.Form("/rent/new", rent)
	if a.Status != http.StatusForbidden || !strings.Contains(a.Body, `action="/quotas/requests"`) || !strings.Contains(a.Body, "0 GPUs at once") || !strings.Contains(a.Body, site.Manager.Name) {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if again := member.Form("/rent/new", url.Values{"plan": {site.plan(t)}, "gpu_count": {"1"}, "do": {"quote"}}); !strings.Contains(again.Body, "0 GPUs at once") {
		t.Error("the price before the click does not say that it will be refused")
	}
	ask := url.Values{"quota": {q.ID}, "limit": {"x"}, "hours": {"8"}, "why": {"<b>a deadline</b>"}}
	if a = member.Form("/quotas/requests", ask); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, `href="#f-ask-limit"`) || !strings.Contains(a.Body, "&lt;b&gt;a deadline") {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	ask.Set("limit", "2")
	flows(t, member, member.Form("/quotas/requests", ask), "/inbox")
	if a = member.Form("/quotas/requests", ask); a.Status != http.StatusConflict {
		t.Errorf("asked twice: %d", a.Status)
	}
	site.Clock.Advance(time.Minute)
	inbox := manager.Get("/inbox").Body
	if !strings.Contains(inbox, "&lt;b&gt;a deadline") || !strings.Contains(inbox, site.Member.Name) {
		t.Fatalf("%s", inbox)
	}
	id := regexp.MustCompile(`/quotas/requests/([^/]+)/decide`).FindStringSubmatch(inbox)
	if id == nil {
		t.Fatal("nothing to decide")
	}
	decide := "/quotas/requests/" + id[1] + "/decide"
	if a = member.Form(decide, url.Values{"do": {"grant"}}); a.Status != http.StatusForbidden {
		t.Errorf("the member grants it: %d", a.Status)
	}
	if a = manager.Form(decide, url.Values{"do": {"refuse"}}); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, `href="#f-`+id[1]+`-reason"`) {
		t.Errorf("without a reason: %d %s", a.Status, a.Body)
	}
	flows(t, manager, manager.Form(decide, url.Values{"do": {"grant"}, "hours": {"2"}}), "/inbox")
	if a = manager.Form(decide, url.Values{"do": {"grant"}}); a.Status != http.StatusConflict {
		t.Errorf("granted twice: %d", a.Status)
	}
	if a = member.Form("/rent/new", rent); a.Status != http.StatusSeeOther {
		t.Errorf("granted: %d %s", a.Status, a.Body)
	}
	page := member.Get("/quotas").Body
	if !strings.Contains(page, "raised to 2") || strings.Contains(page, `action="/quotas"`) {
		t.Errorf("%s", page)
	}
	if inbox = member.Get("/inbox").Body; !strings.Contains(inbox, "granted by "+site.Manager.Name) || !strings.Contains(inbox, `action="/inbox/read"`) {
		t.Errorf("%s", inbox)
	}
	upTo := regexp.MustCompile(`name="up_to" value="([^"]+)"`).FindStringSubmatch(inbox)
	flows(t, member, member.Form("/inbox/read", url.Values{"up_to": {upTo[1]}}), "/inbox")
	if strings.Contains(member.Get("/inbox").Body, `action="/inbox/read"`) {
		t.Error("it is not read")
	}
}

func TestLimitsAreSetByWhoMay(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	manager, admin := site.Browser(t, site.Manager), site.Browser(t, site.Admin)
	of := func(p store.Person) url.Values {
		return url.Values{"scope": {"member:" + p.TeamID + ":" + p.ID}, "kind": {"gpus"}, "limit": {"1.5"}}
	}
	team := url.Values{"scope": {"team:" + site.Member.TeamID}, "kind": {"hours"}, "day": {"1", "5"}, "from": {"20"}, "to": {"6"}}
	for _, c := range []struct {
		who  *webtest.Client
		form url.Values
		want int
	}{
		{manager, of(site.Member), http.StatusSeeOther}, {manager, of(site.Manager), http.StatusForbidden}, {manager, team, http.StatusForbidden}, {admin, team, http.StatusSeeOther},
		{manager, url.Values{"scope": {"moon"}, "kind": {"gpus"}, "limit": {"1"}}, http.StatusUnprocessableEntity},
		{manager, url.Values{"scope": of(site.Member)["scope"], "kind": {"gpus"}, "limit": {"0.0001"}}, http.StatusUnprocessableEntity},
		{manager, url.Values{"scope": of(site.Member)["scope"], "kind": {"gpus"}, "limit": {"-1"}}, http.StatusUnprocessableEntity},
	} {
		if a := c.who.Form("/quotas", c.form); a.Status != c.want {
			t.Errorf("%v: %d, want %d", c.form, a.Status, c.want)
		}
	}
	page := admin.Get("/quotas").Body
	for _, want := range []string{"1.5", "Mon 20–24", "Fri 20–24", "Sat 0–6"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
	var list web.Quotas
	site.Program(t, site.Viewer).Call("GET", "/quotas", nil, &list)
	if len(list.Quotas) != 2 {
		t.Fatalf("%+v", list)
	}
	for _, q := range list.Quotas {
		flows(t, admin, admin.Form("/quotas/"+q.ID+"/delete", nil), "/quotas")
		flows(t, admin, admin.Form("/quotas/"+q.ID+"/delete", nil), "/quotas")
	}
}

func TestTheAPISaysWhichLimitIsInTheWay(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	q := limited(t, site)
	member, manager := site.Program(t, site.Member), site.Program(t, site.Manager)
	var p web.Problem
	a := member.Call("POST", "/instances", map[string]any{"gpu_count": 1}, nil)
	if err := json.Unmarshal([]byte(a.Body), &p); err != nil {
		t.Fatal(err)
	}
	if a.Status != http.StatusForbidden || p.Type != "urn:meterhouse:problem:quota" || p.Quota == nil || p.Quota.ID != q.ID || p.Quota.Would != 1000 || len(p.Quota.RaisedBy) == 0 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	ask := map[string]any{"quota_id": q.ID, "limit": 2000, "hours": 1, "why": "why", "idempotency_key": "once"}
	var r, again web.QuotaRequest
	if a := member.Call("POST", "/quotas/requests", ask, &r); a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if member.Call("POST", "/quotas/requests", ask, &again); again.ID != r.ID {
		t.Errorf("%+v", again)
	}
	var list web.QuotaRequests
	if manager.Call("GET", "/quotas/requests", nil, &list); len(list.QuotaRequests) != 1 {
		t.Errorf("%+v", list)
	}
	if a := manager.Call("POST", "/quotas/requests/"+r.ID+"/decide", map[string]any{"grant": true}, &r); a.Status != http.StatusOK || r.State != "granted" || r.Until == nil {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := member.Call("POST", "/instances", map[string]any{"gpu_count": 1}, nil); a.Status != http.StatusCreated {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}
