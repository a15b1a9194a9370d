package store

import (
	"fmt"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/meter"
)

// book brings the ledger up to what an instance costs through a moment.
func (t *tx) book(i *Instance, through time.Time) error {
	if i.StartedAt == nil || i.bookedThrough == nil {
		return nil
	}
	segments, err := t.segments(i.ID)
	if err != nil {
		return err
	}
	b := i.billed()
	if err := t.bookThrough(b, segments, through); err != nil {
		return err
	}
	i.bookedMicros, i.bookedThrough = b.bookedMicros, &b.bookedThrough
	return nil
}

// bookEnd books the last use and then what the end adds: what is missing to the minimum, or what is waived.
func (t *tx) bookEnd(i *Instance) error {
	if i.StartedAt == nil || i.EndedAt == nil {
		return nil
	}
	if err := t.book(i, *i.EndedAt); err != nil {
		return err
	}
	segments, err := t.segments(i.ID)
	if err != nil {
		return err
	}
	b := i.billed()
	total := meter.Cost(segments, b.terms, *i.EndedAt, *i.EndedAt)
	kind := "minimum"
	if total < b.bookedMicros {
		kind = "waiver"
	}
	if err := t.bookDifference(b, segments, total, *i.EndedAt, kind); err != nil {
		return err
	}
	i.bookedMicros, i.bookedThrough = b.bookedMicros, &b.bookedThrough
	return nil
}

// bookThrough brings the ledger up to what a bill comes to through a moment, with an entry a day of the site's zone. Each
// entry is the difference to what is booked already, so that rounding never drifts. What was booked beyond the moment,
// before it was known that use ended there, is taken back the same way, day by day.
func (t *tx) bookThrough(b *billed, segments []meter.Segment, through time.Time) error {
	zone, err := t.siteZone()
	if err != nil {
		return err
	}
	open := b.terms
	open.EndedAt = nil // what the end adds has an entry of its own
	for m := budget.NextMidnight(b.bookedThrough, zone); m.Before(through); m = budget.NextMidnight(m, zone) {
		if err := t.bookDifference(b, segments, meter.Cost(segments, open, m, m), m, "usage"); err != nil {
			return err
		}
	}
	for {
		m, _ := budget.Day.Bounds(b.bookedThrough.Add(-time.Microsecond), zone)
		if !m.After(through) || !b.bookedThrough.After(through) {
			break
		}
		if err := t.bookDifference(b, segments, meter.Cost(segments, open, m, m), m, "usage"); err != nil {
			return err
		}
	}
	return t.bookDifference(b, segments, meter.Cost(segments, open, through, through), through, "usage")
}

// bookDifference adds the entry that makes the booked amount be total, unless it is that already.
func (t *tx) bookDifference(b *billed, segments []meter.Segment, total int64, through time.Time, kind string) error {
	e := newEntry{billed: b, kind: kind, from: b.bookedThrough, to: through, amount: total - b.bookedMicros}
	if e.to.Before(e.from) {
		e.from, e.to = e.to, e.from
	}
	if e.amount < 0 && kind == "usage" {
		e.kind = "correction"
	}
	var count, gpuMicros int64
	if err := t.row("SELECT count(*), coalesce(sum(gpu_micros), 0) FROM entry WHERE "+b.column()+" = ?", b.id()).Scan(&count, &gpuMicros); err != nil {
		return err
	}
	e.gpuMicros = meter.Used(segments, time.Time{}, through, through).Microseconds()*b.gpuMilli()/1000 - gpuMicros
	e.key = fmt.Sprintf("%s:%d", b.id(), count+1) // so that two bookings made of the same state can't both happen
	if e.amount != 0 || e.gpuMicros != 0 {
		if err := t.entry(e); err != nil {
			return err
		}
	}
	b.bookedMicros, b.bookedThrough = total, through
	_, err := t.exec("UPDATE "+b.table()+" SET booked_micros = ?, booked_through = ? WHERE id = ?", total, micros(through), b.id())
	return err
}

// newEntry is an entry to be written.
type newEntry struct {
	*billed
	key, kind string
	from, to  time.Time // within a day of the site's zone
	amount    int64     // the team's side
	gpuMicros int64     // GPU time, in microseconds

	corrects  int64  // by hand: the entry that is put right,
	note, day string // why, and its day
}

// entry writes one double entry: the team owes, the site has earned.
func (t *tx) entry(e newEntry) error {
	id, err := t.number("SELECT 1 + coalesce(max(id), 0) FROM entry")
	if err != nil {
		return err
	}
	day := e.day
	if day == "" {
		if day, err = t.dayOf(e.from, e.to); err != nil {
			return err
		}
	}
	for account, side := range map[string]int64{"team:" + e.teamID: e.amount, "revenue:" + string(e.item): -e.amount} {
		if _, err := t.exec("INSERT INTO posting (entry_id, account, amount) VALUES (?, ?, ?)", id, account, side); err != nil {
			return err
		}
	}
	_, err = t.exec(`INSERT INTO entry (id, key, kind, instance_id, reservation_id, volume_id, team_id, person_id, item, gpu_model, at, from_at, to_at, day, gpu_micros, corrects_id, note)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?)`,
		id, e.key, e.kind, nullIfEmpty(e.instanceID), nullIfEmpty(e.reservationID), nullIfEmpty(e.volumeID), e.teamID, e.personID, string(e.item), e.gpuModel,
		micros(t.now), micros(e.from), micros(e.to), day, e.gpuMicros, e.corrects, e.note)
	t.emit("ledger", e.id())
	return err
}

// dayOf is the date, in the site's zone, of the day that an interval lies in; what has no length lies in the day that ends
// with it.
func (t *tx) dayOf(from, to time.Time) (string, error) {
	zone, err := t.siteZone()
	if err != nil {
		return "", err
	}
	if !from.Before(to) {
		from = to.Add(-time.Microsecond)
	}
	return from.In(zone).Format(time.DateOnly), nil
}
