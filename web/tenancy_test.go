package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// belongings are one thing of each kind that belongs to a team or a person, by the beginning of their routes.
type belongings struct {
	instance, reservation, budget, quota, request, grant, bench, token, session, key, feed, entry string
}

// own gives a site's member, and their team, one thing of each kind.
func own(t *testing.T, site *webtest.Site) (b belongings) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, s := t.Context(), site.Store
	b.entry = fmt.Sprint(invoiced(t, site).ID)
	b.instance = site.Running(t, site.Member, "secret-work").ID
	start := site.Clock.Now().Add(48 * time.Hour)
	r, err := s.Reserve(ctx, store.NewReservation{PersonID: site.Member.ID, Name: "secret-booking", GPUCount: 1, GPUModel: site.GPUs[0].Model, Start: start, End: start.Add(5 * time.Hour)})
	must(err)
	b.reservation = r.ID
	budget, err := s.CreateBudget(ctx, site.Admin.ID, store.NewBudget{Name: "secret-budget", TeamID: site.Team.ID, LimitMicros: 1e9})
	must(err)
	b.budget = budget.ID
	for k := range 2 {
		q, err := s.SetQuota(ctx, site.Admin.ID, store.NewQuota{TeamID: site.Team.ID, PersonID: site.Member.ID, Kind: []store.QuotaKind{"gpus", "instances"}[k], Limit: 3000})
		must(err)
		asked, err := s.AskQuota(ctx, site.Member.ID, store.NewQuotaRequest{QuotaID: q.ID, Limit: 9000, Hours: 5, Why: "secret-reason"})
		must(err)
		if k == 0 {
			_, err = s.DecideQuota(ctx, site.Admin.ID, asked.ID, store.QuotaDecision{Grant: true})
			must(err)
			q, err = s.Quota(ctx, q.ID)
			must(err)
			b.grant = fmt.Sprint(q.Grants[0].ID)
		}
		b.quota, b.request = q.ID, asked.ID
	}
	browser, program := site.Browser(t, site.Member), site.Program(t, site.Member)
	var bench web.Benchmark
	if a := program.Call("POST", "/benchmarks", web.BenchmarkBody{Suite: "stream", Backend: "cpu"}, &bench); a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	b.bench = bench.ID
	browser.Form("/settings/keys", url.Values{"name": {"secret-key"}, "key": {"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl x"}})
	subscribes(t, site, site.Member)
	tokens, err := s.Tokens(ctx, site.Member.ID)
	must(err)
	sessions, err := s.Sessions(ctx, site.Member.ID)
	must(err)
	keys, err := s.SSHKeys(ctx, site.Member.ID)
	must(err)
	feeds, err := s.Feeds(ctx, site.Member.ID)
	must(err)
	b.token, b.session, b.key, b.feed = tokens[0].ID, sessions[0].ID, keys[0].ID, feeds[0].ID
	return b
}

// id is the thing that a route is about; "" where it is about nobody's.
func (b belongings) id(path string) string {
	path = strings.TrimPrefix(path, "/api/v1")
	for _, of := range []struct{ prefix, id string }{
		{"/instances/", b.instance}, {"/reservations/", b.reservation}, {"/budgets/", b.budget}, {"/quotas/requests/", b.request}, {"/quotas/grants/", b.grant}, {"/quotas/", b.quota},
		{"/bench/", b.bench}, {"/benchmarks/", b.bench}, {"/settings/tokens/", b.token}, {"/settings/sessions/", b.session}, {"/settings/keys/", b.key}, {"/calendar/feeds/", b.feed},
		{"/costs/ledger/", b.entry}, {"/ledger/", b.entry}, {"/costs/invoices/", "1"}, {"/invoices/", "1"},
	} {
		if strings.HasPrefix(path, of.prefix) {
			return of.id
		}
	}
	return ""
}

// said is what a program says that would change it.
func said(path string) string {
	switch {
	case strings.HasPrefix(path, "/api/v1/reservations/"):
		return `{"end":"2027-01-01T00:00:00Z"}`
	case strings.HasSuffix(path, "/decide"):
		return `{"grant":true}`
	case strings.HasPrefix(path, "/api/v1/budgets/"):
		return `{"name":"x","limit_micros":1}`
	}
	return "{}"
}

