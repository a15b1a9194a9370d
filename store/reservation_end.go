package store

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/term"
)

// CancelReservation gives a reservation up before it begins: for nothing up to 24 hours before its start, for a fee later.
// In its interval it is released: its GPUs are offered again, and what is rented again of its time is refunded when the
// interval is over. What is over already stays as it is. by is the person, "" for the console; NotFound or Forbidden if
// they may not; Conflict while an instance uses it. expect is the fee that the person was told, nil for none: price_changed
// if it is another by now.
func (s *Store) CancelReservation(ctx context.Context, id, by string, expect *int64) (r Reservation, err error) {
	err = s.write(ctx, func(t *tx) error {
		if r, err = t.reservation(id); err != nil {
			return err
		}
		if err := t.mayEnd(by, &r); err != nil {
			return err
		}
		if r.State == ReservationBooked && t.now.Before(r.End) {
			fee, _ := r.CancelCost(t.now)
			if err := expected(fee, expect); err != nil {
				return err
			}
			if err := t.giveUp(&r, by); err != nil {
				return err
			}
		}
		r, err = t.reservation(id)
		return err
	})
	return r, err
}

// mayEnd refuses who may not change a reservation, as with instances.
func (t *tx) mayEnd(by string, r *Reservation) error {
	if by == "" {
		return nil
	}
	role, err := t.roleIn(by, r.TeamID)
	switch {
	case err != nil:
		return err
	case !role.Sees():
		return notFound("reservation", r.ID)
	case !role.Acts(by == r.PersonID):
		return &Error{Kind: Forbidden, Message: "not_your_reservation"}
	}
	return nil
}

func (t *tx) giveUp(r *Reservation, by string) error {
	action := "reservation_cancelled"
	if t.now.Before(r.Start) {
		if err := t.cancel(r); err != nil {
			return err
		}
	} else {
		action = "reservation_released"
		if err := t.release(r); err != nil {
			return err
		}
	}
	t.emit("reservation", r.ID)
	return t.audit(AuditRecord{PersonID: by, Action: action, Target: r.ID})
}

func (t *tx) cancel(r *Reservation) error {
	if fee := term.Cancel(r.termParts(), t.now).FeeMicros; fee != 0 {
		if err := t.entry(newEntry{billed: r.billed(), key: r.ID + ":fee", kind: "fee", from: t.now, to: t.now, amount: fee}); err != nil {
			return err
		}
	}
	if _, err := t.exec("DELETE FROM reservation_gpu WHERE reservation_id = ?", r.ID); err != nil {
		return err
	}
	_, err := t.exec("UPDATE reservation SET state = 'cancelled', cancelled_at = ?1, settled_at = ?1, booked_through = NULL WHERE id = ?2", micros(t.now), r.ID)
	return err
}

func (t *tx) release(r *Reservation) error {
	used, err := t.number("SELECT count(*) FROM instance WHERE reservation_id = ? AND "+alive, r.ID)
	if err != nil {
		return err
	}
	if used > 0 {
		return &Error{Kind: Conflict, Message: "reservation_in_use"}
	}
	// One microsecond is kept at least: which GPUs it had is known by their rows.
	until := later(t.now, r.Start.Add(time.Microsecond))
	if _, err := t.exec("UPDATE reservation_gpu SET to_at = ? WHERE reservation_id = ?", micros(until), r.ID); err != nil {
		return err
	}
	_, err = t.exec("UPDATE reservation SET state = 'released', released_at = ? WHERE id = ?", micros(t.now), r.ID)
	return err
}

// dueReservations returns those with a midnight that is not booked yet, or whose interval is over.
func (t *tx) dueReservations() ([]string, error) {
	midnight, err := t.lastMidnight()
	if err != nil {
		return nil, err
	}
	return list(t, func(s scanner) (id string, err error) {
		err = s.Scan(&id)
		return id, err
	}, `SELECT id FROM reservation WHERE settled_at IS NULL AND state <> 'cancelled' AND start_at < ?1 AND (end_at <= ?1 OR booked_through < ?2)
		ORDER BY +seq LIMIT ?3`, micros(t.now), micros(midnight), postDueBatch)
}

// lastMidnight is when the day of the site's zone began.
func (t *tx) lastMidnight() (time.Time, error) {
	zone, err := t.siteZone()
	if err != nil {
		return time.Time{}, err
	}
	midnight, _ := budget.Day.Bounds(t.now, zone)
	return midnight, nil
}

// postReservation books a reservation up to the last midnight; one whose interval is over to its end, and settles it.
func (t *tx) postReservation(id string) (int, error) {
	r, err := t.reservation(id)
	if err != nil || r.State == ReservationEnded || r.State == ReservationCancelled {
		return 0, err
	}
	return t.counted("reservation_id", id, func() error { return t.bookReservation(&r) })
}

func (t *tx) bookReservation(r *Reservation) error {
	b := r.billed()
	segments, err := t.segmentsOfBilled(b)
	if err != nil {
		return err
	}
	over, through := !t.now.Before(r.End), r.End
	if !over {
		if through, err = t.lastMidnight(); err != nil {
			return err
		}
	}
	if through.After(b.bookedThrough) {
		if err := t.bookThrough(b, segments, through); err != nil {
			return err
		}
	}
	if !over {
		return nil
	}
	if r.ReleasedAt != nil {
		if err := t.refund(r); err != nil {
			return err
		}
	}
	_, err = t.exec("UPDATE reservation SET state = 'ended', settled_at = ? WHERE id = ?", micros(t.now), r.ID)
	t.emit("reservation", r.ID)
	return err
}

// refund gives back the price of the GPU time that was rented again after an early release. The team's own spot instances do
// not count: else it would pay their price for what it has booked at its own. Nor does what became free: nobody paid for it.
func (t *tx) refund(r *Reservation) error {
	again, err := list(t, func(s scanner) (term.Again, error) {
		var from, to int64
		err := s.Scan(&from, &to)
		return term.Again{From: fromMicros(from), To: fromMicros(to), GPUs: 1}, err
	}, `SELECT max(g.from_at, ?2), min(coalesce(g.to_at, ?3), ?3) FROM reservation_gpu h JOIN instance_gpu u ON u.gpu_uuid = h.gpu_uuid
		JOIN instance i ON i.id = u.instance_id AND i.reservation_id IS NULL AND NOT (i.kind = 'spot' AND i.team_id = ?4)
			AND NOT (i.ended_at IS NOT NULL AND i.booked_micros = 0 AND i.rate > 0) JOIN segment g ON g.instance_id = i.id AND g.billable = 1
		WHERE h.reservation_id = ?1 AND g.from_at < ?3 AND coalesce(g.to_at, ?3) > ?2
		UNION ALL SELECT max(o.from_at, ?2), min(o.to_at, ?3) FROM reservation_gpu h JOIN reservation_gpu o ON o.gpu_uuid = h.gpu_uuid AND o.reservation_id <> h.reservation_id
		WHERE h.reservation_id = ?1 AND o.from_at < ?3 AND o.to_at > ?2`, r.ID, micros(*r.ReleasedAt), micros(r.End), r.TeamID)
	if err != nil {
		return err
	}
	back := term.Refund(r.termParts(), r.GPUCount, *r.ReleasedAt, again)
	if back == 0 {
		return nil
	}
	return t.entry(newEntry{billed: r.billed(), key: r.ID + ":refund", kind: "refund", from: r.End, to: r.End, amount: -back})
}
