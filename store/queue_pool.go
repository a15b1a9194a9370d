package store

import (
	"cmp"
	"fmt"

	"github.com/meterhouse/meterhouse/store/queue"
	"github.com/meterhouse/meterhouse/store/spot"
)

// queuePool is a pool as the rules of the queue see it. All ends are a handover later than they are: then whoever comes
// after finds the GPUs free and proven clean. That a reservation begins when it does is kept by the same shift.
func (t *tx) queuePool(pool string) (in queue.Pool, err error) {
	reserved, err := t.reservedSpans(pool)
	if err != nil {
		return in, err
	}
	promised, err := t.promises(pool)
	if err != nil {
		return in, err
	}
	err = t.each(func(r scanner) error {
		n, g, out := queue.Node{}, queue.GPU{}, false
		if err := r.Scan(&n.ID, &n.Name, &n.Down, &g.UUID, &g.Index, &g.Where.Island, &g.Where.NUMA, &out); err != nil {
			return err
		}
		g.Out, g.Reserved, g.Promised = out, reserved[g.UUID], promised[g.UUID]
		if k := len(in.Nodes); k == 0 || in.Nodes[k-1].ID != n.ID {
			in.Nodes = append(in.Nodes, n)
		}
		last := &in.Nodes[len(in.Nodes)-1]
		last.GPUs = append(last.GPUs, g)
		return nil
	}, `SELECT g.node_id, n.name, n.state <> 'up' OR n.service <> 'open', g.uuid, g.idx, g.island, g.numa, g.state <> 'ok' FROM gpu g JOIN node n ON n.id = g.node_id
		WHERE g.pool_id = ? ORDER BY g.node_id, g.idx, g.uuid`, pool)
	if err != nil {
		return in, err
	}
	in.Running, err = t.queueRunning(`SELECT i.id, i.team_id, h.gpu_uuid, i.ends_at, coalesce(i.ended_at, i.stop_requested_at), i.notice_at FROM instance_gpu h
		JOIN instance i ON i.id = h.instance_id JOIN gpu g ON g.uuid = h.gpu_uuid WHERE h.released_at IS NULL AND g.pool_id = ? ORDER BY i.seq`, pool)
	return in, err
}

// queueRunning collects who holds GPUs, a row each. Several things may end them: the first is their hard end.
func (t *tx) queueRunning(query string, args ...any) ([]queue.Running, error) {
	var all []queue.Running
	err := t.each(func(r scanner) error {
		var id, team, uuid string
		var ends, over, notice *int64
		if err := r.Scan(&id, &team, &uuid, &ends, &over, &notice); err != nil {
			return err
		}
		if k := len(all); k > 0 && all[k-1].ID == id {
			all[k-1].UUIDs = append(all[k-1].UUIDs, uuid)
			return nil
		}
		run := queue.Running{ID: id, Team: team, UUIDs: []string{uuid}, Milli: queue.Share}
		if notice != nil {
			*notice += spot.Notice.Microseconds()
		}
		for _, at := range []*int64{ends, over, notice} {
			if at == nil {
				continue
			}
			if until := fromMicros(*at).Add(handover); !run.Ends || until.Before(run.Until) {
				run.Ends, run.Until = true, until
			}
		}
		all = append(all, run)
		return nil
	}, query, args...)
	return all, err
}

// reservedSpans returns when a pool's GPUs are reserved from now on. One that nobody used is over at once, and still keeps its
// GPUs for the handover that all plans counted in: who is first would start on them sooner than was said, and be in the way
// of those behind.
func (t *tx) reservedSpans(pool string) (map[string][]queue.Span, error) {
	spans := map[string][]queue.Span{}
	err := t.each(func(r scanner) error {
		var uuid string
		var from, to int64
		var span queue.Span
		if err := r.Scan(&uuid, &from, &to, &span.Unclaimed); err != nil {
			return err
		}
		span.From, span.To = fromMicros(from).Add(handover), fromMicros(to).Add(handover)
		spans[uuid] = append(spans[uuid], span)
		return nil
	}, `SELECT h.gpu_uuid, h.from_at, h.to_at, `+unclaimed+` FROM gpu_planned h JOIN gpu g ON g.uuid = h.gpu_uuid
		LEFT JOIN reservation r ON r.id = h.reservation_id WHERE g.pool_id = ?1 AND (h.to_at > ?2 OR h.to_at > ?3 AND h.to_at = r.end_at) ORDER BY h.from_at`, pool, micros(t.now), micros(t.now.Add(-handover)))
	return spans, err
}

// cpuPool is the places of CPU-only work, as if each were a GPU of one node.
func (t *tx) cpuPool() (in queue.Pool, err error) {
	up, err := t.number("SELECT count(*) FROM node WHERE state = 'up' AND service = 'open'")
	if err != nil {
		return in, err
	}
	node := queue.Node{ID: "cpu", Name: "cpu", Down: up == 0}
	for k := range cpuPlanPlaces {
		node.GPUs = append(node.GPUs, queue.GPU{UUID: cpuPlace(k), Index: k})
	}
	in.Nodes = []queue.Node{node}
	in.Running, err = t.queueRunning(`SELECT id, team_id, '', ends_at, coalesce(ended_at, stop_requested_at), NULL FROM instance
		WHERE pool_id IS NULL AND ` + alive + ` AND state <> 'queued' ORDER BY seq`)
	for k := range in.Running {
		in.Running[k].UUIDs = []string{cpuPlace(k)}
	}
	return in, err
}

func cpuPlace(k int) string { return fmt.Sprintf("place-%d", k) }

// compareQueued orders instances that wait: pool by pool, in the order in which they are served.
func compareQueued(a, b Instance) int {
	return cmp.Or(cmp.Compare(a.poolID, b.poolID), cmp.Compare(a.QueuePlace, b.QueuePlace), cmp.Compare(a.seq, b.seq))
}
