package store

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// The kinds of notice.
const (
	noticeInstanceEnds      = "instance_ends"
	noticeReservationStarts = "reservation_starts"
	noticeReservationEnds   = "reservation_ends"
)

// instanceNotices are the minutes before its hard end at which who has an instance is told; reservationNotice is how long
// before a reservation begins and ends.
var instanceNotices = []int{60, 15, 5}

const reservationNotice = 60

// notice is one that is due.
type notice struct {
	kind, subject string
	moment        time.Time
	minutes       []int // more than one where nobody looked in time: told once
}

// GiveNotices tells who has an instance of its hard end 60, 15 and 5 minutes before it, and who has a reservation an hour
// before it begins and ends: with an event and a mail, in one transaction with the note that it was told, so each once. Of
// those that came due while nobody looked the last alone is told. It returns how many were given.
func (s *Store) GiveNotices(ctx context.Context) (given int, err error) {
	var due []notice
	err = s.read(ctx, func(t *tx) error {
		due, err = t.dueNotices()
		return err
	})
	if err != nil || len(due) == 0 {
		return 0, err
	}
	err = s.write(ctx, func(t *tx) error {
		given = 0
		due, err := t.dueNotices() // again: what was due may have been told or moved since
		if err != nil {
			return err
		}
		for k := range due {
			if err := t.giveNotice(&due[k]); err != nil {
				return err
			}
		}
		given = len(due)
		return nil
	})
	return given, err
}

// dueNotices finds what is due: the moment lies ahead, is near enough, and was not told of. What was placed or booked later
// than a notice would have come is told of by its own page.
func (t *tx) dueNotices() ([]notice, error) {
	var due []notice
	add := func(n notice, since time.Time, minutes ...int) error {
		for _, m := range minutes {
			at := n.moment.Add(-time.Duration(m) * time.Minute)
			if at.After(t.now) || !at.After(since) {
				continue
			}
			told, err := t.number("SELECT count(*) FROM notice WHERE kind = ? AND subject_id = ? AND moment = ? AND minutes = ?", n.kind, n.subject, micros(n.moment), m)
			if err != nil {
				return err
			}
			if told == 0 {
				n.minutes = append(n.minutes, m)
			}
		}
		if len(n.minutes) > 0 {
			due = append(due, n)
		}
		return nil
	}
	for _, look := range []struct {
		kind, query string
		minutes     []int
	}{
		{noticeInstanceEnds, `SELECT id, ends_at, coalesce(placed_at, requested_at) FROM instance
			WHERE ended_at IS NULL AND ends_at > ?1 AND ends_at <= ?2 AND benchmark_id IS NULL AND state NOT IN ('queued', 'stopping', 'stopped', 'failed') ORDER BY ends_at, seq`, instanceNotices},
		{noticeReservationStarts, `SELECT id, start_at, created_at FROM reservation WHERE settled_at IS NULL AND state = 'booked' AND start_at > ?1 AND start_at <= ?2 ORDER BY start_at, seq`, []int{reservationNotice}},
		{noticeReservationEnds, `SELECT id, end_at, start_at FROM reservation WHERE settled_at IS NULL AND state = 'booked' AND start_at <= ?1 AND end_at > ?1 AND end_at <= ?2 ORDER BY end_at, seq`, []int{reservationNotice}},
	} {
		type found struct {
			notice
			since time.Time
		}
		all, err := list(t, func(r scanner) (found, error) {
			var moment, since int64
			f := found{notice: notice{kind: look.kind}}
			err := r.Scan(&f.subject, &moment, &since)
			f.moment, f.since = fromMicros(moment), fromMicros(since)
			return f, err
		}, look.query, micros(t.now), micros(t.now.Add(time.Hour)))
		if err != nil {
			return nil, err
		}
		for _, f := range all {
			if err := add(f.notice, f.since, look.minutes...); err != nil {
				return nil, err
			}
		}
	}
	return due, nil
}

func (t *tx) giveNotice(n *notice) error {
	if err := t.noteNotices(n); err != nil {
		return err
	}
	minutes := n.minutes[len(n.minutes)-1]
	if n.kind == noticeInstanceEnds {
		return t.tellInstanceEnds(n, minutes)
	}
	r, err := t.reservation(n.subject)
	if err != nil {
		return err
	}
	t.emit("reservation", r.ID)
	template := map[string]string{noticeReservationStarts: "reservation_starts_soon", noticeReservationEnds: "reservation_ends_soon"}[n.kind]
	return t.mailNotice(n, template, r.PersonID, minutes, map[string]string{"reservation": r.ID, "name": r.Name})
}

func (t *tx) noteNotices(n *notice) error {
	for _, m := range n.minutes {
		if _, err := t.exec("INSERT INTO notice (kind, subject_id, moment, minutes, at) VALUES (?, ?, ?, ?, ?)", n.kind, n.subject, micros(n.moment), m, micros(t.now)); err != nil {
			return err
		}
	}
	return nil
}

// tellInstanceEnds writes the event and, where its owner did not choose the end, the mail. What ends when a reservation of
// the owner's own does is told of an hour before by the reservation's mail.
func (t *tx) tellInstanceEnds(n *notice, minutes int) error {
	i, err := t.instance(n.subject)
	if err != nil {
		return err
	}
	args := map[string]string{"minutes": strconv.Itoa(minutes), "until": n.moment.Format(time.RFC3339), "because": i.EndsBecause}
	if err := t.instanceEvent(i.ID, "ends_soon", "", args); err != nil {
		return err
	}
	t.emit("instance", i.ID)
	first := minutes == instanceNotices[0]
	if i.EndsBecause == "" && minutes != 15 || i.EndsBecause == "reservation_ends" && first {
		return nil
	}
	return t.mailNotice(n, "instance_ends_soon", i.PersonID, minutes, map[string]string{"instance": i.ID, "name": i.Name, "because": i.EndsBecause})
}

// mailNotice tells a person, unless they can't sign in any more.
func (t *tx) mailNotice(n *notice, template, personID string, minutes int, data map[string]string) error {
	p, err := t.person(personID)
	if err != nil || p.DisabledAt != nil {
		return err
	}
	data["minutes"], data["at"] = strconv.Itoa(minutes), n.moment.Format(time.RFC3339)
	id := fmt.Sprintf("notice.%s.%s.%d.%d@meterhouse", n.kind, n.subject, n.moment.Unix(), minutes)
	return t.mail(Mail{MessageID: id, To: p.Email, Template: template, Data: data})
}

// pastNotices notes that whoever moved an end knows of the notices that would have come before now.
func (t *tx) pastNotices(instanceID string, end time.Time) error {
	n := notice{kind: noticeInstanceEnds, subject: instanceID, moment: end}
	for _, m := range instanceNotices {
		told, err := t.number("SELECT count(*) FROM notice WHERE kind = ? AND subject_id = ? AND moment = ? AND minutes = ?", n.kind, n.subject, micros(end), m)
		if err != nil {
			return err
		}
		if told == 0 && !end.Add(-time.Duration(m)*time.Minute).After(t.now) {
			n.minutes = append(n.minutes, m)
		}
	}
	return t.noteNotices(&n)
}
