package web_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// zoned is a site in a zone.
func zoned(t *testing.T, zone string) planSite {
	t.Helper()
	site := planSite{webtest.Start(t)}
	if err := site.Store.UpdateSite(t.Context(), store.Site{TimeZone: zone}); err != nil {
		t.Fatal(err)
	}
	return site
}

var (
	expectField = regexp.MustCompile(`name="expect" value="(\d+)"`)
	nearestLink = regexp.MustCompile(`href="([^"]+)" data-nearest`)
)

// expects is the price that a page shows.
func expects(t *testing.T, a webtest.Answer) string {
	t.Helper()
	m := expectField.FindStringSubmatch(a.Body)
	if m == nil {
		t.Fatalf("no price in %d: %.3000s", a.Status, a.Body)
	}
	return m[1]
}

func reservations(t *testing.T, s *webtest.Site) []store.Reservation {
	t.Helper()
	all, err := s.Store.Reservations(t.Context(), store.ReservationFilter{})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestReservingByFormBooksAtThePriceThatWasSeenAlone(t *testing.T) {
	t.Parallel()
	site := zoned(t, "Europe/Berlin")
	c := site.Browser(t, site.Member)
	form := url.Values{"plan": {site.plan(t)}, "gpu_count": {"2"}, "start": {"2026-03-10T09:00"}, "end": {"2026-03-11T09:00"}, "name": {"night run"}, "do": {"reserve"}, "idempotency_key": {"k1"}}
	a := c.Form("/calendar", form) // pressed before the price was there
	if a.Status != http.StatusOK || len(reservations(t, site.Site)) != 0 || !strings.Contains(a.Body, "Nothing is booked yet") || !strings.Contains(a.Body, "5\u00a0%") {
		t.Fatalf("%d, %d booked", a.Status, len(reservations(t, site.Site)))
	}
	form.Set("expect", expects(t, a)+"0")
	if a := c.Form("/calendar", form); a.Status != http.StatusConflict || len(reservations(t, site.Site)) != 0 {
		t.Fatalf("another price: %d", a.Status)
	}
	form.Set("expect", expects(t, a))
	a = c.Form("/calendar", form)
	all := reservations(t, site.Site)
	if len(all) != 1 {
		t.Fatalf("%d: %.2000s", a.Status, a.Body)
	}
	page := flows(t, c, a, "/reservations/"+all[0].ID)
	if !strings.Contains(page.Body, "night run is reserved") || all[0].GPUCount != 2 || !all[0].Start.Equal(time.Date(2026, 3, 10, 8, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", all[0])
	}
	if a := c.Form("/calendar", form); a.Status != http.StatusSeeOther || len(reservations(t, site.Site)) != 1 {
		t.Errorf("sent again: %d, %d booked", a.Status, len(reservations(t, site.Site)))
	}
}

func TestAnOverlapNamesWhatIsInTheWayAndOneClickFillsInTheNearestTime(t *testing.T) {
	t.Parallel()
	site := zoned(t, "Europe/Berlin")
	c, other := site.Browser(t, site.Member), site.Browser(t, site.Stranger)
	form := url.Values{"plan": {site.plan(t)}, "gpu_count": {"4"}, "start": {"2026-03-10T09:00"}, "end": {"2026-03-10T17:00"}, "name": {"all of them"}, "do": {"reserve"}}
	form.Set("expect", expects(t, c.Form("/calendar", form)))
	if a := c.Form("/calendar", form); a.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	form.Set("gpu_count", "1")
	form.Set("start", "2026-03-10T15:00")
	for name, who := range map[string]*webtest.Client{"all of them": c, "reserved": other} {
		a := who.Form("/calendar", form)
		if a.Status != http.StatusConflict || !strings.Contains(a.Body, name) || (who == other) == strings.Contains(a.Body, "/reservations/r-") {
			t.Fatalf("%s: %d", name, a.Status)
		}
		m := nearestLink.FindStringSubmatch(a.Body)
		if m == nil {
			t.Fatalf("no nearest time: %s", a.Body)
		}
		link := html.UnescapeString(m[1])
		page := who.Get(link[:strings.IndexByte(link, '#')])
		filled := form
		filled.Set("start", "2026-03-10T17:00")
		filled.Set("end", "2026-03-10T19:00")
		for _, field := range []string{"start", "end"} {
			if !strings.Contains(page.Body, `value="`+filled.Get(field)+`"`) {
				t.Errorf("%s: the form does not begin with %s", name, filled.Get(field))
			}
		}
		expects(t, page)
		form.Set("start", "2026-03-10T15:00")
		form.Set("end", "2026-03-10T17:00")
	}
}

// M11: wall-clock times are the zone's at their date; the doubled hour is asked about, the missing one moved and said so.
func TestTheFormKeepsWallClockTimes(t *testing.T) {
	t.Parallel()
	site := zoned(t, "Europe/Berlin")
	c := site.Browser(t, site.Member)
	send := func(start, which, end string) (webtest.Answer, url.Values) {
		form := url.Values{"plan": {site.plan(t)}, "start": {start}, "start_which": {which}, "end": {end}, "do": {"quote"}}
		return c.Form("/calendar", form), form
	}
	book := func(start, which, end string) store.Reservation {
		a, form := send(start, which, end)
		form.Set("do", "reserve")
		form.Set("expect", expects(t, a))
		a = c.Form("/calendar", form)
		r, err := site.Store.Reservation(t.Context(), strings.TrimPrefix(a.Header.Get("Location"), "/reservations/"))
		if err != nil {
			t.Fatalf("%d: %v", a.Status, err)
		}
		return r
	}
	utc := func(r store.Reservation) string {
		return r.Start.Format("15:04") + "–" + r.End.Format("15:04")
	}
	if r := book("2026-03-28T09:00", "", "2026-03-30T09:00"); utc(r) != "08:00–07:00" || r.End.Sub(r.Start) != 47*time.Hour {
		t.Errorf("over the change: %s", utc(r))
	}
	if a, _ := send("2026-03-29T02:30", "", "2026-03-29T06:00"); !strings.Contains(a.Body, "jump over this start") {
		t.Error("a time that is missing is moved in silence")
	}
	if r := book("2026-03-29T02:30", "", "2026-03-29T06:00"); utc(r) != "01:30–04:00" {
		t.Errorf("the missing hour: %s", utc(r))
	}
	a, _ := send("2026-10-25T02:30", "", "2026-10-25T06:00")
	if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, `name="start_which"`) || !strings.Contains(a.Body, "CEST +02:00") || !strings.Contains(a.Body, "CET +01:00") {
		t.Errorf("the doubled hour is not asked about: %d", a.Status)
	}
	for which, want := range map[string]string{"1": "00:30–05:00", "2": "01:30–05:00"} {
		if r := book("2026-10-25T02:30", which, "2026-10-25T06:00"); utc(r) != want {
			t.Errorf("the %s of the two: %s, want %s", which, utc(r), want)
		}
	}
	if a, _ := send("tomorrow", "", ""); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, `href="#f-start"`) || !strings.Contains(a.Body, `href="#f-end"`) {
		t.Errorf("what is no time: %d", a.Status)
	}
}

