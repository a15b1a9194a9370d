package store

import (
	"context"
	"time"
)

const (
	inboxBack = 30 * 24 * time.Hour // how far back notices are shown
	inboxMost = 100                 // notices shown
)

// The kinds of notice in an inbox, with what their numbers and Detail are.
const (
	InboxBudget            = "budget"             // threshold %, spent or expected, limit; "actual" or "forecast"
	InboxBudgetStop        = "budget_stop"        // Moment: when what runs on it is stopped
	InboxInstanceEnds      = "instance_ends"      // minutes before Moment
	InboxReservationStarts = "reservation_starts" // minutes before Moment
	InboxReservationEnds   = "reservation_ends"   // minutes before Moment
	InboxStopped           = "stopped"            // cost; the stop reason
	InboxSpotNotice        = "spot_notice"
	InboxQuotaDecided      = "quota_decided" // Name: the quota's kind; Detail: the request's state
	InboxMailDead          = "mail_dead"     // Name: to whom; Detail: the last error
)

// Notice is something that a person should know of.
type Notice struct {
	Kind            string
	At              time.Time
	SubjectID, Name string
	Detail          string
	Number          int64 // per cent, minutes or micro-units: see the kinds
	SpentMicros     int64
	LimitMicros     int64
	Moment          time.Time // zero: none
	Unread          bool
}

// Inbox is what waits for a person: what they are to decide, what they asked for, and what they should know of.
type Inbox struct {
	Decide  []QuotaRequest // oldest first
	Own     []QuotaRequest // newest first
	Notices []Notice       // newest first
	ReadAt  time.Time      // up to when notices were read
}

// inboxMine says whose a budget's notices are.
const inboxMine = `(b.person_id = ?1 OR EXISTS (SELECT 1 FROM member m WHERE m.team_id = b.team_id AND m.person_id = ?1 AND (b.scope <> 'member' OR m.role = 'manager')))`

// inboxNotices are a person's notices (?1) since a moment (?2). The team's budgets are the business of all its members, a
// member's own theirs and the managers'.
const inboxNotices = `
	SELECT 'budget' AS kind, f.at AS at, b.id AS subject, b.name AS name, f.kind AS detail, f.threshold AS number, f.spent_micros AS spent, b.limit_micros AS most, 0 AS moment
	FROM budget_fire f JOIN budget b ON b.id = f.budget_id WHERE f.at > ?2 AND b.deleted_at IS NULL AND ` + inboxMine + `
	UNION ALL SELECT 'budget_stop', s.told_at, b.id, b.name, '', 0, 0, b.limit_micros, s.stops_at
	FROM budget_stop s JOIN budget b ON b.id = s.budget_id WHERE s.told_at > ?2 AND s.called_off_at IS NULL AND ` + inboxMine + `
	UNION ALL SELECT n.kind, n.at, n.subject_id, coalesce(i.name, r.name), '', n.minutes, 0, 0, n.moment FROM notice n
	LEFT JOIN instance i ON n.kind = 'instance_ends' AND i.id = n.subject_id LEFT JOIN reservation r ON n.kind <> 'instance_ends' AND r.id = n.subject_id
	WHERE n.at > ?2 AND coalesce(i.person_id, r.person_id) = ?1
	UNION ALL SELECT 'stopped', i.ended_at, i.id, i.name, i.stop_reason, 0, i.booked_micros, 0, 0
	FROM instance i WHERE i.person_id = ?1 AND i.ended_at > ?2 AND i.stop_reason <> 'by_person' AND i.benchmark_id IS NULL
	UNION ALL SELECT 'spot_notice', i.notice_at, i.id, i.name, '', 0, 0, 0, 0 FROM instance i WHERE i.person_id = ?1 AND i.kind = 'spot' AND i.notice_at > ?2
	UNION ALL SELECT 'quota_decided', r.decided_at, r.id, q.kind, r.state, 0, 0, 0, 0
	FROM quota_request r JOIN quota q ON q.id = r.quota_id WHERE r.person_id = ?1 AND r.decided_at > ?2 AND r.decided_by IS NOT ?1
	UNION ALL SELECT 'mail_dead', o.dead_at, o.template, o.recipient, o.last_error, 0, 0, 0, 0
	FROM outbox o WHERE o.dead_at > ?2 AND EXISTS (SELECT 1 FROM person WHERE id = ?1 AND admin = 1)`

// Inbox returns what waits for a person.
func (s *Store) Inbox(ctx context.Context, personID string) (in Inbox, err error) {
	err = s.read(ctx, func(t *tx) error {
		in = Inbox{}
		if in.ReadAt, err = t.inboxReadAt(personID); err != nil {
			return err
		}
		if in.Decide, err = t.quotaRequests("WHERE "+quotaDecidable+" ORDER BY r.seq", personID); err != nil {
			return err
		}
		if in.Own, err = t.quotaRequests("WHERE r.person_id = ? ORDER BY r.seq DESC LIMIT ?", personID, quotaWishes); err != nil {
			return err
		}
		in.Notices, err = list(t, func(r scanner) (Notice, error) {
			var n Notice
			var at, moment int64
			err := r.Scan(&n.Kind, &at, &n.SubjectID, &n.Name, &n.Detail, &n.Number, &n.SpentMicros, &n.LimitMicros, &moment)
			n.At = fromMicros(at)
			if moment != 0 {
				n.Moment = fromMicros(moment)
			}
			n.Unread = n.At.After(in.ReadAt)
			return n, err
		}, inboxNotices+" ORDER BY at DESC, subject LIMIT ?3", personID, micros(t.now.Add(-inboxBack)), inboxMost)
		return err
	})
	return in, err
}

// inboxReadAt is up to when a person has read their notices: none of before they came.
func (t *tx) inboxReadAt(personID string) (time.Time, error) {
	at, err := t.number("SELECT coalesce((SELECT read_at FROM inbox_read WHERE person_id = ?1), (SELECT created_at FROM person WHERE id = ?1))", personID)
	return fromMicros(at), err
}

// InboxCount returns how much in a person's inbox needs them: what they are to decide, and notices that they have not read.
func (s *Store) InboxCount(ctx context.Context, personID string) (count int, err error) {
	err = s.read(ctx, func(t *tx) error {
		read, err := t.inboxReadAt(personID)
		if err != nil {
			return err
		}
		decide, err := t.number("SELECT count(*) FROM quota_request r JOIN quota q ON q.id = r.quota_id WHERE "+quotaDecidable, personID)
		if err != nil {
			return err
		}
		notices, err := t.number("SELECT count(*) FROM ("+inboxNotices+" LIMIT ?3)", personID, micros(later(read, t.now.Add(-inboxBack))), inboxMost)
		count = int(decide + notices)
		return err
	})
	return count, err
}

// ReadInbox says that a person has read the notices up to a moment; it never goes back, and not beyond now.
func (s *Store) ReadInbox(ctx context.Context, personID string, upTo time.Time) error {
	return s.write(ctx, func(t *tx) error {
		_, err := t.exec("INSERT INTO inbox_read (person_id, read_at) VALUES (?, ?) ON CONFLICT (person_id) DO UPDATE SET read_at = max(read_at, excluded.read_at)",
			personID, micros(earlier(instant(upTo), t.now)))
		return err
	})
}
