package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/idle"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// TestEachSeesTheirOwnWasteTheManagerTheTeamsAndAnAdminAll is L19.
func TestEachSeesTheirOwnWasteTheManagerTheTeamsAndAnAdminAll(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "of-the-member")
	site.Running(t, site.Manager, "of-the-manager")
	site.Running(t, site.Stranger, "of-a-stranger")
	if err := site.Store.AddActivity(t.Context(), []store.Activity{{InstanceID: in.ID, At: site.Clock.Now().Truncate(idle.Span), Known: idle.Span}}); err != nil {
		t.Fatal(err)
	}
	site.Clock.Advance(time.Hour)
	for _, c := range []struct {
		person store.Person
		sees   string
	}{{site.Viewer, ""}, {site.Member, "of-the-member"}, {site.Manager, "of-the-member of-the-manager"}, {site.Admin, "of-the-member of-the-manager of-a-stranger"}} {
		a := site.Browser(t, c.person).Get("/costs/waste")
		for _, name := range []string{"of-the-member", "of-the-manager", "of-a-stranger"} {
			if a.Status != http.StatusOK || strings.Contains(a.Body, ">"+name+"<") != strings.Contains(c.sees, name) {
				t.Errorf("%s sees %s: %v (%d)", c.person.Name, name, !strings.Contains(c.sees, name), a.Status)
			}
		}
	}
	for path, want := range map[string]int{"?group=member&days=30": 200, "?group=workload": 200, "?group=x": 422, "?days=8": 422} {
		if a := site.Browser(t, site.Admin).Get("/costs/waste" + path); a.Status != want {
			t.Errorf("%s: %d, want %d", path, a.Status, want)
		}
	}
}
