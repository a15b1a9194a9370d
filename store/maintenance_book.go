package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store/calendar"
)

const longestMaintenance = 90 * 24 * time.Hour

// NewMaintenance is a window to be booked. Force gives what is in it notice; without, it is refused.
type NewMaintenance struct {
	NodeID     string
	PersonID   string // "": at the console's own machine
	Start, End time.Time
	Reason     string
	Force      bool
	Request    Request // the same again returns the window of the first time
}

// BookMaintenance books a window. Conflict with Args overlaps, the ids of what is in it: instances that would run into it and
// reservations. With Force instances on demand have its start as their hard end, with the notices of every hard end, and
// reservations by count that have not begun get GPUs of other nodes; those that can't are in its way all the same. What is
// rented as spot is never in its way: it is given notice in time.
func (s *Store) BookMaintenance(ctx context.Context, n NewMaintenance) (m Maintenance, err error) {
	n.Start, n.End = instant(n.Start), instant(n.End)
	if n.Reason, err = cleanText("reason", n.Reason, 1, serviceReasonMax); err != nil {
		return m, err
	}
	err = s.write(ctx, func(t *tx) error {
		id, _, err := t.once(n.PersonID, n.Request, func() (string, error) { return t.bookMaintenance(&n) })
		if err != nil {
			return err
		}
		found, err := t.windows("WHERE m.id = ?", id)
		if err == nil && len(found) == 1 {
			m = found[0]
		}
		return err
	})
	return m, err
}

func (t *tx) bookMaintenance(n *NewMaintenance) (id string, err error) {
	if _, err := t.node(n.NodeID); err != nil {
		return "", err
	}
	if late := t.now.Sub(n.Start); late > 0 && late <= time.Minute {
		n.Start = t.now
	}
	i, err := calendar.New(n.Start, n.End)
	switch {
	case err != nil:
		return "", invalid("end", "end_before_start")
	case n.Start.Before(t.now):
		return "", invalid("start", "start_is_past")
	case n.End.Sub(n.Start) > longestMaintenance:
		return "", invalid("end", "maintenance_too_long")
	case n.End.Sub(t.now) > furthestReservation:
		return "", invalid("end", "too_far_ahead")
	}
	if err := t.clear(n, i); err != nil {
		return "", err
	}
	id = newID("m-")
	if _, err := t.exec("INSERT INTO maintenance (id, node_id, start_at, end_at, reason, person_id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		id, n.NodeID, micros(n.Start), micros(n.End), n.Reason, nullIfEmpty(n.PersonID), micros(t.now)); err != nil {
		return "", err
	}
	m := Maintenance{Start: n.Start, End: n.End, Reason: n.Reason}
	return id, errors.Join(t.emitNode(n.NodeID), t.audit(AuditRecord{PersonID: n.PersonID, Action: "maintenance_booked", Target: n.NodeID, Detail: m.detail()}))
}

// clear refuses what is in the way of a window, or gets it out of the way.
func (t *tx) clear(n *NewMaintenance, i calendar.Interval) error {
	ids := func(query string, args ...any) ([]string, error) {
		return list(t, func(r scanner) (id string, err error) { return id, r.Scan(&id) }, query, args...)
	}
	others, err := ids("SELECT id FROM maintenance WHERE node_id = ? AND cancelled_at IS NULL AND end_at > ? AND start_at < ?", n.NodeID, micros(n.Start), micros(n.End))
	if err != nil {
		return err
	}
	if len(others) > 0 {
		return &Error{Kind: Conflict, Field: "start", Message: "maintenance_overlaps", Args: map[string]string{"overlaps": strings.Join(others, ", ")}}
	}
	instances, err := ids(`SELECT id FROM instance WHERE node_id = ? AND state IN (`+placed+`) AND ended_at IS NULL AND kind <> 'spot' AND (ends_at IS NULL OR ends_at > ?) ORDER BY seq`,
		n.NodeID, micros(n.Start))
	if err != nil {
		return err
	}
	reserved, err := ids(`SELECT DISTINCT r.id FROM reservation_gpu h JOIN reservation r ON r.id = h.reservation_id JOIN gpu g ON g.uuid = h.gpu_uuid
		WHERE g.node_id = ? AND h.to_at > ? AND h.from_at < ? ORDER BY r.seq`, n.NodeID, micros(n.Start), micros(n.End))
	if err != nil {
		return err
	}
	if !n.Force {
		if all := append(instances, reserved...); len(all) > 0 {
			return &Error{Kind: Conflict, Field: "start", Message: "maintenance_in_use", Args: map[string]string{"overlaps": strings.Join(all, ", ")}}
		}
		return nil
	}
	stuck, err := t.moveAway(n.NodeID, reserved, i)
	if err != nil {
		return err
	}
	if len(stuck) > 0 {
		return &Error{Kind: Conflict, Field: "start", Message: "maintenance_reserved", Args: map[string]string{"overlaps": strings.Join(stuck, ", ")}}
	}
	return t.endBefore(n.NodeID, n.Start, "maintenance")
}

// moveAway gives reservations GPUs that are no node's in a window, and returns those that have to stay.
func (t *tx) moveAway(nodeID string, ids []string, window calendar.Interval) (stuck []string, err error) {
	for k, id := range ids {
		r, err := t.reservation(id)
		if err != nil {
			return nil, err
		}
		i, err := calendar.New(r.Start, r.End)
		if err != nil {
			return nil, err
		}
		l, err := t.timelineOf(r.poolID, r.Start)
		if err != nil {
			return nil, err
		}
		for _, other := range ids[k:] { // they leave too
			if o, err := t.reservation(other); err == nil {
				l.drop(&o)
			}
		}
		l.close(nodeID, window)
		place, moves, ok := l.find(calendar.Want{Count: r.GPUCount}, i, t.now)
		if r.Named || !t.now.Before(r.Start) || !ok {
			stuck = append(stuck, id)
			continue
		}
		if err := t.move(append(moves, calendar.Move{ID: id, Place: place})); err != nil {
			return nil, err
		}
		if err := t.displace(&l, place.UUIDs, r.Start); err != nil {
			return nil, err
		}
	}
	return stuck, nil
}
