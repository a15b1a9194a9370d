package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/idle"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// idled is a site with an instance that was told when it is stopped for being idle.
func idled(t *testing.T) (*webtest.Site, store.Instance, store.Mail) {
	t.Helper()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "training")
	if err := site.Store.SetIdle(t.Context(), site.Admin.ID, idle.Settings{On: true, Mail: 30 * time.Minute, Stop: 90 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		at := site.Clock.Now().Truncate(idle.Span)
		site.Clock.Advance(idle.Span)
		if err := site.Store.AddActivity(t.Context(), []store.Activity{{InstanceID: in.ID, At: at, Known: idle.Span}}); err != nil {
			t.Fatal(err)
		}
		if _, err := site.Store.TendIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	due, err := site.Store.DueMail(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range due {
		if m.Template == "idle_warning" {
			return site, in, m
		}
	}
	t.Fatal("nobody was told")
	return nil, in, store.Mail{}
}

// TestPageMailAndAPIStateTheOneStopTimeAndWhy is L9, and looking at all of them keeps nothing (L8).
func TestPageMailAndAPIStateTheOneStopTimeAndWhy(t *testing.T) {
	t.Parallel()
	site, in, m := idled(t)
	page := site.Browser(t, site.Member).Get("/instances/" + in.ID).Body
	var out web.Instance
	if err := json.Unmarshal([]byte(site.Program(t, site.Member).Get("/api/v1/instances/"+in.ID).Body), &out); err != nil {
		t.Fatal(err)
	}
	if out.Idle == nil || out.Idle.StopsAt == nil || out.Idle.StopsAt.Format(time.RFC3339) != m.Data["at"] {
		t.Errorf("the API says %+v, the mail %v", out.Idle, m.Data)
	}
	if !strings.Contains(page, `datetime="`+m.Data["at"]) || !strings.Contains(page, "Idle since") || !strings.Contains(page, "/instances/"+in.ID+"/keep") {
		t.Error("the page does not say it")
	}
	if told, err := site.Store.InstanceIdle(t.Context(), in.ID); err != nil || told.StopsAt == nil {
		t.Errorf("looking kept it: %+v %v", told, err)
	}
	if other := site.Program(t, site.Stranger).Do("POST", "/api/v1/instances/"+in.ID+"/keep", nil); other.Status != http.StatusNotFound {
		t.Errorf("another team: %d", other.Status)
	}
	c := site.Browser(t, site.Member)
	flows(t, c, c.Form("/instances/"+in.ID+"/keep", url.Values{}), "/instances/"+in.ID)
	if told, err := site.Store.InstanceIdle(t.Context(), in.ID); err != nil || told.StopsAt != nil || told.KeptUntil == nil {
		t.Errorf("kept: %+v %v", told, err)
	}
	for range 2 {
		a := site.Program(t, site.Member).Do("POST", "/api/v1/instances/"+in.ID+"/keep", nil)
		if a.Status != http.StatusOK || !strings.Contains(a.Body, `"kept_until":"2026`) {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
}

func TestTheLinkOfTheMailAsksBeforeItKeeps(t *testing.T) {
	t.Parallel()
	site, in, m := idled(t)
	c := site.Nobody(t)
	a := c.Get("/keep/" + m.Data["keep"])
	if told, err := site.Store.InstanceIdle(t.Context(), in.ID); a.Status != http.StatusOK || err != nil || told.KeptUntil != nil {
		t.Fatalf("%d, %+v %v", a.Status, told, err)
	}
	for range 2 {
		if a := c.Form("/keep/"+m.Data["keep"], url.Values{}); a.Status != http.StatusOK || !strings.Contains(a.Body, "is kept until") {
			t.Errorf("%d %.400s", a.Status, a.Body)
		}
	}
	if told, err := site.Store.InstanceIdle(t.Context(), in.ID); err != nil || told.KeptUntil == nil || told.StopsAt != nil {
		t.Errorf("%+v %v", told, err)
	}
	if a := c.Get("/keep/1.2.3"); a.Status != http.StatusNotFound {
		t.Errorf("a wrong link: %d", a.Status)
	}
}

func TestAnAdminTriesAndSetsWhatIsDoneWithWhatIsIdle(t *testing.T) {
	t.Parallel()
	site, in, _ := idled(t)
	c := site.Browser(t, site.Admin)
	if a := c.Get("/admin/idle"); a.Status != http.StatusOK || !strings.Contains(a.Body, "On, set by admin") {
		t.Errorf("%d %.300s", a.Status, a.Body)
	}
	if a := c.Form("/admin/idle", url.Values{"mail": {"1"}, "stop": {"1.5"}, "minimum": {"0"}}); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, "at least an hour after") {
		t.Errorf("%d", a.Status)
	}
	if a := c.Form("/admin/idle", url.Values{"mail": {"2"}, "stop": {"4"}, "do": {"try"}}); a.Status != http.StatusOK {
		t.Errorf("try: %d", a.Status)
	}
	flows(t, c, c.Form("/admin/idle", url.Values{"mail": {"2"}, "stop": {"4"}, "minimum": {"8"}}), "/admin/idle")
	set, err := site.Store.IdleSetting(t.Context())
	if err != nil || set.On || set.Mail != 2*time.Hour || set.Stop != 4*time.Hour || set.Minimum != 8*time.Hour {
		t.Errorf("%+v %v", set, err)
	}
	if _, err := site.Store.TendIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if told, err := site.Store.InstanceIdle(t.Context(), in.ID); err != nil || told.StopsAt != nil {
		t.Errorf("switched off, and still told: %+v %v", told, err)
	}
}
