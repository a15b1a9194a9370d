package store

import "time"

// placePromised starts those whose promised GPUs are all free. A promise that can't be kept is taken back, and they wait
// as all others do.
func (t *tx) placePromised() (started int, err error) {
	queue, err := t.instances(instanceQuery + "WHERE i.state = 'queued' AND i.id IN (SELECT instance_id FROM promise) ORDER BY i.seq")
	if err != nil {
		return 0, err
	}
	for k := range queue {
		i := &queue[k]
		var held, lost int64
		err := t.row(`SELECT coalesce(sum(h.gpu_uuid IS NOT NULL), 0), coalesce(sum(NOT (`+usable+`)), 0) FROM promise p
			JOIN gpu g ON g.uuid = p.gpu_uuid JOIN node n ON n.id = g.node_id
			LEFT JOIN instance_gpu h ON h.gpu_uuid = p.gpu_uuid AND h.released_at IS NULL WHERE p.instance_id = ?`, i.ID).Scan(&held, &lost)
		if err != nil {
			return started, err
		}
		if held > 0 && lost == 0 {
			continue
		}
		where, ok, err := t.keepPromise(i, lost == 0)
		if err != nil {
			return started, err
		}
		if !ok {
			continue
		}
		if err := t.put(i, where); err != nil {
			return started, err
		}
		if _, err := t.exec("DELETE FROM promise WHERE instance_id = ?", i.ID); err != nil {
			return started, err
		}
		started++
	}
	return started, nil
}

// keepPromise finds the place that an instance was promised. ok is false where it goes on waiting, or is over.
func (t *tx) keepPromise(i *Instance, there bool) (where place, ok bool, err error) {
	if i.ReservationID != "" {
		r, err := t.reservation(i.ReservationID)
		if err != nil {
			return place{}, false, err
		}
		if r.over(t.now) {
			return place{}, false, t.requestStop(i, "", "reservation_over")
		}
		end := r.End
		if term := i.term(); term != nil {
			end = earlier(end, t.now.Add(*term))
		}
		where.reservation, where.end = r.ID, &end
	}
	uuids, nodeID, err := t.promised(i.ID)
	if err != nil {
		return place{}, false, err
	}
	if there && i.ReservationID != "" {
		where.uuids, where.nodeID = uuids, nodeID
		return where, true, nil
	}
	if err := t.budgetsRefuse(i.PersonID, i.TeamID, i.Labels, i.Kind == Spot); err != nil && KindOf(err) != BudgetBlocks {
		return place{}, false, err
	} else if err != nil {
		there = false
	}
	if _, err := t.exec("DELETE FROM promise WHERE instance_id = ?", i.ID); err != nil { // for the supply to show them as free
		return place{}, false, err
	}
	if there {
		v, err := t.supply(i.poolID)
		if err != nil {
			return place{}, false, err
		}
		v = v.on(i.WantedNode)
		if where, ok = v.place(Plan{poolID: i.poolID, GPUCount: i.GPUCount}, uuids, false, i.term()); ok {
			return where, true, nil
		}
	}
	return place{}, false, t.instanceEvent(i.ID, "promise_lost", "", nil)
}

func (t *tx) promised(id string) (uuids []string, nodeID string, err error) {
	err = t.each(func(r scanner) error {
		var uuid string
		err := r.Scan(&uuid, &nodeID)
		uuids = append(uuids, uuid)
		return err
	}, "SELECT g.uuid, g.node_id FROM promise p JOIN gpu g ON g.uuid = p.gpu_uuid WHERE p.instance_id = ? ORDER BY g.idx", id)
	return uuids, nodeID, err
}

// over reports whether a reservation has no GPUs any more.
func (r *Reservation) over(now time.Time) bool {
	return r.State != ReservationBooked || !now.Before(r.End)
}
