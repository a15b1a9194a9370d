package store

import (
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/calendar"
)

// displaceAhead is how long before its start a reservation can set a hard end to what runs without one: the notices at 60,
// 15 and 5 minutes have their time.
const displaceAhead = time.Hour

// timeline is a pool's GPUs with the times in which they are taken.
type timeline struct {
	nodes     []calendar.Node
	movable   []calendar.Booking // not in the nodes' times: booked by count, and not begun
	openEnded map[string]string  // GPU → the instance without a hard end that holds it; not in the nodes' times
}

// timelineOf looks a pool up for a booking that starts at a moment. A reservation is booked on what is there and not out of
// order, though it may be in use or kept back now.
func (t *tx) timelineOf(pool string, start time.Time) (timeline, error) {
	l := timeline{openEnded: map[string]string{}}
	if err := t.each(l.scanGPU, `SELECT g.node_id, n.name, g.uuid, g.idx, g.island, g.numa FROM gpu g JOIN node n ON n.id = g.node_id
		WHERE g.pool_id = ?1 AND g.state NOT IN ('lost', 'fenced') AND n.state <> 'lost' AND n.service <> 'draining' AND (?2 OR g.state <> 'quarantined') ORDER BY g.node_id, g.idx, g.uuid`,
		pool, start.Sub(t.now) >= 24*time.Hour); err != nil {
		return l, err
	}
	if err := t.reservedTimes(pool, &l); err != nil {
		return l, err
	}
	l.movable = slices.DeleteFunc(l.movable, func(b calendar.Booking) bool { return !l.has(b.UUIDs) }) // what is gone makes no room
	if err := t.instanceTimes(pool, &l); err != nil {
		return l, err
	}
	windows, err := t.windows("WHERE m.cancelled_at IS NULL AND m.end_at > ?", micros(t.now))
	for _, m := range windows {
		if i, err := calendar.New(m.Start, m.End); err == nil {
			l.close(m.NodeID, i)
		}
	}
	return l, err
}

// has reports whether all of these GPUs are there.
func (l *timeline) has(uuids []string) bool {
	found := 0
	for _, n := range l.nodes {
		for _, g := range n.GPUs {
			if slices.Contains(uuids, g.UUID) {
				found++
			}
		}
	}
	return found == len(uuids)
}

// close takes all GPUs of a node for a time.
func (l *timeline) close(nodeID string, i calendar.Interval) {
	for n := range l.nodes {
		for g := range l.nodes[n].GPUs {
			if gpu := &l.nodes[n].GPUs[g]; l.nodes[n].ID == nodeID {
				gpu.Busy = gpu.Busy.Cover(i)
			}
		}
	}
}

func (l *timeline) scanGPU(r scanner) error {
	var node, name string
	var g calendar.GPU
	if err := r.Scan(&node, &name, &g.UUID, &g.Index, &g.Where.Island, &g.Where.NUMA); err != nil {
		return err
	}
	if n := len(l.nodes); n == 0 || l.nodes[n-1].ID != node {
		l.nodes = append(l.nodes, calendar.Node{ID: node, Name: name})
	}
	last := &l.nodes[len(l.nodes)-1]
	last.GPUs = append(last.GPUs, g)
	return nil
}

// reservedTimes adds the reservations: those that may be moved apart from the others.
func (t *tx) reservedTimes(pool string, l *timeline) error {
	movable := map[string]int{}
	return t.each(func(r scanner) error {
		var id, uuid, node string
		var named bool
		var start, from, to int64
		if err := r.Scan(&id, &named, &start, &uuid, &node, &from, &to); err != nil {
			return err
		}
		i, err := calendar.New(fromMicros(from), fromMicros(to))
		if err != nil {
			return err
		}
		if named || start <= micros(t.now) {
			l.take(uuid, i)
			return nil
		}
		k, known := movable[id]
		if !known {
			k = len(l.movable)
			movable[id] = k
			l.movable = append(l.movable, calendar.Booking{ID: id, Interval: i, Place: calendar.Place{NodeID: node}})
		}
		l.movable[k].UUIDs = append(l.movable[k].UUIDs, uuid)
		return nil
	}, `SELECT r.id, r.named, r.start_at, h.gpu_uuid, g.node_id, h.from_at, h.to_at FROM reservation_gpu h JOIN reservation r ON r.id = h.reservation_id
		JOIN gpu g ON g.uuid = h.gpu_uuid WHERE g.pool_id = ? AND h.to_at > ? ORDER BY r.seq, g.idx`, pool, micros(t.now))
}

