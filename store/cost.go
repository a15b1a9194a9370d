package store

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store/meter"
)

// usageOfDays takes what is booked from the totals a day, and folds only what is open.
func (t *tx) usageOfDays(u *usage) error {
	q := u.query
	booked := t.bookedByDay
	if strings.HasPrefix(q.GroupBy, "label:") {
		booked = t.bookedByLabel
	}
	if err := booked(u); err != nil {
		return err
	}
	open, err := t.openBills(q.TeamID)
	if err != nil {
		return err
	}
	for _, o := range open {
		if q.PersonID != "" && o.personID != q.PersonID {
			continue
		}
		u.query.From = later(q.From, o.bookedThrough)
		if u.query.From.Before(q.To) {
			u.addOpen(o)
		}
	}
	u.query.From = q.From
	return nil
}

// bookedByDay counts what is booked by anything but labels.
func (t *tx) bookedByDay(u *usage) error {
	q := u.query
	where, args := "WHERE c.day >= ? AND c.day < ?", []any{u.dayAt(q.From), u.dayAt(q.To)}
	if q.TeamID != "" {
		where, args = where+" AND c.team_id = ?", append(args, q.TeamID)
	}
	if q.PersonID != "" {
		where, args = where+" AND c.person_id = ?", append(args, q.PersonID)
	}
	return t.each(func(r scanner) error {
		var day string
		var b billed
		var amount, gpuMicros int64
		if err := r.Scan(&day, &b.teamID, &b.teamName, &b.personID, &b.personName, &b.item, &b.gpuModel, &amount, &gpuMicros); err != nil {
			return err
		}
		key, name := u.group(&b, day)
		u.count(key, name, amount, time.Duration(gpuMicros)*time.Microsecond)
		return nil
	}, `SELECT c.day, c.team_id, t.name, c.person_id, p.name, c.item, c.gpu_model, c.amount, c.gpu_micros
		FROM cost_day c JOIN team t ON t.id = c.team_id JOIN person p ON p.id = c.person_id `+where, args...)
}

// bookedByLabel counts what is booked by the values of a label; the rest of all that is booked has none.
func (t *tx) bookedByLabel(u *usage) error {
	const where = "WHERE day >= ?1 AND day < ?2 AND (?3 = '' OR team_id = ?3)"
	from, to, team := u.dayAt(u.query.From), u.dayAt(u.query.To), u.query.TeamID
	var rest, restMicros int64
	if err := t.row("SELECT coalesce(sum(amount), 0), coalesce(sum(gpu_micros), 0) FROM cost_day "+where, from, to, team).Scan(&rest, &restMicros); err != nil {
		return err
	}
	err := t.each(func(r scanner) error {
		var value string
		var amount, gpuMicros int64
		if err := r.Scan(&value, &amount, &gpuMicros); err != nil {
			return err
		}
		u.count(value, value, amount, time.Duration(gpuMicros)*time.Microsecond)
		rest, restMicros = rest-amount, restMicros-gpuMicros
		return nil
	}, "SELECT value, sum(amount), sum(gpu_micros) FROM cost_label_day "+where+" AND key = ?4 GROUP BY value", from, to, team, u.label)
	u.count("", "", rest, time.Duration(restMicros)*time.Microsecond)
	return err
}

// addOpen adds the part of an open bill that is not booked yet.
func (u *usage) addOpen(o openBill) {
	if u.query.GroupBy != "day" {
		u.add(o.billed, o.segments)
		return
	}
	started := o.terms.StartedAt
	o.terms.StartedAt = &u.query.From // days from there on
	u.addDays(o.billed, o.segments)
	o.terms.StartedAt = started
}

// dayAt is the date of a moment at midnight; of the beginning and the end of time, what sorts before and after any date.
func (u *usage) dayAt(at time.Time) string {
	switch {
	case at.IsZero():
		return ""
	case at.Equal(theEnd):
		return "9999-12-31"
	}
	return at.In(u.zone).Format(time.DateOnly)
}

// openBill is a bill that goes on, with its segments.
type openBill struct {
	*billed
	segments []meter.Segment
}

const openQuery = `SELECT i.id, i.name, i.team_id, t.name, i.person_id, p.name, i.kind, i.gpu_model, CASE WHEN i.reservation_id IS NULL THEN i.gpu_count ELSE 0 END,
	i.labels, i.rate, i.started_at, i.host_fault, i.booked_micros, i.booked_through
	FROM instance i JOIN team t ON t.id = i.team_id JOIN person p ON p.id = i.person_id WHERE i.ended_at IS NULL AND i.started_at IS NOT NULL`

func scanOpen(r scanner) (*billed, error) {
	b := &billed{}
	var labels string
	var started, through int64
	err := r.Scan(&b.instanceID, &b.name, &b.teamID, &b.teamName, &b.personID, &b.personName, &b.item, &b.gpuModel, &b.gpuCount,
		&labels, &b.terms.RateMicrosPerHour, &started, &b.terms.HostFault, &b.bookedMicros, &through)
	if err != nil {
		return nil, err
	}
	at := fromMicros(started)
	b.terms.StartedAt, b.bookedThrough = &at, fromMicros(through)
	if labels == "{}" {
		return b, nil
	}
	return b, json.Unmarshal([]byte(labels), &b.labels)
}

// openBills returns a team's bills that go on, every team's for "".
func (t *tx) openBills(teamID string) ([]openBill, error) {
	open, err := t.openInstances(teamID)
	if err != nil {
		return nil, err
	}
	reserved, err := t.openReservations(teamID)
	if err != nil {
		return nil, err
	}
	stored, err := t.openVolumes(teamID)
	return append(append(open, reserved...), stored...), err
}

func (t *tx) openInstances(teamID string) ([]openBill, error) {
	query, args := openQuery, []any{}
	if teamID != "" {
		query, args = query+" AND i.team_id = ?", append(args, teamID)
	}
	instances, err := list(t, scanOpen, query, args...)
	if err != nil {
		return nil, err
	}
	open := make([]openBill, 0, len(instances))
	if len(instances) > 0 {
		ids := make([]string, len(instances))
		for k := range instances {
			ids[k] = instances[k].instanceID
		}
		segments, err := t.segmentsOf(ids)
		if err != nil {
			return nil, err
		}
		for _, b := range instances {
			open = append(open, openBill{b, segments[b.instanceID]})
		}
	}
	return open, nil
}

func (t *tx) openReservations(teamID string) ([]openBill, error) {
	reservations, err := list(t, scanReservation, reservationQuery+"WHERE r.settled_at IS NULL AND r.start_at <= ?2 AND (?1 = '' OR r.team_id = ?1)", teamID, micros(t.now))
	if err != nil {
		return nil, err
	}
	open := make([]openBill, 0, len(reservations))
	for k := range reservations {
		b := reservations[k].billed()
		parts, err := t.segmentsOfBilled(b)
		if err != nil {
			return nil, err
		}
		open = append(open, openBill{b, parts})
	}
	return open, nil
}
