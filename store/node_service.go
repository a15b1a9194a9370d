package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// What an admin wants of a node. The last two follow from the others.
const (
	NodeOpen        = "open"
	NodeCordoned    = "cordoned"    // what runs goes on, nothing new starts
	NodeDraining    = "draining"    // the same, until nothing is left
	NodeDrained     = "drained"     // nothing is left
	NodeMaintenance = "maintenance" // open, but for a window that has begun
)

const serviceReasonMax = 500

// NodeService is what an admin said of a node.
type NodeService struct {
	Service, Reason string
	ByName          string // "": nobody said anything, or at the console's own machine
	Since           *time.Time
	DrainBy         *time.Time // when what still runs ends; nil: by itself
}

// Open reports whether something new may start on a node.
func (n *Node) Open() bool { return n.State == NodeUp && n.Service == NodeOpen }

// settle works out what follows.
func (n *Node) settle(now time.Time) {
	switch {
	case n.Service == NodeDraining && n.Instances == 0:
		n.Service = NodeDrained
	case n.Service == NodeOpen && len(n.Windows) > 0 && !n.Windows[0].Start.After(now):
		n.Service, n.Reason, n.ByName, n.Since = NodeMaintenance, n.Windows[0].Reason, n.Windows[0].ByName, &n.Windows[0].Start
	}
}

// nodeUse is an SQL expression for how a node n can be used at ?2: "up", or why nothing new starts there, as Offer.Blocked has
// it after "node_".
const nodeUse = `CASE WHEN n.state <> 'up' THEN n.state WHEN n.service <> 'open' THEN n.service
	WHEN EXISTS (SELECT 1 FROM maintenance m WHERE m.node_id = n.id AND m.cancelled_at IS NULL AND m.start_at <= ?2 AND m.end_at > ?2) THEN 'maintenance' ELSE 'up' END`

// placed are the states of instances that have a place on a node, as SQL.
const placed = "'starting', 'running', 'suspended', 'stopping', 'unreachable', 'reclaiming'"

// Cordon has nothing new start on a node; what runs there goes on, and what a drain had set an end goes on too. by is the
// admin, "" at the console's own machine.
func (s *Store) Cordon(ctx context.Context, id, by, reason string) (Node, error) {
	return s.serve(ctx, id, by, "node_cordoned", NodeService{Service: NodeCordoned, Reason: reason})
}

// Drain has nothing new start on a node until nothing is left there. With until, what is rented on demand and would last
// longer ends then, with the notices of every hard end; what is rented as spot is reclaimed before.
func (s *Store) Drain(ctx context.Context, id, by, reason string, until *time.Time) (Node, error) {
	return s.serve(ctx, id, by, "node_draining", NodeService{Service: NodeDraining, Reason: reason, DrainBy: until})
}

// Uncordon opens a node again, whatever it was closed by, but for its maintenance windows. The ends that a drain has set are
// lifted.
func (s *Store) Uncordon(ctx context.Context, id, by string) (Node, error) {
	return s.serve(ctx, id, by, "node_uncordoned", NodeService{Service: NodeOpen})
}

func (s *Store) serve(ctx context.Context, id, by, action string, to NodeService) (n Node, err error) {
	if to.Reason, err = cleanText("reason", to.Reason, 0, serviceReasonMax); err != nil {
		return n, err
	}
	err = s.write(ctx, func(t *tx) error {
		if _, err := t.node(id); err != nil {
			return err
		}
		if to.DrainBy != nil {
			at := instant(*to.DrainBy)
			if !at.After(t.now) || at.Sub(t.now) > longestTerm {
				return invalid("by", "until_wrong")
			}
			to.DrainBy = &at
		}
		same, err := t.number("SELECT count(*) FROM node WHERE id = ? AND service = ? AND service_reason = ? AND drain_by IS ?", id, to.Service, to.Reason, microsOrNull(to.DrainBy))
		if err == nil && same == 0 {
			err = t.setService(id, by, action, to)
		}
		if err == nil {
			n, err = t.node(id)
		}
		return err
	})
	return n, err
}

func (t *tx) setService(id, by, action string, to NodeService) error {
	if _, err := t.exec("UPDATE node SET service = ?, service_reason = ?, service_by = ?, service_at = ?, drain_by = ? WHERE id = ?",
		to.Service, to.Reason, nullIfEmpty(by), micros(t.now), microsOrNull(to.DrainBy), id); err != nil {
		return err
	}
	if err := t.restoreEnds(id, "drain", t.now); err != nil {
		return err
	}
	detail := to.Reason
	if to.DrainBy != nil {
		detail = to.DrainBy.Format(time.RFC3339) + " " + detail
		if err := t.endBefore(id, *to.DrainBy, "drain"); err != nil {
			return err
		}
	}
	return errors.Join(t.emitNode(id), t.audit(AuditRecord{PersonID: by, Action: action, Target: id, Detail: detail}))
}

