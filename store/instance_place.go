package store

import (
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

// put starts what waited where there is room for it.
func (t *tx) put(i *Instance, where place) error {
	if err := t.lockPrice(i); err != nil {
		return err
	}
	ends, because, err := t.ends(&where, i.term(), later(t.now, i.RequestedAt))
	if err != nil {
		return err
	}
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
