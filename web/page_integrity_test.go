package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/web/webtest"
)

func TestAnAdminHasTheBooksChecked(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	invoiced(t, site)
	admin := site.Browser(t, site.Admin)
	sees := func(want ...string) {
		t.Helper()
		a := admin.Get("/costs/integrity")
		for _, w := range want {
			if a.Status != http.StatusOK || !strings.Contains(a.Body, w) {
				t.Errorf("%d: no %q in %s", a.Status, w, a.Body)
			}
		}
	}
	sees("Nothing was checked yet.")
	if a := admin.Form("/costs/integrity", url.Values{}); a.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	sees("waits to begin", "/costs/integrity/cancel", "every 2s")
	if a := admin.Form("/costs/integrity", url.Values{}); a.Status != http.StatusConflict {
		t.Errorf("a second one: %d", a.Status)
	}
	if n, err := site.Store.RunJobs(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d %v", n, err)
	}
	sees("all equal", "1 of instances, 0 of reservations")
	if a := site.Browser(t, site.Manager).Get("/costs/integrity"); a.Status != http.StatusForbidden {
		t.Errorf("a manager: %d", a.Status)
	}
}