// emitNode tells that a node and what can be had of its GPUs has changed.
func (t *tx) emitNode(id string) error {
	t.emit("node", id)
	return t.each(func(r scanner) error {
		var uuid string
		err := r.Scan(&uuid)
		t.emit("gpu", uuid)
		return err
	}, "SELECT uuid FROM gpu WHERE node_id = ?", id)
}

// endBefore gives what is on a node and would last longer a hard end there; what is spot gets its notice in time instead.
func (t *tx) endBefore(nodeID string, at time.Time, because string) error {
	late, err := t.instances(instanceQuery+`WHERE i.node_id = ? AND i.state IN (`+placed+`) AND i.ended_at IS NULL AND i.kind <> 'spot' AND (i.ends_at IS NULL OR i.ends_at > ?) ORDER BY i.seq`,
		nodeID, micros(at))
	if err != nil {
		return err
	}
	for k := range late {
		if err := t.setEnd(&late[k], &at, because); err != nil {
			return err
		}
		if err := t.instanceEvent(late[k].ID, "ends_before", "", map[string]string{"because": because, "until": at.Format(time.RFC3339)}); err != nil {
			return err
		}
	}
	return nil
}

// restoreEnds lifts the hard ends that a drain or a window has set from a moment on: they are again what they were before, as
// far as what was planned since allows.
func (t *tx) restoreEnds(nodeID, because string, from time.Time) error {
	set, err := t.instances(instanceQuery+`WHERE i.node_id = ? AND i.state IN (`+placed+`) AND i.ended_at IS NULL AND i.ends_because = ? AND i.ends_at >= ? ORDER BY i.seq`,
		nodeID, because, micros(from))
	if err != nil {
		return err
	}
	for k := range set {
		i := &set[k]
		end, why, err := t.ownEnd(i)
		if err != nil {
			return err
		}
		if end != nil && why == because && end.Equal(*i.EndsAt) {
			continue
		}
		if err := t.setEnd(i, end, why); err != nil {
			return err
		}
		kind, args := "end_lifted", map[string]string{"because": because}
		if end != nil {
			kind, args = "ends_before", map[string]string{"because": why, "until": end.Format(time.RFC3339)}
		}
		if err := t.instanceEvent(i.ID, kind, "", args); err != nil {
			return err
		}
	}
	return nil
}

// setEnd gives an instance another hard end. What a drain or a window puts in the place of another one is kept.
func (t *tx) setEnd(i *Instance, at *time.Time, because string) error {
	t.emit("instance", i.ID)
	if i.EndsBecause != "drain" && i.EndsBecause != "maintenance" {
		if _, err := t.exec("UPDATE instance SET kept_ends_at = ends_at, kept_because = ends_because WHERE id = ?", i.ID); err != nil {
			return err
		}
	}
	_, err := t.exec("UPDATE instance SET ends_at = ?, ends_because = ? WHERE id = ?", microsOrNull(at), because, i.ID)
	return err
}

// ownEnd is the hard end of an instance without the drain or window that has set it: the one before, or what is planned on
// its GPUs and its node if that comes first.
func (t *tx) ownEnd(i *Instance) (end *time.Time, because string, err error) {
	var kept, reserved, window, drain sql.NullInt64
	if err := t.row(`SELECT i.kept_ends_at, i.kept_because, n.drain_by,
		(SELECT min(r.from_at) FROM reservation_gpu r JOIN instance_gpu h ON h.gpu_uuid = r.gpu_uuid
			WHERE h.instance_id = i.id AND h.released_at IS NULL AND r.to_at > ?2 AND r.reservation_id IS NOT i.reservation_id),
		(SELECT min(m.start_at) FROM maintenance m WHERE m.node_id = i.node_id AND m.cancelled_at IS NULL AND m.end_at > ?2)
		FROM instance i JOIN node n ON n.id = i.node_id WHERE i.id = ?1`, i.ID, micros(t.now)).Scan(&kept, &because, &drain, &reserved, &window); err != nil {
		return nil, "", err
	}
	end = timeOrNil(kept)
	for _, p := range []struct {
		at  sql.NullInt64
		why string
	}{{reserved, "reservation"}, {window, "maintenance"}, {drain, "drain"}} {
		if at := timeOrNil(p.at); at != nil && (end == nil || at.Before(*end)) {
			end, because = at, p.why
		}
	}
	return end, because, nil
}
