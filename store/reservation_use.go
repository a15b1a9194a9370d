package store

import (
	"context"
	"time"
)

// ReservationUse is how a reservation was used by now, in GPU time.
type ReservationUse struct {
	Used      time.Duration // by the instances on it
	Reserved  time.Duration
	All       time.Duration // used by its team in its time so far, whatever it was rented as, on GPUs of its pool
	Instances []Instance    // the newest, newest first
}

// useShown bounds the instances of a ReservationUse.
const useShown = 100

// ReservationUse says how a reservation was used by now.
func (s *Store) ReservationUse(ctx context.Context, id string) (u ReservationUse, err error) {
	err = s.read(ctx, func(t *tx) error {
		r, err := t.reservation(id)
		if err != nil {
			return err
		}
		if u.Instances, err = t.instances(instanceQuery+"WHERE i.reservation_id = ? ORDER BY i.seq DESC LIMIT ?", id, useShown); err != nil {
			return err
		}
		until := earlier(t.now, r.End)
		if r.ReleasedAt != nil {
			until = *r.ReleasedAt
		}
		if r.State == ReservationCancelled || !r.Start.Before(until) {
			return nil
		}
		u.Reserved = until.Sub(r.Start) * time.Duration(r.GPUCount)
		for _, q := range []struct {
			where string
			arg   any
			into  *time.Duration
		}{{"i.reservation_id = ?3", r.ID, &u.Used}, {"i.team_id = ?3 AND i.pool_id = ?4", r.TeamID, &u.All}} {
			n, err := t.number(`SELECT sum(i.gpu_count * (min(coalesce(s.to_at, ?2), ?2) - max(s.from_at, ?1))) FROM segment s JOIN instance i ON i.id = s.instance_id
				WHERE s.billable = 1 AND s.from_at < ?2 AND coalesce(s.to_at, ?2) > ?1 AND ?4 = ?4 AND `+q.where, micros(r.Start), micros(until), q.arg, r.poolID)
			if err != nil {
				return err
			}
			*q.into = time.Duration(n) * time.Microsecond
		}
		return nil
	})
	return u, err
}

// PlanOfOne is the plan of one GPU of a reservation's pool.
func (r *Reservation) PlanOfOne() string { return r.poolID + "-x1" }