// instanceTimes adds what runs and is no reservation's own; spot instances yield.
func (t *tx) instanceTimes(pool string, l *timeline) error {
	return t.each(func(r scanner) error {
		var id, uuid string
		var placed int64
		var ends *int64
		if err := r.Scan(&id, &uuid, &placed, &ends); err != nil {
			return err
		}
		if ends == nil {
			l.openEnded[uuid] = id
			return nil
		}
		// It holds its GPU until it is proven gone, however late.
		i, err := calendar.New(earlier(fromMicros(placed), t.now), later(fromMicros(*ends), t.now.Add(time.Microsecond)))
		if err != nil {
			return err
		}
		l.take(uuid, i)
		return nil
	}, `SELECT i.id, h.gpu_uuid, coalesce(i.placed_at, i.requested_at), CASE WHEN i.ended_at IS NOT NULL THEN i.ended_at ELSE i.ends_at END
		FROM instance_gpu h JOIN instance i ON i.id = h.instance_id JOIN gpu g ON g.uuid = h.gpu_uuid
		WHERE h.released_at IS NULL AND g.pool_id = ? AND i.kind <> 'spot' AND i.reservation_id IS NULL`, pool)
}

// take adds a time to a GPU. One that is taken already stays as it is: both can't be promised again.
func (l *timeline) take(uuid string, i calendar.Interval) {
	for n := range l.nodes {
		for g := range l.nodes[n].GPUs {
			if gpu := &l.nodes[n].GPUs[g]; gpu.UUID == uuid {
				if busy, err := gpu.Busy.Add(i); err == nil {
					gpu.Busy = busy
				}
				return
			}
		}
	}
}

// withOpenEnded is the timeline in which what runs without a hard end goes on for ever.
func (l *timeline) withOpenEnded(now time.Time) []calendar.Node {
	nodes := make([]calendar.Node, len(l.nodes))
	for n := range l.nodes {
		nodes[n] = l.nodes[n]
		nodes[n].GPUs = append([]calendar.GPU(nil), l.nodes[n].GPUs...)
		for g := range nodes[n].GPUs {
			gpu := &nodes[n].GPUs[g]
			if l.openEnded[gpu.UUID] == "" {
				continue
			}
			// Until the first booking that it already yields to: there is none, or it would have a hard end.
			gpu.Busy = calendar.Busy{calendar.From(now)}
		}
	}
	return nodes
}

// everything is the timeline with the bookings that could be moved where they are now.
func (l *timeline) everything(now time.Time) []calendar.Node {
	whole := timeline{nodes: l.withOpenEnded(now)}
	for _, b := range l.movable {
		for _, uuid := range b.UUIDs {
			whole.take(uuid, b.Interval)
		}
	}
	return whole.nodes
}

// find looks for GPUs for an interval: free ones, by moving others' bookings if need be, and only then those of instances
// without a hard end, which get one if there is time to tell them.
func (l *timeline) find(want calendar.Want, i calendar.Interval, now time.Time) (calendar.Place, []calendar.Move, bool) {
	place, moves, ok := calendar.Repack(l.withOpenEnded(now), l.movable, want, i)
	if !ok && i.Start().Sub(now) >= displaceAhead {
		place, moves, ok = calendar.Repack(l.nodes, l.movable, want, i)
	}
	return place, moves, ok
}
