package store

import (
	"cmp"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/calendar"
)

// claim finds the place of an instance that uses a reservation of its team: the one that is named, or of those that have
// begun and have enough GPUs free the one that ends first. It costs nothing of its own, and ends when the reservation does.
func (t *tx) claim(r RentRequest) (priced, error) {
	active, err := t.reservations("WHERE r.team_id = ? AND r.state = 'booked' AND r.end_at > ? ORDER BY r.end_at, r.seq", r.TeamID, micros(t.now))
	if err != nil {
		return priced{}, err
	}
	if r.ReservationID != "" {
		active = slices.DeleteFunc(active, func(v Reservation) bool { return v.ID != r.ReservationID })
		if len(active) == 0 {
			return priced{}, notFound("reservation", r.ReservationID)
		}
	}
	active = slices.DeleteFunc(active, func(v Reservation) bool { return r.Node != "" && v.NodeID != r.Node })
	var reclaimed priced
	refused := &Error{Kind: Conflict, Field: "kind", Message: "no_reservation_now"}
	for k := range active {
		v := &active[k]
		if t.now.Before(v.Start) {
			if refused.Message == "no_reservation_now" {
				refused = &Error{Kind: Conflict, Field: "kind", Message: "reservation_not_begun", Args: map[string]string{"start": v.Start.Format(time.RFC3339)}}
			}
			continue
		}
		found, ok, err := t.claimOf(v, r)
		if err != nil || ok {
			return found, err
		}
		if found.reclaim != nil && reclaimed.reclaim == nil {
			reclaimed = found
		}
		refused = &Error{Kind: NoCapacity, Message: "reservation_used_up", Args: map[string]string{"name": v.Name}}
	}
	if reclaimed.reclaim != nil {
		_, err := t.exec("UPDATE reservation SET claimed_at = coalesce(claimed_at, ?) WHERE id = ?", micros(t.now), reclaimed.reservation)
		return reclaimed, err
	}
	return priced{}, refused
}

// claimOf places an instance on a reservation's GPUs; ok is false where it has none of that model, or too few are free. Then
// found names those that spot instances give back, if that helps.
func (t *tx) claimOf(v *Reservation, r RentRequest) (found priced, ok bool, err error) {
	if r.GPUCount == 0 {
		r.GPUCount = cmp.Or(len(r.GPUs), v.GPUCount)
	}
	plans, err := t.plans()
	if err != nil {
		return found, false, err
	}
	at := slices.IndexFunc(plans, func(p Plan) bool {
		return p.poolID == v.poolID && p.GPUCount == r.GPUCount && (r.PlanID == "" || r.PlanID == p.ID)
	})
	if at < 0 || r.GPUModel != "" && slug(r.GPUModel) != slug(v.GPUModel) && slug(r.GPUModel) != v.poolID {
		return found, false, nil
	}
	node := calendar.Node{ID: v.NodeID}
	if node.GPUs, err = t.freeOfReservation(v.ID); err != nil {
		return found, false, err
	}
	where, ok := calendar.Longest([]calendar.Node{node}, calendar.Want{Count: r.GPUCount, Named: r.GPUs}, t.now)
	if !ok {
		found = priced{plan: plans[at], reservation: v.ID}
		found.reclaim, _, err = t.roomInReservation(v, r.GPUCount, r.GPUs)
		return found, false, err
	}
	_, err = t.exec("UPDATE reservation SET claimed_at = coalesce(claimed_at, ?) WHERE id = ?", micros(t.now), v.ID)
	end := v.End
	if r.Duration != nil {
		end = earlier(end, t.now.Add(*r.Duration))
	}
	return priced{plan: plans[at], place: &place{nodeID: where.NodeID, uuids: where.UUIDs, end: &end, reservation: v.ID}}, true, err
}

// freeOfReservation returns the GPUs of a reservation that nobody has and none is promised to.
func (t *tx) freeOfReservation(id string) ([]calendar.GPU, error) {
	return list(t, func(s scanner) (g calendar.GPU, err error) {
		return g, s.Scan(&g.UUID, &g.Index, &g.Where.Island, &g.Where.NUMA)
	},
		`SELECT g.uuid, g.idx, g.island, g.numa FROM reservation_gpu h JOIN gpu g ON g.uuid = h.gpu_uuid JOIN node n ON n.id = g.node_id
		WHERE h.reservation_id = ? AND `+unheld+` AND NOT EXISTS (SELECT 1 FROM promise WHERE gpu_uuid = g.uuid) ORDER BY g.idx`, id)
}
