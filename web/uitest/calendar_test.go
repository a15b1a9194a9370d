package uitest

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// reservation is one as the API describes it.
type reservation struct {
	ID, Status string
	Start, End time.Time
	FeeMicros  int64 `json:"fee_micros"`
}

// book reserves by the API and returns the reservation's id.
func (c *console) book(p *person, name string, gpus int, start time.Time, length time.Duration) string {
	c.t.Helper()
	var offers struct {
		Offers []struct {
			Model string `json:"gpu_model"`
			Count int    `json:"gpu_count"`
		}
	}
	c.call(p, http.MethodGet, "/offers", nil, &offers)
	for _, o := range offers.Offers {
		if o.Count == gpus && o.Model != "" {
			var r reservation
			c.call(p, http.MethodPost, "/reservations", map[string]any{"name": name, "gpu_model": o.Model, "gpu_count": gpus, "start": start, "end": start.Add(length)}, &r)
			return r.ID
		}
	}
	c.t.Fatalf("no model has %d GPUs", gpus)
	return ""
}

func (c *console) reservations(p *person) []reservation {
	c.t.Helper()
	var list struct{ Reservations []reservation }
	c.call(p, http.MethodGet, "/reservations", nil, &list)
	return list.Reservations
}

// tomorrow is a whole hour that lies well ahead, in the site's zone, which is the machine's.
func tomorrow(hour int) time.Time {
	y, m, d := time.Now().UTC().Date()
	return time.Date(y, m, d+1, hour, 0, 0, 0, time.UTC)
}

func TestTheCalendarIsAccessibleWellLaidOutAndReachedByKeys(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	other := c.addPerson("stranger", "member", "operations")
	soon := c.book(admin, "vision-sweep", 1, tomorrow(9), 30*time.Hour)
	c.book(other, "their-own", 1, tomorrow(12), 5*time.Hour)
	gone := c.book(admin, "not-needed", 1, tomorrow(20), time.Hour)
	c.call(admin, http.MethodDelete, "/reservations/"+gone, nil, nil)
	live := c.rent(admin, "open-ended", "sleep 600")
	c.waitFor(live, "running")
	day := tomorrow(0).Format(time.DateOnly)
	pages := []string{"/calendar", "/calendar?view=month", "/calendar?from=" + day + "&start=" + day + "T10:00&end=" + day + "T22:00",
		"/reservations/" + soon, "/reservations/" + soon + "?ask=cancel", "/reservations/" + gone}
	b := newTab(t, c, admin, screen{width: 1280})
	for _, width := range []int64{1280, 360} {
		b.look(screen{width: width})
		for _, page := range pages {
			b.open(page)
			b.settle()
			for _, f := range b.walk() {
				t.Errorf("%s at %d: %s", page, width, f)
			}
		}
	}
	names := []string{"vision-sweep", "their-own", "not-needed", "open-ended", "stranger", "operations", "A100", "NVIDIA", "SXM4", "L4", "RTX", "local"}
	c.sweep(t, true, pages, names)
}

func TestReservingByFormBeingRefusedAndTakingTheNearestTime(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	c.asAdmin()
	member := c.addPerson("booker", "member", "research")
	b := newTab(t, c, member, screen{width: 1280})
	b.expect("409")
	day := tomorrow(0).Format(time.DateOnly)
	b.visit("/calendar?from=" + day)
	set := func(field, value string) {
		eval[bool](b, `(() => { const e = document.querySelector("#reserve [name=`+field+`]"); e.value = `+quote(value)+`; e.dispatchEvent(new Event("change", {bubbles: true})); return true })()`)
	}
	b.fill("#reserve [name=name]", "first-claim")
	most := eval[string](b, `String(document.querySelectorAll("td[data-lane][data-plan='"+document.querySelector("#reserve [name=plan]").value+"']").length)`)
	set("gpu_count", most)
	set("start", day+"T10:00")
	set("end", day+"T14:00")
	b.until("a price before the click", `document.querySelector("#quote [name=expect]")`)
	b.send("#quote [value=reserve]")
	b.arrive("/reservations/")
	all := c.reservations(c.asAdmin())
	if len(all) != 1 || !all[0].Start.Equal(tomorrow(10)) {
		t.Fatalf("%+v", all)
	}
	b.visit("/calendar?from=" + day)
	set("start", day+"T12:00")
	set("end", day+"T16:00")
	b.until("the way out", `document.querySelector("[data-nearest]")`)
	b.send("#quote [value=quote]") // as without JavaScript
	b.see("#quote .lines a[href^='/reservations/']")
	eval[bool](b, `(window.before = true)`)
	b.click("[data-nearest]")
	b.until("the form with the nearest time", `window.before === undefined && document.querySelector("#reserve [name=start]")?.value === "`+day+`T14:00"`)
	b.until("its price", `document.querySelector("#quote [name=expect]")`)
	b.send("#quote [value=reserve]")
	b.arrive("/reservations/")
	if all = c.reservations(c.asAdmin()); len(all) != 2 || !all[1].Start.Equal(tomorrow(14)) || !all[1].End.Equal(tomorrow(18)) {
		t.Fatalf("%+v", all)
	}
	b.click("a[href$='?ask=cancel']")
	b.see("form[action$='/cancel'] button")
	b.send("form[action$='/cancel'] button")
	if all = c.reservations(c.asAdmin()); all[1].Status != "cancelled" {
		t.Errorf("%+v", all[1])
	}
}

