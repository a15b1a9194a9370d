package store

import (
	"context"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/spot"
)

// reservedSoon is how long before a reservation begins its GPUs are reclaimed: the notice, and time to look.
const reservedSoon = spot.Notice + 10*time.Second

// Reclaim does what is due between those who yield GPUs and those who get them: it starts those whose promised GPUs are
// free, gives notice where GPUs are promised or a reservation of them is about to begin, and looks whether somebody who waits
// can be helped so. It returns how many instances started.
func (s *Store) Reclaim(ctx context.Context) (started int, err error) {
	due := false
	err = s.read(ctx, func(t *tx) error {
		return t.row(`SELECT EXISTS (SELECT 1 FROM promise) OR EXISTS (SELECT 1 FROM instance WHERE state = 'queued' AND kind = 'reserved')
			OR EXISTS (SELECT 1 FROM instance WHERE kind = 'spot' AND ended_at IS NULL AND notice_at IS NULL AND started_at IS NOT NULL)
			AND (EXISTS (SELECT 1 FROM instance WHERE state = 'queued' AND kind <> 'spot') OR EXISTS (SELECT 1 FROM reservation_gpu WHERE from_at > ?1 AND from_at <= ?2)
				OR EXISTS (SELECT 1 FROM maintenance WHERE cancelled_at IS NULL AND start_at <= ?2 AND end_at > ?1) OR EXISTS (SELECT 1 FROM node WHERE drain_by <= ?2))`,
			micros(t.now), micros(t.now.Add(reservedSoon))).Scan(&due)
	})
	if err != nil || !due {
		return 0, err
	}
	err = s.write(ctx, func(t *tx) error {
		if started, err = t.placePromised(); err != nil {
			return err
		}
		if err := t.noticeForReservations(); err != nil {
			return err
		}
		if err := t.noticeForNodes(); err != nil {
			return err
		}
		if err := t.promiseToQueued(); err != nil {
			return err
		}
		return t.noticeForPromised()
	})
	return started, err
}

// promises returns which of a pool's GPUs are kept for whom.
func (t *tx) promises(pool string) (map[string]string, error) {
	all := map[string]string{}
	err := t.each(func(r scanner) error {
		var uuid, id string
		err := r.Scan(&uuid, &id)
		all[uuid] = id
		return err
	}, "SELECT p.gpu_uuid, p.instance_id FROM promise p JOIN gpu g ON g.uuid = p.gpu_uuid WHERE g.pool_id = ?", pool)
	return all, err
}

// promise keeps GPUs for a queued instance: those that are free, and those that are to be given back.
func (t *tx) promise(id string, uuids []string) error {
	for _, uuid := range uuids {
		if _, err := t.exec("INSERT INTO promise (gpu_uuid, instance_id, at) VALUES (?, ?, ?)", uuid, id, micros(t.now)); err != nil {
			return err
		}
		t.emit("gpu", uuid)
	}
	return t.instanceEvent(id, "gpus_promised", "", nil)
}

// promiseToQueued lets those who wait on demand have GPUs that spot instances hold, in the order in which they are served:
// the first of a pool who can't be helped so is not overtaken, but for who is kept waiting whatever is free.
func (t *tx) promiseToQueued() error {
	queue, err := t.instances(instanceQuery + `WHERE i.state = 'queued' AND i.kind <> 'spot' AND i.pool_id IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM promise WHERE instance_id = i.id)`)
	if err != nil {
		return err
	}
	slices.SortFunc(queue, compareQueued)
	stuck := map[string]bool{}
	for k := range queue {
		i := &queue[k]
		if stuck[i.poolID] {
			continue
		}
		if kept, err := t.keptNow(i); err != nil {
			return err
		} else if kept != "" && i.ReservationID == "" {
			continue
		}
		uuids, ok, err := t.roomFor(i)
		if err != nil {
			return err
		}
		if stuck[i.poolID] = !ok && i.ReservationID == ""; !ok {
			continue
		}
		if err := t.promise(i.ID, uuids); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) roomFor(i *Instance) (uuids []string, ok bool, err error) {
	if i.ReservationID != "" {
		r, err := t.reservation(i.ReservationID)
		switch {
		case err != nil:
			return nil, false, err
		case r.over(t.now):
			return nil, false, t.requestStop(i, "", "reservation_over")
		}
		return t.roomInReservation(&r, i.GPUCount, i.wanted)
	}
	v, err := t.supply(i.poolID)
	if err != nil {
		return nil, false, err
	}
	v = v.on(i.WantedNode)
	p := Plan{poolID: i.poolID, GPUCount: i.GPUCount}
	least := leastStay(i.Kind, i.term(), waitedGap)
	if _, free := v.place(p, i.wanted, false, &least); free {
		return nil, false, nil // PlaceQueued does it
	}
	v.waiting = false // it is first of those
	return t.makeRoom(v, p, i.wanted, i.term())
}
