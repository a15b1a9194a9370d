package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/meterhouse/meterhouse/web/webtest"
)

// carried reads what a page's form carries of a name.
func carried(t *testing.T, body, name string) string {
	t.Helper()
	found := regexp.MustCompile(`name="` + regexp.QuoteMeta(name) + `" value="([^"]*)"`).FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("no %s in the page", name)
	}
	return found[1]
}

// Of two who opened a form on the same prices, one is told of what the other changed, at the same moment or later, and
// publishes over it only after having seen it.
func TestNobodyUndoesUnseenWhatAnotherChangedOfThePrices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, seen, says string
		form             func(nth string) url.Values
	}{
		"a price": {"/admin/prices", "seen-cpu-2", "This price was changed since you opened the form", func(nth string) url.Values {
			return url.Values{"price-cpu-2": {"0.1" + nth}, "do": {"publish"}}
		}},
		"the terms": {"/admin/prices/terms", "seen", "The terms were changed since you opened the form", func(nth string) url.Values {
			return url.Values{"length-1": {"2"}, "unit-1": {"d"}, "percent-1": {"1" + nth}}
		}},
		"a discount": {"/admin/prices/discounts", "seen-discounts", "This discount was changed since you opened the form", func(nth string) url.Values {
			return url.Values{"pool": {"a100-sxm4-80gb"}, "percent": {"1" + nth}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := webtest.Start(t)
			admin := site.Browser(t, site.Admin)
			opened := carried(t, admin.Get("/admin/prices").Body, c.seen)
			var got [2]webtest.Answer
			var both sync.WaitGroup
			for k := range got {
				form := c.form([]string{"1", "2"}[k])
				form.Set(c.seen, opened)
				other := site.Browser(t, site.Admin)
				both.Go(func() { got[k] = other.Form(c.path, form) })
			}
			both.Wait()
			first, second := got[0], got[1]
			if first.Status != http.StatusSeeOther {
				first, second = second, first
			}
			if first.Status != http.StatusSeeOther || second.Status != http.StatusConflict || !strings.Contains(second.Body, c.says) {
				t.Fatalf("%d, %d", first.Status, second.Status)
			}
			form := c.form("3")
			form.Set(c.seen, opened)
			later := admin.Form(c.path, form)
			if later.Status != http.StatusConflict || !strings.Contains(later.Body, c.says) {
				t.Fatalf("later: %d", later.Status)
			}
			form.Set(c.seen, carried(t, later.Body, c.seen))
			if again := admin.Form(c.path, form); again.Status != http.StatusSeeOther {
				t.Errorf("after it was shown: %d", again.Status)
			}
		})
	}
}
