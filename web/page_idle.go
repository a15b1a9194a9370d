package web

import (
	"net/url"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/idle"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/views"
)

// idleFacts fills in what its page says of an instance that is idle.
func (s *Server) idleFacts(c *call, in store.Instance, v *views.InstancePage) error {
	if in.EndedAt != nil || in.State == life.Queued {
		return nil
	}
	told, err := s.store.InstanceIdle(c.Request().Context(), in.ID)
	for from, to := range map[*time.Time]*time.Time{told.Since: &v.Idle.Since, told.StopsAt: &v.Idle.StopsAt, told.KeptUntil: &v.Idle.KeptUntil} {
		if from != nil {
			*to = *from
		}
	}
	v.Idle.KeptBy, v.Idle.CanKeep = told.KeptBy, v.CanStop
	return err
}

// keepForm is POST /instances/{id}/keep.
func (s *Server) keepForm(c *call) error {
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	if _, err := s.store.Keep(c.Request().Context(), in.ID, c.who.ID); err != nil {
		return err
	}
	return s.done(c, "/instances/"+in.ID, flash{Key: "kept", Name: in.Name})
}

// keepLinkPage asks before an instance is kept: programs that look at links in mail change nothing.
func (s *Server) keepLinkPage(c *call) error {
	in, err := s.store.InstanceOfKeep(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return s.show(c, views.Keep(views.KeepPage{Page: s.page(c), Token: c.Param("id"), Name: in.Name, RateMicrosPerHour: in.RateMicrosPerHour}))
}

func (s *Server) keepLinkForm(c *call) error {
	ctx := c.Request().Context()
	in, err := s.store.KeepByLink(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	told, err := s.store.InstanceIdle(ctx, in.ID)
	if err != nil {
		return err
	}
	v := views.KeepPage{Page: s.page(c), Name: in.Name, Until: s.now().Add(idle.KeepTime)}
	if told.KeptUntil != nil {
		v.Until = *told.KeptUntil
	}
	return s.show(c, views.Keep(v))
}

func (s *Server) idlePage(c *call) error {
	v, set, err := s.idleView(c)
	if err != nil {
		return err
	}
	if err := s.idleTry(c, &v, set.Settings); err != nil {
		return err
	}
	return s.show(c, views.Idle(v))
}

func (s *Server) idleView(c *call) (views.IdlePage, store.IdleSetting, error) {
	set, err := s.store.IdleSetting(c.Request().Context())
	v := views.IdlePage{Page: s.page(c), On: set.On, SetBy: set.SetBy}
	if set.SetAt != nil {
		v.SetAt = *set.SetAt
	}
	v.Form.Values = url.Values{"mail": {hoursText(set.Mail)}, "stop": {hoursText(set.Stop)}, "minimum": {hoursText(set.Minimum)}}
	if set.On {
		v.Form.Values.Set("on", "1")
	}
	return v, set, err
}

// idleForm is POST /admin/idle: it tries what was typed on the last days, or has it hold.
func (s *Server) idleForm(c *call) error {
	v, _, err := s.idleView(c)
	if err != nil {
		return err
	}
	v.Path = "/admin/idle"
	set, err := readIdle(c)
	save := c.text("do") != "try"
	switch {
	case err != nil:
	case save:
		err = s.store.SetIdle(c.Request().Context(), c.who.ID, set)
	default:
		err = s.idleTry(c, &v, set)
	}
	v.Form = c.typedForm(err)
	switch {
	case err != nil && typed(err):
		return s.showAgain(c, err, views.Idle(v))
	case err != nil:
		return err
	case save:
		return s.done(c, "/admin/idle", flash{Key: "idle_saved"})
	}
	return s.show(c, views.Idle(v))
}

func (s *Server) idleTry(c *call, v *views.IdlePage, set idle.Settings) error {
	would, err := s.store.IdleDryRun(c.Request().Context(), set)
	for _, w := range would {
		v.Would = append(v.Would, views.IdleWould{ID: w.InstanceID, Name: w.Name, Owner: w.PersonName, Team: w.TeamName, Since: w.Since, At: w.At, SavedMicros: w.SavedMicros})
		v.SavedMicros += w.SavedMicros
	}
	return err
}

func readIdle(c *call) (set idle.Settings, err error) {
	set.On = c.text("on") == "1"
	for field, into := range map[string]*time.Duration{"mail": &set.Mail, "stop": &set.Stop, "minimum": &set.Minimum} {
		if text := c.text(field); text == "" || text == "0" {
			continue
		}
		d, err := parseHours(c.text(field))
		if err != nil {
			return set, renamed(err, map[string]string{"hours": field})
		}
		*into = *d
	}
	return set, nil
}

// hoursText is a time as its field writes it.
func hoursText(d time.Duration) string { return strconv.FormatFloat(d.Hours(), 'f', -1, 64) }
