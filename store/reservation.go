package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/meter"
)

// The states of a reservation.
const (
	ReservationBooked    = "booked"    // holds its GPUs, before and in its interval
	ReservationCancelled = "cancelled" // given up before it began
	ReservationReleased  = "released"  // given back in its interval
	ReservationEnded     = "ended"     // its interval is over
)

// Reservation is a claim on GPUs for a half-open interval, paid for whether it is used or not.
type Reservation struct {
	ID, Name                               string
	TeamID, TeamName, PersonID, PersonName string
	PlanID, GPUModel                       string
	GPUCount                               int
	Named                                  bool     // these very GPUs; else any of the pool, which may change until it begins
	GPUs                                   []string // UUIDs, by index; none once it was cancelled
	NodeID                                 string
	Simulated                              bool
	Start, End                             time.Time
	State                                  string
	Parts                                  []ReservationPart // what it costs, in order
	CreatedAt                              time.Time
	ClaimedAt, CancelledAt, ReleasedAt     *time.Time
	TotalMicros                            int64 // of the whole interval; of a cancelled one its fee
	CostMicros                             int64 // by now, fee and refund included
	FeeMicros, RefundMicros                int64

	seq           int64
	poolID        string
	bookedMicros  int64
	bookedThrough *time.Time
}

// ReservationPart is a part of the interval at one rate; an extension has its own.
type ReservationPart struct {
	From, To          time.Time
	ListMicrosPerHour int64 // on demand, when it was booked
	DiscountPPM       int64
	RateMicrosPerHour int64
}

const reservationQuery = `SELECT r.seq, r.id, r.name, r.team_id, t.name, r.person_id, p.name, r.plan_id, r.pool_id, r.gpu_model, r.gpu_count, r.named,
	coalesce((SELECT group_concat(printf('%04d %s', g.idx, g.uuid), char(10)) FROM reservation_gpu h JOIN gpu g ON g.uuid = h.gpu_uuid WHERE h.reservation_id = r.id), ''),
	coalesce((SELECT g.node_id FROM reservation_gpu h JOIN gpu g ON g.uuid = h.gpu_uuid WHERE h.reservation_id = r.id LIMIT 1), ''),
	r.simulated, r.start_at, r.end_at, r.state, r.created_at, r.claimed_at, r.cancelled_at, r.released_at, r.booked_micros, r.booked_through,
	coalesce((SELECT sum(o.amount) FROM entry e JOIN posting o ON o.entry_id = e.id AND o.account = 'team:' || e.team_id WHERE e.reservation_id = r.id AND e.kind = 'fee'), 0),
	coalesce((SELECT -sum(o.amount) FROM entry e JOIN posting o ON o.entry_id = e.id AND o.account = 'team:' || e.team_id WHERE e.reservation_id = r.id AND e.kind = 'refund'), 0)
	FROM reservation r JOIN team t ON t.id = r.team_id JOIN person p ON p.id = r.person_id `

func scanReservation(s scanner) (Reservation, error) {
	var r Reservation
	var gpus string
	var start, end, created int64
	var claimed, cancelled, released, booked sql.NullInt64
	err := s.Scan(&r.seq, &r.ID, &r.Name, &r.TeamID, &r.TeamName, &r.PersonID, &r.PersonName, &r.PlanID, &r.poolID, &r.GPUModel, &r.GPUCount, &r.Named,
		&gpus, &r.NodeID, &r.Simulated, &start, &end, &r.State, &created, &claimed, &cancelled, &released, &r.bookedMicros, &booked, &r.FeeMicros, &r.RefundMicros)
	r.GPUs, r.Start, r.End, r.CreatedAt = inOrder(gpus), fromMicros(start), fromMicros(end), fromMicros(created)
	r.ClaimedAt, r.CancelledAt, r.ReleasedAt, r.bookedThrough = timeOrNil(claimed), timeOrNil(cancelled), timeOrNil(released), timeOrNil(booked)
	return r, err
}

// Reservation returns one reservation.
func (s *Store) Reservation(ctx context.Context, id string) (r Reservation, err error) {
	err = s.read(ctx, func(t *tx) error {
		r, err = t.reservation(id)
		return err
	})
	return r, err
}

func (t *tx) reservation(id string) (Reservation, error) {
	all, err := t.reservations("WHERE r.id = ?", id)
	if err != nil {
		return Reservation{}, err
	}
	if len(all) == 0 {
		return Reservation{}, notFound("reservation", id)
	}
	return all[0], nil
}

// reservations runs a query and fills in the parts and what they cost.
func (t *tx) reservations(where string, args ...any) ([]Reservation, error) {
	all, err := list(t, scanReservation, reservationQuery+where, args...)
	if err != nil {
		return nil, err
	}
	for k := range all {
		r := &all[k]
		if r.Parts, err = t.parts(r.ID); err != nil {
			return nil, err
		}
		r.TotalMicros, r.CostMicros = r.FeeMicros, r.FeeMicros
		if r.State != ReservationCancelled {
			b := r.billed()
			r.TotalMicros = meter.Cost(segmentsOfParts(r.Parts, r.End), b.terms, r.End, r.End)
			now := later(t.now, b.bookedThrough)
			r.CostMicros += meter.Cost(segmentsOfParts(r.Parts, now), b.terms, now, now) - r.RefundMicros
		}
	}
	return all, nil
}

// parts returns what a reservation costs, in order.
func (t *tx) parts(id string) ([]ReservationPart, error) {
	return list(t, func(s scanner) (ReservationPart, error) {
		var p ReservationPart
		var from, to int64
		err := s.Scan(&from, &to, &p.ListMicrosPerHour, &p.DiscountPPM, &p.RateMicrosPerHour)
		p.From, p.To = fromMicros(from), fromMicros(to)
		return p, err
	}, "SELECT from_at, to_at, list_rate, discount_ppm, rate FROM reservation_part WHERE reservation_id = ? ORDER BY from_at", id)
}

// segmentsOfParts is what a reservation's bill is folded from, by a moment: its interval is used as it passes.
func segmentsOfParts(parts []ReservationPart, now time.Time) []meter.Segment {
	var segments []meter.Segment
	for _, p := range parts {
		if !p.From.Before(now) {
			break
		}
		g := meter.Segment{State: life.Running, Billable: true, RateMicrosPerHour: p.RateMicrosPerHour, From: p.From}
		if !p.To.After(now) {
			g.To = &p.To
		}
		segments = append(segments, g)
	}
	return segments
}

// billed is the reservation as the ledger sees it; a cancelled one has a fee at most.
func (r *Reservation) billed() *billed {
	b := &billed{reservationID: r.ID, name: r.Name, teamID: r.TeamID, teamName: r.TeamName, personID: r.PersonID, personName: r.PersonName,
		item: Reserved, gpuModel: r.GPUModel, gpuCount: r.GPUCount, bookedMicros: r.bookedMicros}
	if r.State != ReservationCancelled {
		b.terms = meter.Terms{StartedAt: &r.Start} // its time is all there is to it: an end adds nothing
	}
	if r.bookedThrough != nil {
		b.bookedThrough = *r.bookedThrough
	}
	return b
}
