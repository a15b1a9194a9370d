package store

import (
	"database/sql"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/calendar"
	"github.com/meterhouse/meterhouse/store/spot"
)

// yielding is what there is of a pool for somebody who needs GPUs that spot instances hold.
type yielding struct {
	nodes      []spot.Node // with the GPUs that are free, and those that are given back already and promised to nobody
	candidates []spot.Candidate
}

// node returns the place of a node in the list.
func (y *yielding) node(id, name string) *spot.Node {
	at := slices.IndexFunc(y.nodes, func(n spot.Node) bool { return n.ID == id })
	if at < 0 {
		y.nodes, at = append(y.nodes, spot.Node{ID: id, Name: name}), len(y.nodes)
	}
	return &y.nodes[at]
}

// addHeld adds the GPUs that a pool's spot instances hold and somebody else could use. Those that can't be given notice yet
// are left out, unless somebody has paid for their GPUs already and waits.
func (t *tx) addHeld(y *yielding, pool string, young bool, suits func(uuid string) bool) error {
	return t.each(func(r scanner) error {
		var c spot.Candidate
		var node, uuid string
		var started int64
		var notice sql.NullInt64
		if err := r.Scan(&c.ID, &c.NodeID, &node, &c.RateMicrosPerHour, &started, &notice, &uuid); err != nil {
			return err
		}
		c.StartedAt = fromMicros(started)
		n := y.node(c.NodeID, node)
		switch {
		case !suits(uuid):
		case notice.Valid:
			n.Free = append(n.Free, uuid)
		case !young && !spot.MayReclaim(c.StartedAt, t.now):
		case len(y.candidates) > 0 && y.candidates[len(y.candidates)-1].ID == c.ID:
			last := &y.candidates[len(y.candidates)-1]
			last.GPUs = append(last.GPUs, uuid)
		default:
			c.GPUs = []string{uuid}
			y.candidates = append(y.candidates, c)
		}
		return nil
	}, `SELECT i.id, i.node_id, n.name, i.rate, i.started_at, i.notice_at, h.gpu_uuid FROM instance i JOIN node n ON n.id = i.node_id
		JOIN instance_gpu h ON h.instance_id = i.id JOIN gpu g ON g.uuid = h.gpu_uuid WHERE i.kind = 'spot' AND i.pool_id = ? AND i.ended_at IS NULL
		AND i.state IN ('running', 'suspended', 'reclaiming') AND h.released_at IS NULL AND `+usable+`
		AND NOT EXISTS (SELECT 1 FROM promise WHERE gpu_uuid = h.gpu_uuid) ORDER BY i.seq, g.idx`, pool)
}

// choose returns GPUs of one node, free ones first, that are there once those who must yield have yielded.
func (y *yielding) choose(count int, wanted []string) (uuids []string, ok bool) {
	node, victims, ok := spot.Choose(y.candidates, y.nodes, count, wanted)
	switch {
	case !ok:
		return nil, false
	case len(wanted) > 0:
		return wanted, true
	}
	uuids = slices.Clone(y.node(node, "").Free)
	for _, c := range y.candidates {
		if slices.Contains(victims, c.ID) {
			uuids = append(uuids, c.GPUs...)
		}
	}
	return uuids[:count], true
}

// makeRoom chooses the GPUs that an instance on demand gets once spot instances have given theirs back; ok is false where
// that doesn't help. Nobody who waits for the pool is overtaken.
func (t *tx) makeRoom(v *supply, p Plan, wanted []string, term *time.Duration) (uuids []string, ok bool, err error) {
	if p.poolID == "" || v.waiting {
		return nil, false, nil
	}
	from := v.now.Add(spot.Notice)
	need, err := calendar.New(from, from.Add(leastStay(OnDemand, term, waitedGap)))
	if err != nil {
		return nil, false, err
	}
	suits := func(uuid string) bool { return v.reserved[uuid].Free(need) }
	var y yielding
	for _, n := range v.gaps {
		for _, g := range n.GPUs {
			if node := y.node(n.ID, n.Name); suits(g.UUID) {
				node.Free = append(node.Free, g.UUID)
			}
		}
	}
	if err := t.addHeld(&y, p.poolID, false, suits); err != nil {
		return nil, false, err
	}
	if v.only != "" {
		y.nodes = slices.DeleteFunc(y.nodes, func(n spot.Node) bool { return n.ID != v.only })
		y.candidates = slices.DeleteFunc(y.candidates, func(c spot.Candidate) bool { return c.NodeID != v.only })
	}
	uuids, ok = y.choose(p.GPUCount, wanted)
	return uuids, ok, nil
}

// roomInReservation chooses GPUs of a reservation that has begun, for who comes for them after a time.
func (t *tx) roomInReservation(r *Reservation, count int, wanted []string) (uuids []string, ok bool, err error) {
	var y yielding
	free, err := t.freeOfReservation(r.ID)
	if err != nil {
		return nil, false, err
	}
	for _, g := range free {
		n := y.node(r.NodeID, "")
		n.Free = append(n.Free, g.UUID)
	}
	if err := t.addHeld(&y, r.poolID, true, func(uuid string) bool { return slices.Contains(r.GPUs, uuid) }); err != nil {
		return nil, false, err
	}
	uuids, ok = y.choose(count, wanted)
	return uuids, ok, nil
}
