package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// icsEvent is one event of a calendar as its reader sees it: values by name, unescaped.
type icsEvent map[string]string

// readICS reads a calendar strictly by RFC 5545 as far as a feed needs it.
func readICS(t *testing.T, text string) (events []icsEvent) {
	t.Helper()
	if !strings.HasSuffix(text, "\r\n") || strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\n") || strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\r") {
		t.Error("lines end with CRLF alone")
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\r\n"), "\r\n") {
		if len(line) > 75 || !utf8.ValidString(line) {
			t.Errorf("%d octets on a line, or half a letter: %q", len(line), line)
		}
	}
	var open []string
	for line := range strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n ", ""), "\r\n"), "\r\n") {
		name, value, found := strings.Cut(line, ":")
		if !found || !regexp.MustCompile(`^[A-Z-]+(;[A-Z-]+=[A-Z]+)*$`).MatchString(name) {
			t.Errorf("no property: %q", line)
			continue
		}
		switch name {
		case "BEGIN":
			open = append(open, value)
			if value == "VEVENT" {
				events = append(events, icsEvent{})
			}
		case "END":
			if len(open) == 0 || open[len(open)-1] != value {
				t.Fatalf("%s ends within %v", value, open)
			}
			open = open[:len(open)-1]
		default:
			if len(open) == 2 {
				if _, twice := events[len(events)-1][name]; twice {
					t.Errorf("%s twice", name)
				}
				events[len(events)-1][name] = unescaped(t, name, value)
			}
		}
	}
	if len(open) != 0 || !strings.HasPrefix(text, "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:") {
		t.Errorf("the calendar does not begin or end as one: %.200s", text)
	}
	for _, e := range events {
		for _, name := range []string{"DTSTAMP", "DTSTART", "DTEND", "LAST-MODIFIED"} {
			if _, err := time.Parse("20060102T150405Z", e[name]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if e["UID"] == "" || e["DTEND"] <= e["DTSTART"] {
			t.Errorf("no event: %v", e)
		}
	}
	return events
}

func unescaped(t *testing.T, name, value string) string {
	t.Helper()
	if name != "SUMMARY" && name != "DESCRIPTION" && name != "UID" {
		return value
	}
	var b strings.Builder
	for k := 0; k < len(value); k++ {
		c := value[k]
		switch {
		case c == '\\' && k+1 < len(value):
			k++
			if c = value[k]; c == 'n' || c == 'N' {
				c = '\n'
			}
		case c == ',' || c == ';':
			t.Errorf("%s has a bare %c: %q", name, c, value)
		}
		b.WriteByte(c)
	}
	return b.String()
}

// subscribes makes a person's feed and returns its path.
func subscribes(t *testing.T, site *webtest.Site, p store.Person) string {
	t.Helper()
	c := site.Browser(t, p)
	if a := c.Form("/calendar/feeds", url.Values{"idempotency_key": {"k"}}); a.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	page := c.Get("/calendar")
	m := regexp.MustCompile(`data-copy="[^"]*(/calendar\.ics\?key=[a-z0-9_]+)"`).FindStringSubmatch(page.Body)
	if m == nil || strings.Contains(c.Get("/calendar").Body, "mhc_") {
		t.Fatalf("the address is to be shown once: %v", m)
	}
	return m[1]
}

func feed(t *testing.T, site *webtest.Site, path string) []icsEvent {
	t.Helper()
	a := site.Nobody(t).Get(path)
	if a.Status != http.StatusOK || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/calendar") {
		t.Fatalf("%d %s %s", a.Status, a.Header.Get("Content-Type"), a.Body)
	}
	return readICS(t, a.Body)
}

func TestAFeedIsACalendarOfWhatItsPersonMaySee(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	start := site.Clock.Now().Add(72 * time.Hour)
	names := []string{"short", "名字很长的预留用来检查折行是否会把一个汉字从中间切开应当不会", strings.TrimSpace(strings.Repeat("long ", 12))}
	called := "Neil, Ann; the second"
	if _, err := site.Store.UpdatePerson(t.Context(), site.Member.ID, store.PersonChange{Name: &called}); err != nil {
		t.Fatal(err)
	}
	var made []store.Reservation
	for _, name := range names {
		r, err := site.Store.Reserve(t.Context(), store.NewReservation{PersonID: site.Member.ID, Name: name, GPUCount: 1, GPUModel: site.GPUs[0].Model, Start: start, End: start.Add(5 * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, r)
	}
	own, others := subscribes(t, site, site.Member), subscribes(t, site, site.Stranger)
	if events := feed(t, site, others); len(events) != 0 {
		t.Errorf("another team sees %v", events)
	}
	before := feed(t, site, own)
	if len(before) != len(made) {
		t.Fatalf("%d events", len(before))
	}
	for k, e := range before {
		if e["SUMMARY"] != made[k].Name || e["UID"] != made[k].ID+"@meterhouse" || e["DTSTART"] != start.Format("20060102T150405Z") || e["STATUS"] != "CONFIRMED" || e["SEQUENCE"] != "0" || !strings.Contains(e["DESCRIPTION"], called) {
			t.Errorf("%q: %v", made[k].Name, e)
		}
	}
	if _, err := site.Store.CancelReservation(t.Context(), made[0].ID, site.Member.ID, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := site.Store.ExtendReservation(t.Context(), made[1].ID, site.Member.ID, start.Add(6*time.Hour), nil, store.Request{}); err != nil {
		t.Fatal(err)
	}
	after := feed(t, site, own)
	if after[0]["STATUS"] != "CANCELLED" || after[0]["SEQUENCE"] != "1" || after[0]["UID"] != before[0]["UID"] {
		t.Errorf("cancelled: %v", after[0])
	}
	if after[1]["SEQUENCE"] != "1" || after[1]["DTEND"] != start.Add(6*time.Hour).Format("20060102T150405Z") || after[1]["UID"] != before[1]["UID"] {
		t.Errorf("extended: %v", after[1])
	}
}

func TestAFeedEndsWhenItIsRevokedOrItsPersonIsGone(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	path := subscribes(t, site, site.Member)
	for _, bad := range []string{"/calendar.ics", "/calendar.ics?key=", path + "x", path[:len(path)-1], strings.Replace(path, "mhc_", "mh_", 1)} {
		if a := site.Nobody(t).Get(bad); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", bad, a.Status)
		}
	}
	feeds, err := site.Store.Feeds(t.Context(), site.Member.ID)
	if err != nil || len(feeds) != 1 {
		t.Fatalf("%v %v", feeds, err)
	}
	if err := site.Store.RevokeFeed(t.Context(), site.Stranger.ID, feeds[0].ID); store.KindOf(err) != store.NotFound {
		t.Errorf("somebody else revokes it: %v", err)
	}
	c := site.Browser(t, site.Member)
	if a := c.Form("/calendar/feeds/"+feeds[0].ID+"/delete", url.Values{}); a.Status != http.StatusSeeOther {
		t.Fatalf("%d", a.Status)
	}
	if a := site.Nobody(t).Get(path); a.Status != http.StatusNotFound {
		t.Errorf("revoked: %d", a.Status)
	}
	gone := subscribes(t, site, site.Manager)
	if err := site.Store.DisablePerson(t.Context(), site.Admin.ID, site.Manager.ID, true); err != nil {
		t.Fatal(err)
	}
	if a := site.Nobody(t).Get(gone); a.Status != http.StatusNotFound {
		t.Errorf("of somebody who is gone: %d", a.Status)
	}
}
