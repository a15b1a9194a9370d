package store

import (
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/calendar"
	"github.com/meterhouse/meterhouse/store/plan"
)

// wantedNode is the id of the node that somebody names, by id or name; "" for "".
func (t *tx) wantedNode(named string) (id string, err error) {
	if named == "" {
		return "", nil
	}
	err = orNotFound(t.row("SELECT id FROM node WHERE id = ?1 OR name = ?1 ORDER BY id = ?1 DESC LIMIT 1", named).Scan(&id), "node", named)
	if KindOf(err) == NotFound {
		err = &Error{Kind: Invalid, Field: "node", Message: "node_not_found", Args: map[string]string{"id": named}}
	}
	return id, err
}

// nodeOfVolumes is the node on which an instance has to run for the volumes that it is to have; that which was asked for where
// it has none.
func (t *tx) nodeOfVolumes(r RentRequest) (id string, err error) {
	id = r.Node
	for _, w := range r.Volumes {
		v, err := t.wished(r, w)
		if err != nil {
			return "", err
		}
		if id != "" && v.NodeID != id {
			return "", &Error{Kind: Conflict, Field: "volumes", Message: "volumes_apart"}
		}
		id = v.NodeID
	}
	return id, nil
}

// on is the supply of one node alone; "" is all.
func (v *supply) on(nodeID string) *supply {
	if nodeID == "" {
		return v
	}
	w := *v
	w.only = nodeID
	for _, nodes := range []*[]plan.Node{&w.free, &w.spot.free} {
		*nodes = slices.DeleteFunc(slices.Clone(*nodes), func(n plan.Node) bool { return n.ID != nodeID })
	}
	for _, nodes := range []*[]calendar.Node{&w.timed, &w.gaps, &w.spot.timed} {
		*nodes = slices.DeleteFunc(slices.Clone(*nodes), func(n calendar.Node) bool { return n.ID != nodeID })
	}
	return &w
}

// cpuPlace is where CPU-only work runs: the node that it wants, else the console's own machine, else the first by name, of
// those where it can stay long enough before maintenance.
func (t *tx) cpuPlace(wanted string, kind InstanceKind, term *time.Duration, gap time.Duration) (where place, ok bool, err error) {
	windows, err := t.windows("WHERE m.cancelled_at IS NULL AND m.end_at > ?", micros(t.now))
	if err != nil {
		return where, false, err
	}
	stays, err := calendar.New(t.now, t.now.Add(leastStay(kind, term, gap)))
	if err != nil {
		return where, false, err
	}
	nodes, err := list(t, func(r scanner) (id string, err error) { return id, r.Scan(&id) },
		"SELECT id FROM node WHERE state = 'up' AND service = 'open' AND (?1 = '' OR id = ?1) ORDER BY local DESC, name", wanted)
	for _, id := range nodes {
		var busy calendar.Busy
		for _, m := range windows {
			if i, err := calendar.New(m.Start, m.End); err == nil && m.NodeID == id {
				busy = busy.Cover(i)
			}
		}
		if !busy.Free(stays) {
			continue
		}
		where.nodeID = id
		if next, planned := busy.Next(t.now); planned && kind != Spot {
			where.end = &next
		}
		return where, true, nil
	}
	return where, false, err
}
