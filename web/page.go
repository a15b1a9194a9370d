package web

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/meterhouse/meterhouse/views"
	"github.com/meterhouse/meterhouse/web/lang"
)

const (
	flashCookie = "meterhouse_flash"
	flashTime   = time.Minute
	// maxCounted bounds how many instances are gone through for what is said of all of them.
	maxCounted = 500
)

// page gathers what every page shows. What can't be had is left out: an error page must be drawn when the database is the
// error.
func (s *Server) page(c *call) views.Page {
	p := views.Page{Path: c.Request().URL.Path, CSRF: s.csrf(c), Key: rand.Text(), Nonce: c.nonce, Now: s.now(), Format: s.format(c)}
	p.Flash = s.takeFlash(c, p.Format)
	if !c.signedIn() {
		return p
	}
	p.Person = &views.Person{ID: c.who.ID, Name: c.who.Name, Email: c.who.Email, Role: string(c.who.Role), Team: c.who.TeamName}
	ctx := c.Request().Context()
	if live, err := s.store.LiveInstances(ctx, c.team()); err == nil {
		p.Nav.Instances = live
	}
	if count, err := s.store.InboxCount(ctx, c.who.ID); err == nil {
		p.Nav.Inbox = count
	}
	if gpus, err := s.store.GPUs(ctx); err == nil {
		p.Nav.GPUs = len(gpus)
		p.SimulatedOnly = len(gpus) > 0
		for i := range gpus {
			p.SimulatedOnly = p.SimulatedOnly && gpus[i].Simulated
		}
	}
	p.Budget = s.budgetBar(c)
	return p
}

// format is how numbers and times are written for this person.
func (s *Server) format(c *call) views.Format {
	f := views.Format{T: c.t, Zone: time.UTC}
	site, err := s.store.Site(c.Request().Context())
	if err != nil {
		return f
	}
	f.Currency = site.Currency
	if zone, err := s.loadZone(site.TimeZone); err == nil {
		f.Zone = zone
	}
	if !c.signedIn() && c.Request().Header.Get("Accept-Language") == "" {
		if t, ok := lang.Parse(site.Lang); ok {
			f.T = t
		}
	}
	return f
}

// zone is the site's time zone.
func (s *Server) zone(c *call) (*time.Location, error) {
	site, err := s.store.Site(c.Request().Context())
	if err != nil {
		return nil, err
	}
	return s.loadZone(site.TimeZone)
}

func (s *Server) loadZone(name string) (*time.Location, error) {
	if zone, found := s.zones.Load(name); found {
		return zone.(*time.Location), nil
	}
	zone, err := time.LoadLocation(name)
	if err == nil {
		s.zones.Store(name, zone)
	}
	return zone, err
}

func (s *Server) budgetBar(c *call) *views.BudgetBar {
	left, found, err := s.store.BudgetLeft(c.Request().Context(), c.who.ID, c.who.TeamID)
	if err != nil || !found {
		return nil
	}
	return &views.BudgetBar{Team: c.who.TeamName, SpentMicros: left.SpentMicros, LimitMicros: left.LimitMicros, Period: left.Period, Until: left.PeriodEnd}
}

// flash is what the next page says once. Only the key and what it names travel, so that a cookie can't put words into the
// console's mouth.
type flash struct {
	Key  string `json:"k"`
	Name string `json:"n,omitempty"`
	Undo string `json:"u,omitempty"`
	At   int64  `json:"t,omitempty"` // a moment, in seconds
}

// done ends a form: the next page says what was done.
func (s *Server) done(c *call, path string, f flash) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	s.setCookie(c, flashCookie, base64.RawURLEncoding.EncodeToString(text), flashTime)
	return seeOther(c, path)
}

func (s *Server) takeFlash(c *call, format views.Format) *views.Flash {
	text, err := base64.RawURLEncoding.DecodeString(s.cookie(c.Request(), flashCookie))
	if err != nil || len(text) == 0 {
		return nil
	}
	s.setCookie(c, flashCookie, "", 0)
	var f flash
	if json.Unmarshal(text, &f) != nil {
		return nil
	}
	said := f.words(format, s.now())
	if said == "" {
		return nil
	}
	out := &views.Flash{Kind: "done", Text: said}
	if localPath(f.Undo) == f.Undo {
		out.Undo = f.Undo
	}
	return out
}

// values turns what may be missing into what a view shows.
func timeOrZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}
