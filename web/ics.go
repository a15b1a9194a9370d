package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/lang"
)

const (
	icsLine = 75 // octets of a line at most, without its end (RFC 5545, 3.1)
	icsTime = "20060102T150405Z"
	// icsBack and icsAhead bound what a calendar program is given.
	icsBack  = 60 * 24 * time.Hour
	icsAhead = 2 * 366 * 24 * time.Hour
)

// icsText writes a calendar as RFC 5545 wants it.
type icsText struct{ b strings.Builder }

// line writes one property: folded after 75 octets, between two letters, each part on a line that begins with a blank.
func (w *icsText) line(text string) {
	room := icsLine
	for len(text) > room {
		cut := room
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		w.b.WriteString(text[:cut] + "\r\n ")
		text, room = text[cut:], icsLine-1
	}
	w.b.WriteString(text + "\r\n")
}

// text escapes what a person wrote (RFC 5545, 3.3.11). Other control characters are no text there.
func (w *icsText) text(name, value string) {
	value = strings.NewReplacer("\\", "\\\\", ";", "\\;", ",", "\\,", "\r\n", "\\n", "\n", "\\n").Replace(value)
	w.line(name + ":" + strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(value, "\uFFFD")))
}

func (w *icsText) time(name string, at time.Time) { w.line(name + ":" + at.UTC().Format(icsTime)) }

// icsEvent is a reservation, or an instance with its hard end.
type icsEvent struct {
	uid, summary, description, url string
	from, to, changed              time.Time
	sequence                       int
	cancelled                      bool
}

func (w *icsText) event(e icsEvent, now time.Time) {
	w.line("BEGIN:VEVENT")
	w.text("UID", e.uid)
	w.time("DTSTAMP", now)
	w.time("DTSTART", e.from)
	w.time("DTEND", e.to)
	w.time("LAST-MODIFIED", e.changed)
	w.line("SEQUENCE:" + strconv.Itoa(e.sequence))
	w.text("SUMMARY", e.summary)
	w.text("DESCRIPTION", e.description)
	w.line("URL:" + e.url)
	w.line("STATUS:" + map[bool]string{false: "CONFIRMED", true: "CANCELLED"}[e.cancelled])
	w.line("TRANSP:" + map[bool]string{false: "OPAQUE", true: "TRANSPARENT"}[e.cancelled])
	w.line("END:VEVENT")
}

// calendarFeed is GET /calendar.ics?key=SECRET: what the person of the key may see, for programs that know no sign-in.
func (s *Server) calendarFeed(c *call) error {
	ctx := c.Request().Context()
	p, err := s.store.FeedPerson(ctx, c.QueryParam("key"))
	if err != nil {
		return err
	}
	c.who, c.t = p, speaks(p, c.t)
	site, err := s.store.Site(ctx)
	if err != nil {
		return err
	}
	events, err := s.feedEvents(c)
	if err != nil {
		return err
	}
	var w icsText
	w.line("BEGIN:VCALENDAR")
	w.line("VERSION:2.0")
	w.line("PRODID:-//Meterhouse//Meterhouse//EN")
	w.line("CALSCALE:GREGORIAN")
	w.line("METHOD:PUBLISH")
	w.text("X-WR-CALNAME", "Meterhouse "+site.Name)
	w.line("REFRESH-INTERVAL;VALUE=DURATION:PT15M")
	for _, e := range events {
		w.event(e, s.now())
	}
	w.line("END:VCALENDAR")
	c.Response().Header().Set("Cache-Control", "private, no-store")
	return write(c, http.StatusOK, "text/calendar; charset=utf-8", []byte(w.b.String()))
}

// feedEvents are the reservations that the person may see, the cancelled ones too, so that programs take them away, and the
// instances that have a hard end.
func (s *Server) feedEvents(c *call) (events []icsEvent, err error) {
	ctx, now := c.Request().Context(), s.now()
	reserved, err := s.store.Reservations(ctx, store.ReservationFilter{TeamID: c.team(), From: now.Add(-icsBack), To: now.Add(icsAhead)})
	if err != nil {
		return nil, err
	}
	for _, r := range reserved {
		events = append(events, s.reservationEvent(c.t, r))
	}
	running, _, err := s.store.Instances(ctx, store.Filter{TeamID: c.team(), Live: true, Limit: maxCounted})
	for _, in := range running {
		if in.EndsAt == nil || in.StartedAt == nil || !in.StartedAt.Before(*in.EndsAt) || in.ReservationID != "" {
			continue
		}
		events = append(events, icsEvent{uid: in.ID + "@meterhouse", summary: in.Name, description: c.t.StopsThenBecause(in.EndsBecause), url: s.BaseURL() + "/instances/" + in.ID,
			from: *in.StartedAt, to: *in.EndsAt, changed: *in.StartedAt})
	}
	return events, err
}

func (s *Server) reservationEvent(t lang.T, r store.Reservation) icsEvent {
	e := icsEvent{uid: r.ID + "@meterhouse", summary: r.Name, description: strconv.Itoa(r.GPUCount) + " × " + r.GPUModel + ", " + r.TeamName + ", " + r.PersonName,
		url: s.BaseURL() + "/reservations/" + r.ID, from: r.Start, to: r.End, changed: r.CreatedAt, sequence: len(r.Parts) - 1}
	switch {
	case r.CancelledAt != nil:
		e.cancelled, e.changed, e.sequence = true, *r.CancelledAt, e.sequence+1
		e.summary += t.InBrackets(t.ReservationState(r.State))
	case r.ReleasedAt != nil && r.ReleasedAt.After(r.Start):
		e.to, e.changed, e.sequence = *r.ReleasedAt, *r.ReleasedAt, e.sequence+1
	}
	return e
}

// feedAddress is where a secret is used; "" for none.
func (s *Server) feedAddress(c *call, secret string) string {
	if secret == "" {
		return ""
	}
	return s.ownURL(c) + "/calendar.ics?key=" + secret
}

// feedForm makes an address. It is shown once, on the page that follows.
func (s *Server) feedForm(c *call) error {
	secret, err := s.store.CreateFeed(c.Request().Context(), c.who.ID, c.request())
	switch {
	case err == nil:
		s.secrets.put(c.session.ID, secret)
	case explain(err).Message == "feed_shown_before" && s.secrets.waits(c.session.ID):
		// the same form came twice, and the page that shows its address is still to come
	default:
		return err
	}
	return seeOther(c, "/calendar#feeds")
}

func (s *Server) feedDeleteForm(c *call) error {
	if err := gone404(s.store.RevokeFeed(c.Request().Context(), c.who.ID, c.Param("id"))); err != nil {
		return err
	}
	return s.done(c, "/calendar#feeds", flash{Key: "feed_revoked"})
}
