package web

import (
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
)

// tenancy is when an instance's GPUs worked for it and nobody else, from its start up to its end. What was read of them
// before or after says what other people do, and is not shown as the instance's.
type tenancy struct {
	from  time.Time
	until *time.Time // nil while it goes on
	begun bool
}

func tenancyOf(in store.Instance) tenancy {
	if in.StartedAt == nil {
		return tenancy{}
	}
	return tenancy{from: *in.StartedAt, until: in.EndedAt, begun: true}
}

func (t tenancy) holds(at time.Time) bool {
	return t.begun && !at.Before(t.from) && (t.until == nil || at.Before(*t.until))
}

// within is the part of [from, to) that belongs to the tenancy; false where none does.
func (t tenancy) within(from, to time.Time) (time.Time, time.Time, bool) {
	if from.Before(t.from) {
		from = t.from
	}
	if t.until != nil && t.until.Before(to) {
		to = *t.until
	}
	return from, to, t.begun && from.Before(to)
}

// latestOf is the last reading of an instance's GPU with its age; false where none of the instance's time is the last.
func (s *Server) latestOf(in store.Instance, uuid string) (gpu.Reading, time.Duration, bool) {
	r, age, ok := s.fleet.Latest(uuid)
	if !ok || !tenancyOf(in).holds(r.At) {
		return gpu.Reading{}, 0, false
	}
	return r, age, true
}

// samplesOf are the readings of an instance's GPU in the part of [from, to) that is the instance's.
func (s *Server) samplesOf(in store.Instance, uuid string, from, to time.Time) []gpu.Reading {
	from, to, some := tenancyOf(in).within(from, to)
	if !some {
		return nil
	}
	return s.fleet.Samples(uuid, from, to)
}
