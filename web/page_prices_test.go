package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/web/webtest"
)

func TestAPriceIsTriedOnLastMonthsUseBeforeItIsPublished(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	invoiced(t, site)
	admin := site.Browser(t, site.Admin)
	if a := admin.Get("/admin/prices"); a.Status != http.StatusOK || !strings.Contains(a.Body, "a100-sxm4-80gb-x1") {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	form := url.Values{"price-a100-sxm4-80gb-x1": {"0.20"}, "price-cpu-2": {"0.05"}, "do": {"try"}}
	a := admin.Form("/admin/prices", form)
	for _, want := range []string{"$0.150000", "$0.300000", "+100", "1 price changed", `value="0.20"`} {
		if a.Status != http.StatusOK || !strings.Contains(a.Body, want) {
			t.Errorf("%d: %q is not in the trial", a.Status, want)
		}
	}
	price := func() (versions int, now int64) {
		t.Helper()
		all, err := site.Store.Prices(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			if p.Plan.ID == "a100-sxm4-80gb-x1" {
				v, _ := p.Holds(site.Clock.Now())
				return len(p.Versions), v.MicrosPerHour
			}
		}
		return 0, 0
	}
	if n, now := price(); n != 1 || now != 100_000 {
		t.Errorf("the trial published something: %d versions, %d", n, now)
	}
	form.Set("do", "publish")
	form.Set("starts", site.Clock.Now().AddDate(0, 0, 1).UTC().Format("2006-01-02T15:04"))
	form.Set("idempotency_key", "k")
	for range 2 { // sent twice it has one effect
		if a := admin.Form("/admin/prices", form); a.Status != http.StatusSeeOther {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	if n, now := price(); n != 2 || now != 100_000 {
		t.Errorf("%d versions, %d", n, now)
	}
	if a := admin.Get("/admin/prices"); !strings.Contains(a.Body, "0.2000 from") {
		t.Errorf("%s", a.Body)
	}
	site.Clock.Advance(24 * time.Hour)
	if _, now := price(); now != 200_000 {
		t.Errorf("then it is %d", now)
	}
	for field, bad := range map[string]string{"price-cpu-2": "x", "price-a100-sxm4-80gb-x1": "-1", "starts": "never", "do": "nothing new"} {
		wrong := url.Values{"price-cpu-2": {"0.06"}, "do": {"publish"}}
		if field == "do" {
			wrong = url.Values{"do": {"publish"}}
		} else {
			wrong.Set(field, bad)
		}
		if a := admin.Form("/admin/prices", wrong); a.Status != http.StatusUnprocessableEntity || field != "do" && !strings.Contains(a.Body, `href="#f-`+field+`"`) {
			t.Errorf("%s %q: %d", field, bad, a.Status)
		}
	}
}

func TestADiscountAndTermsThatAreSentTwiceHaveOneEffect(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	admin := site.Browser(t, site.Admin)
	for path, form := range map[string]url.Values{
		"discounts": {"team": {site.Team.ID}, "percent": {"12.5"}, "idempotency_key": {"k"}},
		"terms":     {"length-1": {"2"}, "unit-1": {"d"}, "percent-1": {"10"}, "idempotency_key": {"k"}},
	} {
		for range 2 {
			if a := admin.Form("/admin/prices/"+path, form); a.Status != http.StatusSeeOther {
				t.Fatalf("%s: %d %s", path, a.Status, a.Body)
			}
		}
	}
	discounts, err := site.Store.Discounts(t.Context())
	lists, err2 := site.Store.TermLists(t.Context())
	if err != nil || err2 != nil || len(discounts) != 1 || len(lists) != 2 {
		t.Errorf("%d discounts, %d lists of terms, %v %v", len(discounts), len(lists), err, err2)
	}
}

func TestDiscountsTermsAndTheLeastSpotPriceAreSetOnThePage(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	admin := site.Browser(t, site.Admin)
	for _, c := range []struct {
		path   string
		form   url.Values
		status int
		link   string
	}{
		{"discounts", url.Values{"team": {site.Team.ID}, "percent": {"12.5"}}, http.StatusSeeOther, ""},
		{"discounts", url.Values{"team": {site.Team.ID}, "percent": {"71"}}, http.StatusUnprocessableEntity, "f-discount-percent"},
		{"discounts", url.Values{"team": {site.Team.ID}, "percent": {"1.00001"}}, http.StatusUnprocessableEntity, "f-discount-percent"},
		{"discounts", url.Values{"percent": {"1"}}, http.StatusUnprocessableEntity, "f-discount-team"},
		{"terms", url.Values{"length-1": {"2"}, "unit-1": {"d"}, "percent-1": {"10"}, "length-2": {"1"}, "unit-2": {"m"}, "percent-2": {"70"}}, http.StatusSeeOther, ""},
		{"terms", url.Values{"length-1": {"2"}, "percent-1": {"70.5"}}, http.StatusUnprocessableEntity, "f-terms-terms"},
		{"terms", url.Values{"length-1": {"x"}, "percent-1": {"7"}}, http.StatusUnprocessableEntity, "f-terms-terms"},
		{"terms", url.Values{"length-1": {"2"}, "percent-1": {"7"}, "length-2": {"1"}, "percent-2": {"8"}}, http.StatusUnprocessableEntity, "f-terms-terms"},
		{"terms", url.Values{}, http.StatusUnprocessableEntity, "f-terms-terms"},
		{"spot", url.Values{"pool": {"a100-sxm4-80gb"}, "percent": {"25"}}, http.StatusSeeOther, ""},
		{"spot", url.Values{"pool": {"a100-sxm4-80gb"}, "percent": {"5"}}, http.StatusUnprocessableEntity, "f-spot-percent"},
	} {
		a := admin.Form("/admin/prices/"+c.path, c.form)
		if a.Status != c.status || c.link != "" && (!strings.Contains(a.Body, `href="#`+c.link+`"`) || !strings.Contains(a.Body, `id="`+c.link+`"`)) {
			t.Errorf("%s %v: %d", c.path, c.form, a.Status)
		}
	}
	page := admin.Get("/admin/prices").Body
	for _, want := range []string{"12.5\u00a0%", "70\u00a0%", "2 days", "25\u00a0%"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	in := site.Running(t, site.Member, "cheaper")
	if in.DiscountPPM != 125_000 || in.RateMicrosPerHour != 87_500 || in.ListMicrosPerHour != 100_000 {
		t.Errorf("%d of %d less %d", in.RateMicrosPerHour, in.ListMicrosPerHour, in.DiscountPPM)
	}
	member := site.Browser(t, site.Member)
	if page := member.Get("/rent/new?plan=a100-sxm4-80gb-x1").Body; !strings.Contains(page, "$0.0875") || !strings.Contains(page, "less your team&#39;s 12.5") {
		t.Error("the quote does not say what the team pays")
	}
	if page := member.Get("/rent").Body; !strings.Contains(page, "$0.0875") || !strings.Contains(page, "List price $0.1000 an hour, less your team&#39;s 12.5") {
		t.Error("the catalogue does not say what the team pays")
	}
	if page := member.Get("/instances/" + in.ID).Body; !strings.Contains(page, "less your team&#39;s 12.5") {
		t.Error("the bill does not say what its rate comes from")
	}
	if steps, err := site.Store.Terms(t.Context()); err != nil || len(steps) != 2 || steps[1].From.Months != 1 || steps[1].DiscountPPM != 700_000 {
		t.Errorf("%+v %v", steps, err)
	}
	if a := site.Browser(t, site.Manager).Form("/admin/prices/spot", url.Values{}); a.Status != http.StatusForbidden {
		t.Errorf("a manager: %d", a.Status)
	}
}
