package store

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
)

// Suspend says that a person had a running instance frozen: its GPUs stay its own and it is billed in full. What is
// suspended already stays as it is. by as with RequestStop.
func (s *Store) Suspend(ctx context.Context, id, by string) (Instance, error) {
	return s.turn(ctx, id, by, life.Running, life.Suspended, s.Now())
}

// Resume says that a person had a suspended instance go on.
func (s *Store) Resume(ctx context.Context, id, by string) (Instance, error) {
	return s.turn(ctx, id, by, life.Suspended, life.Running, s.Now())
}

// MarkSuspended is Suspend by the console itself, at a known moment.
func (s *Store) MarkSuspended(ctx context.Context, id string, at time.Time) error {
	_, err := s.turn(ctx, id, "", life.Running, life.Suspended, at)
	return err
}

// MarkResumed is Resume by the console itself, at a known moment.
func (s *Store) MarkResumed(ctx context.Context, id string, at time.Time) error {
	_, err := s.turn(ctx, id, "", life.Suspended, life.Running, at)
	return err
}

// turn closes one billed segment and opens the next.
func (s *Store) turn(ctx context.Context, id, by string, from, to life.State, at time.Time) (i Instance, err error) {
	err = s.write(ctx, func(t *tx) error {
		if i, err = t.instance(id); err != nil {
			return err
		}
		if err = t.mayAct(by, &i); err != nil || i.State == to {
			return err
		}
		if i.State != from {
			return &Error{Kind: Conflict, Message: "step_not_allowed", Args: map[string]string{"from": string(i.State), "to": string(to)}}
		}
		closed, err := t.closeSegment(id, t.between(&i, at), false)
		if err != nil {
			return err
		}
		if err := t.book(&i, closed); err != nil {
			return err
		}
		if err := t.openSegment(&i, to, closed); err != nil {
			return err
		}
		if err := t.step(&i, to); err != nil {
			return err
		}
		kind := map[life.State]string{life.Suspended: "suspended", life.Running: "resumed"}[to]
		if err := t.instanceEvent(id, kind, by, nil); err != nil {
			return err
		}
		i, err = t.instance(id)
		return err
	})
	return i, err
}

// Extend moves an instance's hard end, or takes it away with nil: never billed and stopped by surprise, as the page shows
// the one end that holds. Invalid if until is past or more than a year away; Conflict if it is ending already. The same
// request again moves nothing.
func (s *Store) Extend(ctx context.Context, id, by string, until *time.Time, r Request) (i Instance, err error) {
	err = s.write(ctx, func(t *tx) error {
		if i, err = t.instance(id); err != nil {
			return err
		}
		if err = t.mayAct(by, &i); err != nil {
			return err
		}
		if _, _, err = t.once(by, r, func() (string, error) { return id, t.extend(&i, by, until) }); err != nil {
			return err
		}
		i, err = t.instance(id)
		return err
	})
	return i, err
}

func (t *tx) extend(i *Instance, by string, until *time.Time) error {
	if i.EndedAt != nil || i.State == life.Queued || i.State == life.Stopping {
		return &Error{Kind: Conflict, Message: "cannot_extend", Args: map[string]string{"state": string(i.State)}}
	}
	args := map[string]string{}
	if until != nil {
		if at := instant(*until); !at.After(t.now) || at.Sub(t.now) > longestTerm || !at.After(i.RequestedAt) {
			return invalid("until", "until_wrong")
		}
		args["until"] = instant(*until).Format(time.RFC3339)
	}
	if by, err := t.number("SELECT drain_by FROM node WHERE id = ?", i.NodeID); err != nil {
		return err
	} else if at := fromMicros(by); by > 0 && (until == nil || until.After(at)) {
		return &Error{Kind: Conflict, Field: "until", Message: "beyond_drain", Args: map[string]string{"until": at.Format(time.RFC3339)}}
	}
	if i.ReservationID != "" {
		r, err := t.reservation(i.ReservationID)
		if err != nil {
			return err
		}
		if until == nil || until.After(r.End) { // it costs nothing of its own: only what is reserved is paid for
			return &Error{Kind: Conflict, Field: "until", Message: "beyond_reservation", Args: map[string]string{"name": r.Name, "until": r.End.Format(time.RFC3339)}}
		}
	}
	if i.Kind != Reserved { // its reservation was asked
		a, began := i.asks(t.now), t.now
		if a.except = i.ID; i.StartedAt != nil {
			began = *i.StartedAt
		}
		if err := t.quotasAllowLonger(a, began, i.EndsAt, until); err != nil {
			return err
		}
	}
	if _, err := t.exec("UPDATE instance SET ends_at = ?, ends_because = '' WHERE id = ?", microsOrNull(until), i.ID); err != nil {
		return err
	}
	if until != nil {
		if err := t.pastNotices(i.ID, instant(*until)); err != nil {
			return err
		}
	}
	t.emit("instance", i.ID)
	return t.instanceEvent(i.ID, "extended", by, args)
}
