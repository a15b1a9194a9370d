package web

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// ExtendBody moves the hard end, by hours from where it is or to a moment.
type ExtendBody struct {
	Hours *json.Number    `json:"hours"`
	Until json.RawMessage `json:"until"`

	IdempotencyKey string `json:"idempotency_key"`
}

// changed answers with the instance after a change, and wakes the fleet.
func (s *Server) changed(c *call, in store.Instance, err error) error {
	if err != nil {
		return err
	}
	s.fleet.Kick()
	return ok(c, instanceOut(in))
}

func (s *Server) stopInstance(c *call) error {
	in, err := s.ownInstance(c)
	if err == nil {
		err = noBody(c)
	}
	if err != nil {
		return err
	}
	in, err = s.store.RequestStop(c.Request().Context(), in.ID, c.who.ID, "by_person")
	return s.changed(c, in, err)
}

func (s *Server) suspendInstance(c *call) error {
	in, err := s.ownInstance(c)
	if err == nil {
		err = noBody(c)
	}
	if err != nil {
		return err
	}
	in, err = s.store.Suspend(c.Request().Context(), in.ID, c.who.ID)
	return s.changed(c, in, err)
}

func (s *Server) resumeInstance(c *call) error {
	in, err := s.ownInstance(c)
	if err == nil {
		err = noBody(c)
	}
	if err != nil {
		return err
	}
	in, err = s.store.Resume(c.Request().Context(), in.ID, c.who.ID)
	return s.changed(c, in, err)
}

func (s *Server) extendInstance(c *call) error {
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	var b ExtendBody
	if err := decode(c, &b); err != nil {
		return err
	}
	until, err := b.until(in, s.now())
	if err != nil {
		return err
	}
	request, err := c.bodyRequest(&b.IdempotencyKey, &b)
	if err != nil {
		return err
	}
	in, err = s.store.Extend(c.Request().Context(), in.ID, c.who.ID, until, request)
	return s.changed(c, in, err)
}

// until works out the new hard end; nil is none.
func (b *ExtendBody) until(in store.Instance, now time.Time) (*time.Time, error) {
	switch {
	case (b.Hours == nil) == (b.Until == nil):
		return nil, invalid("hours", "hours_or_until")
	case b.Hours != nil:
		d, err := parseHours(b.Hours.String())
		if err != nil {
			return nil, err
		}
		return extended(in, now, *d), nil
	case string(b.Until) == "null":
		return nil, nil
	}
	var at time.Time
	if err := json.Unmarshal(b.Until, &at); err != nil || !at.After(now) || at.After(now.Add(maxHours*time.Hour)) {
		return nil, invalid("until", "wrong_time")
	}
	return &at, nil
}

// extended is the hard end moved on, or set from now where there was none.
func extended(in store.Instance, now time.Time, by time.Duration) *time.Time {
	from := now
	if in.EndsAt != nil && in.EndsAt.After(now) {
		from = *in.EndsAt
	}
	at := from.Add(by)
	return &at
}

// noBody accepts an empty body or an empty object, for calls that take nothing.
func noBody(c *call) error {
	if c.Request().ContentLength == 0 || c.Request().Body == http.NoBody {
		return nil
	}
	return decode(c, &Empty{})
}