// state is what must not change.
func (b belongings) state(t *testing.T, site *webtest.Site) string {
	t.Helper()
	ctx, s := t.Context(), site.Store
	i, err1 := s.Instance(ctx, b.instance)
	r, err2 := s.Reservation(ctx, b.reservation)
	budget, err3 := s.Budget(ctx, b.budget)
	asked, err4 := s.QuotaRequest(ctx, b.request)
	quotas, err5 := s.Quotas(ctx, site.Team.ID)
	tokens, err6 := s.Tokens(ctx, site.Member.ID)
	sessions, err7 := s.Sessions(ctx, site.Member.ID)
	keys, err8 := s.SSHKeys(ctx, site.Member.ID)
	feeds, err9 := s.Feeds(ctx, site.Member.ID)
	sum, err10 := s.Usage(ctx, store.UsageQuery{GroupBy: "team", To: site.Clock.Now()})
	for _, err := range []error{err1, err2, err3, err4, err5, err6, err7, err8, err9, err10} {
		if err != nil {
			t.Error(err)
		}
	}
	return fmt.Sprint(i.State, i.EndsAt, r.State, r.End, budget.LimitMicros, budget.Name, asked.State, len(quotas), len(quotas[0].Grants), len(tokens), len(sessions), len(keys), len(feeds), sum)
}

// TestWhatIsAnothersIsNeitherSeenNorChanged walks every route about one thing as people whose it is not.
func TestWhatIsAnothersIsNeitherSeenNorChanged(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	b := own(t, site)
	add := func(name string, role store.Role, team string) store.Person {
		p, err := site.Store.AddPerson(t.Context(), store.NewPerson{Name: name, Email: name + "@example.org", Role: role, Team: team})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	outsider, colleague := add("outsider", store.Manager, "physics"), add("colleague", store.Member, site.Team.Name)
	before := b.state(t, site)
	for _, who := range []struct {
		name    string
		person  store.Person
		sees    bool
		highest store.Role
	}{{"another team's manager", outsider, false, store.Manager}, {"a colleague", colleague, true, store.Member}, {"a viewer of the team", site.Viewer, true, store.Viewer}} {
		program, browser := site.Program(t, who.person), site.Browser(t, who.person)
		for _, r := range web.Table() {
			id := b.id(r.Path)
			if !strings.Contains(r.Path, ":id") || id == "" || rank(r.Role) > rank(who.highest) {
				continue
			}
			path := strings.ReplaceAll(r.Path, ":id", id)
			reads := r.Method == http.MethodGet
			var a webtest.Answer
			switch {
			case r.API:
				a = program.Do(r.Method, path, strings.NewReader(said(r.Path)), "Content-Type", "application/json")
			case reads:
				a = browser.Get(path, "Origin", site.URL)
			default:
				a = browser.Form(path, url.Values{"do": {"grant"}, "confirm": {"secret-work"}, "expect": {"0"}, "name": {"x"}, "limit": {"1"}, "until-date": {"2027-01-01"}, "until-time": {"00:00"}, "scope": {"team:" + outsider.TeamID}})
			}
			// A form that deletes what is not there leads back to its page.
			if reads && !who.sees && a.Status != http.StatusNotFound || !reads && a.Status < http.StatusMultipleChoices || a.Status >= 500 {
				t.Errorf("%s %s as %s: %d %.300s", r.Method, r.Path, who.name, a.Status, a.Body)
			}
			if a.Status == http.StatusForbidden && !who.sees || !who.sees && strings.Contains(a.Body, "secret-") {
				t.Errorf("%s %s as %s tells of it: %d %.300s", r.Method, r.Path, who.name, a.Status, a.Body)
			}
			if after := b.state(t, site); after != before {
				t.Fatalf("%s %s as %s: was\n%s\nis\n%s", r.Method, r.Path, who.name, before, after)
			}
		}
		if who.sees {
			continue
		}
		for _, r := range web.Table() { // what lists
			if r.Method != http.MethodGet || strings.Contains(r.Path, ":id") || rank(r.Role) > rank(who.highest) || strings.Contains(r.Path, "*") {
				continue
			}
			asked := r.Path
			if r.Role != "" {
				asked += "?" + url.Values{"from": {"2026-01-01"}, "to": {"2026-12-31"}, "month": {"2026-03"}, "team": {site.Team.ID}, "person": {site.Member.ID}, "group_by": {"instance"}, "quota": {b.quota},
					"reservation": {b.reservation}, "edit": {b.budget}, "scope": {"member:" + site.Team.ID + ":" + site.Member.ID}}.Encode()
			}
			a := browser.Get(asked, "Origin", site.URL)
			if r.API {
				a = program.Do("GET", asked, nil)
			}
			for _, secret := range []string{"secret-", b.instance, b.budget, b.quota, b.request, b.bench, "training", site.Member.Name + "@"} {
				if strings.Contains(a.Body, secret) {
					t.Errorf("%s as %s tells %q: %d", asked, who.name, secret, a.Status)
				}
			}
		}
	}
}
