package store

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
)

// give hands GPUs to an instance. The database refuses one that another live instance has.
func (t *tx) give(id string, uuids []string) error {
	for _, uuid := range uuids {
		_, err := t.exec("INSERT INTO instance_gpu (instance_id, gpu_uuid) VALUES (?, ?)", id, uuid)
		if violates(err, "instance_gpu.gpu_uuid") {
			return &Error{Kind: NoCapacity, Message: "gpu_taken", Args: map[string]string{"id": uuid}}
		}
		if err != nil {
			return err
		}
		t.emit("gpu", uuid)
	}
	return nil
}

// PlaceQueued lets those start that wait and now find their GPUs free, in the order in which they asked: whoever is first
// in a pool's queue is never overtaken. A budget that is used up keeps its instances waiting.
func (s *Store) PlaceQueued(ctx context.Context) (placed int, err error) {
	waiting := int64(0)
	err = s.read(ctx, func(t *tx) error {
		waiting, err = t.number("SELECT count(*) FROM instance WHERE state = 'queued'")
		return err
	})
	if err != nil || waiting == 0 {
		return 0, err
	}
	err = s.write(ctx, func(t *tx) error {
		placed = 0
		queue, err := t.instances(instanceQuery + "WHERE i.state = 'queued' AND i.kind <> 'reserved' AND NOT EXISTS (SELECT 1 FROM promise WHERE instance_id = i.id) ORDER BY i.kind = 'spot', i.seq")
		if err != nil {
			return err
		}
		full := map[string]bool{} // pools whose first one still waits
		for k := range queue {
			i := &queue[k]
			if full[i.poolID] {
				continue
			}
			ok, err := t.placeQueued(i)
			if err != nil {
				return err
			}
			if ok {
				placed++
			} else {
				full[i.poolID] = true
			}
		}
		return nil
	})
	return placed, err
}

func (t *tx) placeQueued(i *Instance) (bool, error) {
	if err := t.budgetsBlock(i.PersonID, i.TeamID, i.Labels); err != nil {
		if KindOf(err) == BudgetBlocks {
			return false, nil
		}
		return false, err
	}
	v, err := t.supply(i.poolID)
	if err != nil {
		return false, err
	}
	where, ok := v.as(i.Kind).place(Plan{poolID: i.poolID, GPUCount: i.GPUCount}, i.wanted, false, i.term())
	if !ok {
		return false, nil
	}
	if where.nodeID == "" {
		if where.nodeID, err = t.cpuNode(); err != nil {
			return false, err
		}
	}
	return true, t.put(i, where)
}

// put starts what waited where there is room for it.
func (t *tx) put(i *Instance, where place) error {
	ends, because := where.ends(i.term(), later(t.now, i.RequestedAt))
	if _, err := t.exec("UPDATE instance SET node_id = ?, ends_at = ?, ends_because = ?, placed_at = ? WHERE id = ?", where.nodeID, ends, because, micros(t.now), i.ID); err != nil {
		return err
	}
	if err := t.step(i, life.Starting); err != nil {
		return err
	}
	if err := t.give(i.ID, where.uuids); err != nil {
		return err
	}
	return t.instanceEvent(i.ID, "placed", "", nil)
}

// term is how long it may run from its start on; nil: without end.
func (i *Instance) term() *time.Duration {
	if i.duration == nil {
		return nil
	}
	d := time.Duration(*i.duration) * time.Microsecond
	return &d
}
