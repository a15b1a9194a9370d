package store

import (
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/meter"
)

// usageOfSegments folds every bill that has time in the query's interval.
func (t *tx) usageOfSegments(u *usage) error {
	q := u.query
	where, args := "", []any{micros(q.To), micros(q.From)}
	if q.TeamID != "" {
		where, args = where+" AND %.team_id = ?", append(args, q.TeamID)
	}
	if q.PersonID != "" {
		where, args = where+" AND %.person_id = ?", append(args, q.PersonID)
	}
	if err := t.usedInstances(u, where, args); err != nil {
		return err
	}
	if err := t.usedReservations(u, where, args); err != nil {
		return err
	}
	if err := t.usedVolumes(u, where, args); err != nil {
		return err
	}
	return t.usedAside(u, where, args)
}

func (t *tx) usedInstances(u *usage, where string, args []any) error {
	all, err := list(t, scanInstance, instanceQuery+"WHERE i.started_at <= ? AND (i.ended_at IS NULL OR i.ended_at >= ?)"+of(where, "i")+" ORDER BY +i.seq", args...)
	if err != nil {
		return err
	}
	return t.eachWithSegments(all, func(i *Instance, segments []meter.Segment) error {
		u.add(i.billed(), segments)
		return nil
	})
}

func (t *tx) usedReservations(u *usage, where string, args []any) error {
	all, err := list(t, scanReservation, reservationQuery+"WHERE r.start_at <= ? AND r.end_at >= ? AND r.booked_through IS NOT NULL"+of(where, "r"), args...)
	if err != nil {
		return err
	}
	for k := range all {
		b := all[k].billed()
		segments, err := t.segmentsOfBilled(b)
		if err != nil {
			return err
		}
		u.add(b, segments)
	}
	return nil
}

// usedAside adds what no segment says: fees, refunds, credits and what was put right by hand, each at its moment; what has no
// length belongs to what ends with it.
func (t *tx) usedAside(u *usage, where string, args []any) error {
	all, err := list(t, scanEntry, entryQuery+"WHERE NOT ("+folded+") AND e.from_at - (e.to_at = e.from_at) < ? AND e.from_at - (e.to_at = e.from_at) >= ?"+of(where, "e"), args...)
	if err != nil {
		return err
	}
	for _, e := range all {
		b := &billed{instanceID: e.InstanceID, reservationID: e.ReservationID, volumeID: e.VolumeID, name: e.InstanceName + e.ReservationName + e.VolumeName, teamID: e.TeamID, teamName: e.TeamName,
			personID: e.PersonID, personName: e.PersonName, item: e.Item, gpuModel: e.GPUModel, labels: e.labels}
		key, name := u.group(b, e.Day)
		u.count(key, name, e.AmountMicros, 0)
	}
	return nil
}

// of names the table that a condition with "%" is about.
func of(where, table string) string { return strings.ReplaceAll(where, "%", table) }

func (u *usage) add(b *billed, segments []meter.Segment) {
	if u.query.GroupBy == "day" {
		u.addDays(b, segments)
		return
	}
	key, name := u.group(b, "")
	u.addPart(key, name, b, segments, u.query.From, u.query.To)
}

// addDays cuts at midnights; the last part takes in what the end added.
func (u *usage) addDays(b *billed, segments []meter.Segment) {
	from, end := later(u.query.From, *b.terms.StartedAt), later(u.until(b), *b.terms.StartedAt)
	for _, g := range segments {
		end = later(end, g.From)
	}
	if b.terms.EndedAt != nil {
		end = *b.terms.EndedAt
	}
	end = earlier(end, u.query.To)
	// A life that ended at the very moment it began, or that a midnight, still has its minimum.
	for first := true; first || from.Before(end); first = false {
		day := from.In(u.zone).Format(time.DateOnly)
		to := earlier(budget.NextMidnight(from, u.zone), end)
		begin := from
		if first {
			begin = u.query.From // nothing was used before it started
		}
		u.addPart(day, day, b, segments, begin, to)
		from = to
	}
}

func (u *usage) addPart(key, name string, b *billed, segments []meter.Segment, from, to time.Time) {
	now := u.until(b)
	cost := meter.Cost(segments, b.terms, to, now) - meter.Cost(segments, b.terms, from, now)
	used := meter.Used(segments, from, to, now)
	u.count(key, name, cost, used*time.Duration(b.gpuCount))
}

// until is the moment up to which a bill has come: now; of a reservation at least what is booked of it, also where the clock
// was set back since.
func (u *usage) until(b *billed) time.Time {
	if b.reservationID == "" {
		return u.now
	}
	return later(u.now, b.bookedThrough)
}