func TestReservingByKeysAndByDraggingFillsInTheSameTimes(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	c.asAdmin()
	b := newTab(t, c, c.addPerson("booker", "member", "research"), screen{width: 1280})
	day := tomorrow(0).AddDate(0, 0, 7)
	for day.Weekday() != time.Monday {
		day = day.AddDate(0, 0, -1)
	}
	if !day.After(tomorrow(0)) {
		day = day.AddDate(0, 0, 7)
	}
	path := "/calendar?from=" + day.Format(time.DateOnly)
	value := func(field string) string {
		return eval[string](b, `document.querySelector("#reserve [name=`+field+`]").value`)
	}
	at := func(d, h int) string {
		return day.AddDate(0, 0, d).Add(time.Duration(h) * time.Hour).Format("2006-01-02T15:04")
	}

	b.visit(path)
	eval[bool](b, `(document.querySelector(".cursor").focus(), true)`)
	b.keys(kb.Home)
	b.keys(kb.ArrowDown)
	b.keys(kb.ArrowRight, chromedp.ModifierShift)
	b.keys(kb.ArrowRight)
	b.keys(kb.ArrowRight)
	b.until("words for who hears the page", `document.querySelector(".cursor").ariaValueText.includes("GPU 1") && /01:00/.test(document.querySelector(".cursor").ariaValueText)`)
	b.keys(kb.Enter)
	b.until("that it begins", `document.querySelector(".lanes [role=status]").textContent.includes("01:00")`)
	b.keys(kb.ArrowRight, chromedp.ModifierShift)
	b.keys(kb.Enter)
	if value("start") != at(1, 1) || value("end") != at(2, 1) {
		t.Errorf("by keys: %s – %s", value("start"), value("end"))
	}
	b.until("a price", `document.querySelector("#quote [name=expect]")`)
	keyed := eval[string](b, `document.querySelector("#quote [name=expect]").value`)

	b.visit(path)
	type line struct{ X, Y, Width float64 }
	lane := eval[line](b, `(() => { const e = document.querySelectorAll("td[data-lane]")[1]; e.scrollIntoView({block: "center", behavior: "instant"}); const r = e.getBoundingClientRect(); return {X: r.left, Y: r.top + r.height / 2, Width: r.width} })()`)
	x := func(hours float64) float64 { return lane.X + lane.Width*hours/168 }
	for _, m := range []struct {
		kind input.DispatchMouseEventType
		x    float64
	}{{chromedp.MousePressed, x(25.2)}, {chromedp.MouseMoved, x(40)}, {chromedp.MouseMoved, x(48.8)}, {chromedp.MouseReleased, x(48.8)}} {
		if err := chromedp.Do(b.ctx, chromedp.MouseEvent(m.kind, m.x, lane.Y, func(p *input.DispatchMouseEventParams) { p.Button, p.ClickCount = input.MouseButtonLeft, 1 })); err != nil {
			t.Fatal(err)
		}
	}
	if value("start") != at(1, 1) || value("end") != at(2, 1) {
		t.Errorf("by dragging: %s – %s", value("start"), value("end"))
	}
	b.until("the same price", `document.querySelector("#quote [name=expect]")?.value === `+quote(keyed))
	b.send("#quote [value=reserve]")
	b.arrive("/reservations/")
	if all := c.reservations(c.asAdmin()); len(all) != 1 || !all[0].Start.Equal(day.Add(25*time.Hour)) {
		t.Errorf("%+v", all)
	}
}