// The worked months of MONEY.md, drawn: 743 and 745 hours, weeks of 167 and 169, each day as wide as it is long.
func TestDaysAreDrawnAsLongAsTheyAre(t *testing.T) {
	t.Parallel()
	widths := regexp.MustCompile(`<foreignObject x="([\d.]+)%" width="([\d.]+)%" height="24"><div class="day`)
	for _, c := range []struct {
		zone, query, day23 string
		days               int
	}{
		{"Europe/Berlin", "view=week&from=2026-03-25", "13.772", 7}, // 23 of 167
		{"Europe/Berlin", "view=week&from=2026-10-21", "14.793", 7}, // 25 of 169
		{"Europe/Berlin", "view=month&from=2026-03-05", "3.096", 31},
		{"Europe/Berlin", "view=month&from=2026-10-31", "3.356", 31},
		{"America/New_York", "view=week&from=2026-03-08", "13.772", 7},
		{"Australia/Lord_Howe", "view=week&from=2026-10-04", "14.030", 7}, // 23.5 of 167.5
		{"Asia/Kolkata", "view=week&from=2026-03-29", "14.286", 7},
	} {
		site := zoned(t, c.zone)
		a := site.Browser(t, site.Viewer).Get("/calendar?" + c.query)
		found := widths.FindAllStringSubmatch(a.Body, -1)
		odd := false
		for _, m := range found {
			odd = odd || m[2] == c.day23
		}
		if a.Status != http.StatusOK || len(found) != c.days || !odd {
			t.Errorf("%s %s: %d, %v", c.zone, c.query, a.Status, found)
		}
	}
}

func TestOthersThingsAreOnTheCalendarWithoutTheirNames(t *testing.T) {
	t.Parallel()
	site := zoned(t, "UTC")
	site.Running(t, site.Member, "secret work")
	start := site.Clock.Now().Add(24 * time.Hour)
	r, err := site.Store.Reserve(t.Context(), store.NewReservation{PersonID: site.Member.ID, Name: "secret plan", GPUCount: 2, GPUModel: site.GPUs[0].Model, Start: start, End: start.Add(24 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range []struct {
		person store.Person
		sees   bool
	}{{site.Member, true}, {site.Viewer, true}, {site.Admin, true}, {site.Stranger, false}} {
		c := site.Browser(t, who.person)
		page := c.Get("/calendar")
		for _, secret := range []string{"secret work", "secret plan", r.ID} {
			if strings.Contains(page.Body, secret) != who.sees {
				t.Errorf("%s sees %s: %v", who.person.Name, secret, !who.sees)
			}
		}
		if !who.sees && (!strings.Contains(page.Body, "reserved") || !strings.Contains(page.Body, "in use")) {
			t.Errorf("%s does not see that something is there", who.person.Name)
		}
		if a := c.Get("/reservations/" + r.ID); (a.Status == http.StatusOK) != who.sees {
			t.Errorf("%s: the reservation's page is %d", who.person.Name, a.Status)
		}
		if may := who.person.ID != site.Viewer.ID; strings.Contains(page.Body, `id="reserve"`) != may {
			t.Errorf("%s may reserve: %v", who.person.Name, !may)
		}
	}
}
