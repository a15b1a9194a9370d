package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/calendar"
	"github.com/meterhouse/meterhouse/store/term"
)

// ExtendReservation moves a reservation's end to a later moment. What is added is a part of its own: at the price of now,
// with the discount of the whole term. It keeps its GPUs, others' bookings by count are moved where that makes room, and one
// that has not begun and was made by count may get others. What uses it until its end goes on. expect is what the part was
// said to cost, nil: whatever it does. NotFound or Forbidden as with CancelReservation; Conflict if it is over, if its GPUs
// are not free (as with Reserve; Args until is how far it can go, where that is later than its end), or if it costs other
// than expected. The same request again moves nothing.
func (s *Store) ExtendReservation(ctx context.Context, id, by string, end time.Time, expect *int64, q Request) (r Reservation, err error) {
	end = instant(end)
	err = s.write(ctx, func(t *tx) error {
		if r, err = t.reservation(id); err != nil {
			return err
		}
		if err := t.mayEnd(by, &r); err != nil {
			return err
		}
		if _, _, err := t.once(by, q, func() (string, error) { return id, t.extendReservation(&r, by, end, expect) }); err != nil {
			return err
		}
		r, err = t.reservation(id)
		return err
	})
	return r, err
}

// extension is how a reservation would go on.
type extension struct {
	part        ReservationPart
	addedMicros int64
	whole       bool // from its start on, on other GPUs
	place       calendar.Place
	moves       []calendar.Move
	lines       timeline
}

func (t *tx) extendReservation(r *Reservation, by string, end time.Time, expect *int64) error {
	e, err := t.extensionOf(r, end)
	if err != nil {
		return err
	}
	if err := expected(e.addedMicros, expect); err != nil {
		return err
	}
	if e.whole {
		if _, err := t.exec("DELETE FROM reservation_gpu WHERE reservation_id = ?", r.ID); err != nil {
			return err
		}
	}
	if err := t.move(e.moves); err != nil {
		return err
	}
	if e.whole {
		if err := t.displace(&e.lines, e.place.UUIDs, r.Start); err != nil {
			return err
		}
		err = t.holdGPUs(r.ID, e.place.UUIDs, micros(r.Start), micros(end))
	} else {
		_, err = t.exec("UPDATE reservation_gpu SET to_at = ? WHERE reservation_id = ?", micros(end), r.ID)
	}
	if err != nil {
		return err
	}
	if _, err := t.exec("UPDATE reservation SET end_at = ? WHERE id = ?", micros(end), r.ID); err != nil {
		return err
	}
	if err := t.writePart(r.ID, e.part); err != nil {
		return err
	}
	if err := t.goOnWith(r, end); err != nil {
		return err
	}
	t.emit("reservation", r.ID)
	return t.audit(AuditRecord{PersonID: by, Action: "reservation_extended", Target: r.ID,
		Detail: fmt.Sprintf("%s – %s", r.End.Format(time.RFC3339), end.Format(time.RFC3339))})
}

// goOnWith lets the instances that end because their reservation does end with it later.
func (t *tx) goOnWith(r *Reservation, end time.Time) error {
	users, err := list(t, func(s scanner) (id string, err error) {
		err = s.Scan(&id)
		return id, err
	}, "SELECT id FROM instance WHERE reservation_id = ? AND ended_at IS NULL AND ends_because = 'reservation_ends' AND ends_at = ?", r.ID, micros(r.End))
	if err != nil {
		return err
	}
	for _, id := range users {
		if _, err := t.exec("UPDATE instance SET ends_at = ? WHERE id = ?", micros(end), id); err != nil {
			return err
		}
		if err := t.instanceEvent(id, "reservation_extended", "", map[string]string{"until": end.Format(time.RFC3339)}); err != nil {
			return err
		}
		t.emit("instance", id)
	}
	return nil
}

