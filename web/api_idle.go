package web

import (
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// InstanceIdle is what is known and told of an instance that may be idle.
type InstanceIdle struct {
	State     string     `json:"state"`      // active, idle, unknown
	Since     *time.Time `json:"since"`      // noted as idle since then
	StopsAt   *time.Time `json:"stops_at"`   // the one moment at which it is stopped for that; null: none was told
	KeptUntil *time.Time `json:"kept_until"` // it is not stopped for being idle before
	KeptBy    string     `json:"kept_by"`    // "": by the link in the mail
}

func idleOut(told store.InstanceIdle) *InstanceIdle {
	return &InstanceIdle{State: string(told.State), Since: told.Since, StopsAt: told.StopsAt, KeptUntil: told.KeptUntil, KeptBy: told.KeptBy}
}

func (s *Server) keepInstance(c *call) error {
	in, err := s.ownInstance(c)
	if err == nil {
		err = noBody(c)
	}
	if err != nil {
		return err
	}
	told, err := s.store.Keep(c.Request().Context(), in.ID, c.who.ID)
	if err != nil {
		return err
	}
	out := instanceOut(in)
	out.Idle = idleOut(told)
	return ok(c, out)
}
