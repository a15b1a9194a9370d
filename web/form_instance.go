package web

import (
	"iter"
	"maps"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/views"
)

func mapKeys(m map[string]string) iter.Seq[string] { return maps.Keys(m) }

// stopForm stops an instance, once its name was typed or sent by the dialog. What has ended stays as it is.
func (s *Server) stopForm(c *call) error {
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	if !in.State.Live() || in.State == life.Stopping {
		return seeOther(c, "/instances/"+in.ID)
	}
	if c.text("confirm") != in.Name {
		err := invalid("confirm", "confirm_wrong")
		err.Args = map[string]string{"name": in.Name}
		return s.instanceAgain(c, in, "stop", err)
	}
	if _, err := s.store.RequestStop(c.Request().Context(), in.ID, c.who.ID, "by_person"); err != nil {
		return err
	}
	s.fleet.Kick()
	return s.done(c, "/instances/"+in.ID, flash{Key: "stopping", Name: in.Name})
}

func (s *Server) suspendForm(c *call) error {
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	if in.State == life.Suspended {
		return seeOther(c, "/instances/"+in.ID)
	}
	if _, err := s.store.Suspend(c.Request().Context(), in.ID, c.who.ID); err != nil {
		return err
	}
	s.fleet.Kick()
	return s.done(c, "/instances/"+in.ID, flash{Key: "suspended", Name: in.Name, Undo: "/instances/" + in.ID + "/resume"})
}

func (s *Server) resumeForm(c *call) error {
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	if in.State == life.Running {
		return seeOther(c, "/instances/"+in.ID)
	}
	if _, err := s.store.Resume(c.Request().Context(), in.ID, c.who.ID); err != nil {
		return err
	}
	s.fleet.Kick()
	return s.done(c, "/instances/"+in.ID, flash{Key: "resumed", Name: in.Name})
}

// extendForm moves the hard end on by some hours. The same form sent twice moves it once.
func (s *Server) extendForm(c *call) error {
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	by, err := parseHours(c.text("hours"))
	if err == nil && by == nil {
		err = invalid("hours", "required")
	}
	if err != nil {
		return s.instanceAgain(c, in, "", err)
	}
	until := extended(in, s.now(), *by)
	_, err = s.store.Extend(c.Request().Context(), in.ID, c.who.ID, until, c.request())
	if err = sentBefore(err); err != nil && typed(err) {
		return s.instanceAgain(c, in, "", err)
	}
	if err != nil {
		return err
	}
	s.fleet.Kick()
	return s.done(c, "/instances/"+in.ID, flash{Key: "extended", Name: in.Name, At: until.Unix()})
}

// instanceAgain shows the instance's page with what is wrong with a form on it.
func (s *Server) instanceAgain(c *call, in store.Instance, ask string, cause error) error {
	v, err := s.instanceView(c, in)
	if err != nil {
		return err
	}
	v.Path = "/instances/" + in.ID
	v.Ask, v.Form = ask, c.typedForm(cause)
	return s.showAgain(c, cause, views.Instance(v))
}