// extensionOf works out how a reservation goes on until a later end, without changing anything.
func (t *tx) extensionOf(r *Reservation, end time.Time) (e extension, err error) {
	switch {
	case r.State != ReservationBooked || !t.now.Before(r.End):
		return e, &Error{Kind: Conflict, Message: "reservation_over", Args: map[string]string{"name": r.Name}}
	case !end.After(r.End):
		return e, invalid("end", "extension_not_later")
	case end.Sub(t.now) > furthestReservation:
		return e, invalid("end", "too_far_ahead")
	}
	list, ok, err := t.price(r.PlanID, OnDemand)
	if err != nil {
		return e, err
	}
	if !ok {
		return e, &Error{Kind: Invalid, Field: "end", Message: "kind_not_offered", Args: map[string]string{"kind": string(Reserved)}}
	}
	if e.part, err = t.pricedPart(r.TeamID, r.poolID, r.Start, r.End, end, list); err != nil {
		return e, err
	}
	if err := t.budgetsBlock(r.PersonID, r.TeamID, nil); err != nil {
		return e, err
	}
	if err := t.quotasAllowLonger(quotaAsk{teamID: r.TeamID, personID: r.PersonID, poolID: r.poolID, gpuCount: r.GPUCount, rate: e.part.RateMicrosPerHour, except: r.ID},
		r.Start, &r.End, &end); err != nil {
		return e, err
	}
	longer := *r
	longer.Parts = append(slices.Clone(r.Parts), e.part)
	e.addedMicros = term.Total(longer.termParts()) - term.Total(r.termParts())
	more, err := calendar.New(r.End, end)
	if err != nil {
		return e, err
	}
	l, err := t.timelineOf(r.poolID, later(r.Start, t.now))
	if err != nil {
		return e, err
	}
	l.drop(r)
	stays := l.copy()
	own, err := calendar.New(r.Start, r.End)
	if err != nil {
		return e, err
	}
	for _, uuid := range r.GPUs {
		stays.take(uuid, own)
	}
	want := calendar.Want{Count: r.GPUCount, Named: r.GPUs}
	if e.place, e.moves, ok = calendar.Repack(stays.withOpenEnded(t.now), stays.movable, want, more); ok {
		return e, nil
	}
	if !r.Named && t.now.Before(r.Start) {
		if from, err := calendar.New(r.Start, end); err == nil {
			if e.place, e.moves, ok = l.find(calendar.Want{Count: r.GPUCount}, from, t.now); ok {
				e.whole, e.lines = true, l
				return e, nil
			}
		}
	}
	return e, t.noRoomToExtend(r, &stays, end)
}

// noRoomToExtend says what is in the way, how far it could go, and where the nearest room for the added time is.
func (t *tx) noRoomToExtend(r *Reservation, l *timeline, end time.Time) error {
	err := t.noRoom(r.poolID, l, calendar.Want{Count: r.GPUCount}, NewReservation{Start: r.End, End: end})
	var e *Error
	if !errors.As(err, &e) || e.Kind != Conflict {
		return err
	}
	e.Field, e.Message = "end", "extension_no_room"
	if e.Args["nearest_start"] != "" {
		e.Message = "extension_overlaps"
	}
	until := end
	for _, n := range l.everything(t.now) {
		for k := range n.GPUs {
			g := &n.GPUs[k]
			if next, taken := g.Busy.Next(r.End); taken && slices.Contains(r.GPUs, g.UUID) {
				until = earlier(until, next)
			}
		}
	}
	if until.After(r.End) && until.Before(end) {
		e.Message, e.Args["until"] = "extension_partly", until.Format(time.RFC3339)
	}
	return e
}

// drop takes a reservation's own times out of a timeline.
func (l *timeline) drop(r *Reservation) {
	l.movable = slices.DeleteFunc(l.movable, func(b calendar.Booking) bool { return b.ID == r.ID })
	for n := range l.nodes {
		for k := range l.nodes[n].GPUs {
			if g := &l.nodes[n].GPUs[k]; slices.Contains(r.GPUs, g.UUID) {
				g.Busy = slices.DeleteFunc(g.Busy, func(i calendar.Interval) bool { return i.Start().Equal(r.Start) })
			}
		}
	}
}

// copy is a timeline of its own: a time that is taken in it is not in the other.
func (l *timeline) copy() timeline {
	c := timeline{nodes: slices.Clone(l.nodes), movable: slices.Clone(l.movable), openEnded: l.openEnded}
	for n := range c.nodes {
		c.nodes[n].GPUs = slices.Clone(c.nodes[n].GPUs)
		for k := range c.nodes[n].GPUs {
			c.nodes[n].GPUs[k].Busy = slices.Clone(c.nodes[n].GPUs[k].Busy)
		}
	}
	return c
}

// expected refuses what costs other than a person was told.
func expected(cost int64, expect *int64) error {
	if expect != nil && *expect != cost {
		return &Error{Kind: Conflict, Message: "price_changed"}
	}
	return nil
}
