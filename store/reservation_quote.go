package store

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store/term"
)

// ReservationQuote is what a reservation would cost, as Reserve or ExtendReservation would book it now.
type ReservationQuote struct {
	Plan        Plan
	GPUs        []string // that it would have
	Moved       int      // others' bookings by count that would get other GPUs
	Part        ReservationPart
	TotalMicros int64 // of what would be added
	ListMicros  int64 // the same on demand
	// Cancelling it costs nothing up to FreeUntil, where that is not past; CancelMicros is the most that it costs later.
	FreeUntil    time.Time
	CancelMicros int64
}

// QuoteReservation says what a reservation would cost, and refuses what Reserve would refuse now. It books nothing.
func (s *Store) QuoteReservation(ctx context.Context, n NewReservation) (q ReservationQuote, err error) {
	n.Start, n.End = instant(n.Start), instant(n.End)
	err = s.read(ctx, func(t *tx) error {
		if n.TeamID == "" {
			p, err := t.activePerson(n.PersonID)
			if err != nil {
				return err
			}
			n.TeamID = p.TeamID
		}
		if err := t.mayRent(RentRequest{PersonID: n.PersonID, TeamID: n.TeamID}); err != nil {
			return err
		}
		b, err := t.bookingOf(&n)
		if err != nil {
			return err
		}
		q = quoteOf(b.part, []term.Part{b.part.term()})
		q.Plan, q.GPUs, q.Moved, q.TotalMicros = b.plan, b.place.UUIDs, len(b.moves), term.Total([]term.Part{b.part.term()})
		return nil
	})
	return q, err
}

// QuoteExtension says what ExtendReservation would add, and refuses what it would refuse now.
func (s *Store) QuoteExtension(ctx context.Context, id, by string, end time.Time) (q ReservationQuote, err error) {
	err = s.read(ctx, func(t *tx) error {
		r, err := t.reservation(id)
		if err != nil {
			return err
		}
		if err := t.mayEnd(by, &r); err != nil {
			return err
		}
		e, err := t.extensionOf(&r, instant(end))
		if err != nil {
			return err
		}
		q = quoteOf(e.part, append(r.termParts(), e.part.term()))
		q.GPUs, q.Moved, q.TotalMicros = e.place.UUIDs, len(e.moves), e.addedMicros
		return nil
	})
	return q, err
}

// quoteOf fills in what a part costs on demand, and what cancelling all parts does.
func quoteOf(part ReservationPart, all []term.Part) ReservationQuote {
	list := part.term()
	list.RateMicrosPerHour = part.ListMicrosPerHour
	start := all[0].From
	return ReservationQuote{Part: part, ListMicros: term.Total([]term.Part{list}), FreeUntil: start.Add(-term.FreeBefore),
		CancelMicros: term.Cancel(all, start).FeeMicros}
}

// CancelCost says what giving a reservation up now means: the fee before it begins; in its interval, the most that can come
// back, if all of it is rented again.
func (r *Reservation) CancelCost(now time.Time) (feeMicros, refundMicros int64) {
	if r.State != ReservationBooked || !now.Before(r.End) {
		return 0, 0
	}
	parts := r.termParts()
	if now.Before(r.Start) {
		return term.Cancel(parts, now).FeeMicros, 0
	}
	return 0, term.Refund(parts, r.GPUCount, now, []term.Again{{From: now, To: r.End, GPUs: r.GPUCount}})
}
