package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/meterhouse/meterhouse/store/calendar"
	"github.com/meterhouse/meterhouse/store/queue"
)

const (
	// placeLooks is how often the queue is looked at anew where what was seen has changed before it was done.
	placeLooks = 3
	// placeAtOnce is how many start in one write: others want the writer too.
	placeAtOnce = 32
)

// PlaceQueued lets those start that wait and whose turn it is, as store/queue says: what Queues shows is what is done. Those
// for whom GPUs are being reclaimed are Reclaim's. The queue is looked at without the writer; each start is checked again
// when it is written.
func (s *Store) PlaceQueued(ctx context.Context) (placed int, err error) {
	for range placeLooks {
		turns, err := s.turns(ctx)
		if err != nil || len(turns) == 0 {
			return placed, err
		}
		started, stale, err := s.startAll(ctx, turns)
		placed += started
		if err != nil || !stale {
			return placed, err
		}
	}
	return placed, nil
}

// turn is an instance whose turn it is, and where it starts.
type turn struct {
	id, nodeID string // nodeID "": CPU-only work
	uuids      []string
	wanted     string // the node that it wants, of CPU-only work
}

func (s *Store) turns(ctx context.Context) (turns []turn, err error) {
	err = s.read(ctx, func(t *tx) error {
		turns = nil
		pools, err := t.queuedPools()
		if err != nil {
			return err
		}
		for _, pool := range pools {
			l, err := t.line(pool)
			if err != nil {
				return err
			}
			for _, p := range queue.Starts(t.now, l.ranks, l.in) {
				if l.promised[p.ID] == nil {
					turns = append(turns, turnAt(l.jobs[p.ID], p))
				}
			}
		}
		return nil
	})
	return turns, err
}

func turnAt(j *queuedJob, p queue.Place) turn {
	if j.gpuCount == 0 {
		return turn{id: p.ID, wanted: j.node}
	}
	return turn{id: p.ID, nodeID: p.NodeID, uuids: p.UUIDs}
}

// startAll starts those whose turn it is. stale says that GPUs were not as they were seen: those behind were planned around
// one who did not start, and are left for another look.
func (s *Store) startAll(ctx context.Context, turns []turn) (started int, stale bool, err error) {
	for len(turns) > 0 && !stale {
		some := turns[:min(placeAtOnce, len(turns))]
		turns = turns[len(some):]
		count := 0
		err := s.write(ctx, func(t *tx) error {
			count, stale = 0, false
			for _, turn := range some {
				ok, there, err := t.startTurn(turn)
				if err != nil {
					return err
				}
				if ok {
					count++
				}
				if stale = !there; stale {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			return started, false, err
		}
		started += count
	}
	return started, stale, nil
}

// startTurn starts one who waits. ok is false if it did not start; there is false if that is because its GPUs are gone.
func (t *tx) startTurn(turn turn) (ok, there bool, err error) {
	found, err := list(t, scanInstance, instanceQuery+"WHERE i.id = ? AND i.state = 'queued'", turn.id)
	if err != nil || len(found) == 0 {
		return false, true, err
	}
	i := &found[0]
	if kept, err := t.keptNow(i); err != nil || kept != "" {
		return false, true, err
	}
	where, ok, err := t.placeAt(turn, i.Kind, i.term(), waitedGap)
	if err != nil || !ok {
		return false, turn.wanted != "", err // those behind don't wait for one node
	}
	return true, true, t.put(i, where)
}

// placeAt is the place of whose turn it is, with gap left before a reservation where it has no term; ok is false where
// something is in the way by now.
func (t *tx) placeAt(turn turn, kind InstanceKind, term *time.Duration, gap time.Duration) (where place, ok bool, err error) {
	if turn.nodeID == "" {
		v, err := t.supply("")
		if err != nil || v.places <= 0 {
			return place{}, false, err
		}
		return t.cpuPlace(turn.wanted, kind, term, gap)
	}
	uuids, err := json.Marshal(turn.uuids)
	if err != nil {
		return place{}, false, err
	}
	free, err := t.number(`SELECT count(*) FROM gpu g JOIN node n ON n.id = g.node_id WHERE g.uuid IN (SELECT value FROM json_each(?)) AND g.node_id = ?
		AND `+unheld+`
		AND NOT EXISTS (SELECT 1 FROM promise p WHERE p.gpu_uuid = g.uuid AND p.instance_id <> ?)`, string(uuids), turn.nodeID, turn.id)
	if err != nil || free < int64(len(turn.uuids)) {
		return place{}, false, err
	}
	where = place{nodeID: turn.nodeID, uuids: turn.uuids}
	reserved, err := t.busy(`SELECT h.gpu_uuid, h.from_at, h.to_at FROM gpu_planned h LEFT JOIN reservation r ON r.id = h.reservation_id
		WHERE h.gpu_uuid IN (SELECT value FROM json_each(?1)) AND h.to_at > ?2 AND NOT (?3 AND `+unclaimed+")",
		string(uuids), micros(t.now), kind == Spot)
	if err != nil {
		return place{}, false, err
	}
	stays, err := calendar.New(t.now, t.now.Add(leastStay(kind, term, gap)))
	for _, uuid := range turn.uuids {
		if err != nil || !reserved[uuid].Free(stays) {
			return place{}, false, err
		}
		if next, booked := reserved[uuid].Next(t.now); booked && kind != Spot && (where.end == nil || next.Before(*where.end)) {
			where.end = &next
		}
	}
	return where, true, nil
}

// newcomer is how somebody who is about to wait is called.
const newcomer = "newcomer"

// inTurn finds a place for somebody who comes while others wait: only if it is their turn by the same order, or those
// ahead lose nothing by it.
func (t *tx) inTurn(p Plan, r *RentRequest) (where place, ok bool, err error) {
	j := &queuedJob{id: newcomer, teamID: r.TeamID, personID: r.PersonID, kind: r.Kind, gpuCount: p.GPUCount, since: t.now, duration: r.Duration,
		wanted: r.GPUs, node: r.Node, labels: r.Labels, gap: clickGap}
	l, err := t.line(p.poolID, j)
	if err != nil {
		return place{}, false, err
	}
	for _, start := range queue.Starts(t.now, l.ranks, l.in) {
		if start.ID == newcomer {
			return t.placeAt(turnAt(j, start), r.Kind, r.Duration, clickGap)
		}
	}
	return place{}, false, nil
}
