package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// booked is a reservation of the member's, hours from now.
func booked(t *testing.T, site *webtest.Site, count int, in, length time.Duration) store.Reservation {
	t.Helper()
	start := site.Clock.Now().Add(in)
	r, err := site.Store.Reserve(t.Context(), store.NewReservation{PersonID: site.Member.ID, Name: "sweep", GPUCount: count, GPUModel: site.GPUs[0].Model, Start: start, End: start.Add(length)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCancellingSaysItsFeeBeforeAndTakesNoOther(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	r := booked(t, site, 1, 25*time.Hour, 48*time.Hour)
	c := site.Browser(t, site.Member)
	path := "/reservations/" + r.ID
	if a := c.Get(path + "?ask=cancel"); !strings.Contains(a.Body, "Cancel sweep?") || !strings.Contains(a.Body, "It costs nothing now") {
		t.Errorf("%d", a.Status)
	}
	site.Clock.Advance(2 * time.Hour) // while the page was open it became dear
	if a := c.Form(path+"/cancel", url.Values{"expect": {"0"}}); a.Status != http.StatusSeeOther || a.Header.Get("Location") != path+"?ask=cancel" {
		t.Fatalf("%d %s", a.Status, a.Header.Get("Location"))
	}
	fee := expects(t, c.Get(path+"?ask=cancel"))
	page := flows(t, c, c.Form(path+"/cancel", url.Values{"expect": {fee}}), path)
	if !strings.Contains(page.Body, "sweep was given up") || fee != "1140000" { // half of 24 of its 48 hours, at 0.095
		t.Errorf("for %s: %d", fee, page.Status)
	}
	if got := reservations(t, site)[0]; got.State != store.ReservationCancelled || got.FeeMicros != 1_140_000 {
		t.Errorf("%+v", got)
	}
	if a := site.Browser(t, site.Stranger).Form(path+"/cancel", url.Values{}); a.Status != http.StatusNotFound {
		t.Errorf("a stranger: %d", a.Status)
	}
}

func TestExtendingShowsThePriceFirstAndHowFarItCanGo(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	r := booked(t, site, 1, 24*time.Hour, 12*time.Hour) // 3 March, 09:00 to 21:00
	next := booked(t, site, 4, 48*time.Hour, time.Hour)
	c := site.Browser(t, site.Member)
	path := "/reservations/" + r.ID
	form := url.Values{"end": {"2026-03-04T09:00"}, "do": {"extend"}}
	a := c.Form(path+"/extend", form)
	if got := reservations(t, site)[0]; a.Status != http.StatusOK || !got.End.Equal(r.End) || !strings.Contains(a.Body, "Nothing is booked yet") {
		t.Fatalf("%d, ends %v", a.Status, got.End)
	}
	form.Set("expect", expects(t, a))
	if page := flows(t, c, c.Form(path+"/extend", form), path); !strings.Contains(page.Body, "sweep goes on until") {
		t.Errorf("%d", page.Status)
	}
	form.Set("end", "2026-03-04T11:00")
	a = c.Form(path+"/extend", form)
	if a.Status != http.StatusConflict || !strings.Contains(a.Body, "/reservations/"+next.ID) || !strings.Contains(a.Body, "Reserve that") {
		t.Errorf("beyond the next one: %d", a.Status)
	}
	var longer web.Reservation
	program := site.Program(t, site.Member)
	if a := program.Call("POST", path+"/extend", map[string]any{"end": next.Start.Add(30 * time.Minute)}, nil); a.Status != http.StatusConflict || len(problemOf(t, a).Overlaps) != 1 || problemOf(t, a).Nearest == nil {
		t.Errorf("by the API: %d %s", a.Status, a.Body)
	}
	if a := program.Call("POST", "/reservations/"+next.ID+"/extend", map[string]any{"end": next.End.Add(time.Hour), "idempotency_key": "k"}, &longer); a.Status != http.StatusOK || len(longer.Parts) != 2 || !longer.End.Equal(next.End.Add(time.Hour)) {
		t.Errorf("%d %+v", a.Status, longer)
	}
}

func TestTheReservationsPageSaysHowWellItWasUsed(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	r := booked(t, site, 1, time.Hour, 24*time.Hour)
	c := site.Browser(t, site.Member)
	path := "/reservations/" + r.ID
	if a := c.Get(path); a.Status != http.StatusOK || !strings.Contains(a.Body, "it has not begun") || strings.Contains(a.Body, "Use it now") {
		t.Errorf("before: %d", a.Status)
	}
	site.Clock.Set(r.Start)
	in, _, err := site.Store.Rent(t.Context(), store.RentRequest{PersonID: site.Member.ID, Kind: store.Reserved, Name: "trial"})
	if err == nil {
		err = site.Store.MarkRunning(t.Context(), in.ID, site.Clock.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	site.Clock.Advance(3 * time.Hour)
	if _, err := site.Store.RequestStop(t.Context(), in.ID, site.Member.ID, ""); err != nil {
		t.Fatal(err)
	}
	site.Clock.Advance(time.Hour)
	a := c.Get(path)
	for _, want := range []string{"75\u00a0%", "100\u00a0%", "Use it now", "trial", "22\u00a0h\u00a048\u00a0m"} { // 95 % of the day's price
		if !strings.Contains(a.Body, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

// The hard end that the next reservation sets is said before the click, on both pages that lead there.
func TestTheHardEndThatAReservationSetsIsSaidBeforeTheClick(t *testing.T) {
	t.Parallel()
	site := planSite{webtest.Start(t)}
	c := site.Browser(t, site.Member)
	booked(t, site.Site, 4, 5*time.Hour, time.Hour) // at 14:00
	if a := c.Get("/rent"); !strings.Contains(a.Body, "until 14:00") {
		t.Errorf("/rent: %d", a.Status)
	}
	form := url.Values{"plan": {site.plan(t)}, "gpu_count": {"1"}, "do": {"quote"}}
	if a := c.Form("/rent/new", form); !strings.Contains(a.Body, ">14:00<") || !strings.Contains(a.Body, "reserved after that") {
		t.Errorf("/rent/new: %d", a.Status)
	}
	form.Set("hours", "6")
	if a := c.Form("/rent/new", form); !strings.Contains(a.Body, "reservations begin at 2 Mar 2026 14:00 UTC") {
		t.Errorf("for longer than that: %d", a.Status)
	}
	form.Set("hours", "2")
	form.Set("do", "rent")
	if a := c.Form("/rent/new", form); a.Status != http.StatusSeeOther {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

func TestUsingAReservationIsRentedAtNoFurtherCost(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	r := booked(t, site, 2, time.Hour, 3*time.Hour)
	c := site.Browser(t, site.Member)
	site.Clock.Set(r.Start)
	page := c.Get("/rent/new?reservation=" + r.ID)
	if page.Status != http.StatusOK || !strings.Contains(page.Body, "On the reservation sweep") || !strings.Contains(page.Body, "its reservation is over then") || !strings.Contains(page.Body, `name="gpu_count" value="2"`) && !strings.Contains(page.Body, `value="2"`) {
		t.Errorf("%d %s", page.Status, page.Body)
	}
	a := c.Form("/rent/new", url.Values{"reservation": {r.ID}, "plan": {r.PlanOfOne()}, "gpu_count": {"2"}, "name": {"on it"}, "do": {"rent"}})
	in, err := site.Store.Instance(t.Context(), strings.TrimPrefix(a.Header.Get("Location"), "/instances/"))
	if err != nil || a.Status != http.StatusSeeOther || in.ReservationID != r.ID || in.RateMicrosPerHour != 0 || in.EndsBecause != "reservation_ends" {
		t.Errorf("%d %+v", a.Status, in)
	}
	site.Clock.Set(r.End.Add(-15 * time.Minute))
	if _, err := site.Store.GiveNotices(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := c.Get("/instances/" + in.ID); !strings.Contains(a.Body, "its reservation is over then") || !strings.Contains(a.Body, "ends in 15 min, at 2 Mar 2026 13:00 UTC") {
		t.Error("the instance's page does not say when it ends and why")
	}
	if a := site.Browser(t, site.Stranger).Get("/rent/new?reservation=" + r.ID); a.Status != http.StatusNotFound {
		t.Errorf("a stranger: %d", a.Status)
	}
}
