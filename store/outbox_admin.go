package store

import (
	"context"
	"fmt"
	"time"
)

// MailState is where a mail stands.
type MailState string

// The states. What is told by a digest is gathered until that is sent.
const (
	MailWaits    MailState = "waiting"
	MailGathered MailState = "gathered"
	MailIsSent   MailState = "sent"
	MailIsDead   MailState = "dead"
	MailIsGone   MailState = "dropped"
)

// State returns where the mail stands.
func (m *Mail) State() MailState {
	switch {
	case m.SentAt != nil:
		return MailIsSent
	case m.DeadAt != nil:
		return MailIsDead
	case m.DroppedAt != nil:
		return MailIsGone
	case m.DigestID != 0:
		return MailGathered
	}
	return MailWaits
}

// Outbox is what the outbox holds.
type Outbox struct {
	Counts map[MailState]int64 // sent and dropped: of the last day
	Dead   []Mail              // given up, the newest first: what an admin must see
	Open   []Mail              // waiting or gathered, the next first
	Over   []Mail              // sent or dropped, the newest first
}

// outboxShown bounds each list of an Outbox.
const outboxShown = 50

// Outbox returns the state of the outbox.
func (s *Store) Outbox(ctx context.Context) (o Outbox, err error) {
	err = s.read(ctx, func(t *tx) error {
		if o.Dead, err = list(t, scanMail, "SELECT "+mailColumns+" FROM outbox WHERE dead_at IS NOT NULL ORDER BY id DESC LIMIT ?", outboxShown); err != nil {
			return err
		}
		if o.Open, err = list(t, scanMail, "SELECT "+mailColumns+" FROM outbox WHERE "+unsent+" ORDER BY next_try_at, id LIMIT ?", outboxShown); err != nil {
			return err
		}
		if o.Over, err = list(t, scanMail, "SELECT "+mailColumns+" FROM outbox WHERE sent_at IS NOT NULL OR dropped_at IS NOT NULL ORDER BY id DESC LIMIT ?", outboxShown); err != nil {
			return err
		}
		o.Counts, err = t.mailCounts(t.now.Add(-24 * time.Hour))
		return err
	})
	return o, err
}

// mailCounts counts the mails in each state; of those that are over since a moment.
func (t *tx) mailCounts(since time.Time) (map[MailState]int64, error) {
	var waiting, gathered, dead, sent, gone int64
	err := t.row("SELECT count(*) FILTER (WHERE "+waits+"), count(*) FILTER (WHERE "+unsent+` AND digest_id IS NOT NULL), count(dead_at),
		count(*) FILTER (WHERE sent_at >= ?1), count(*) FILTER (WHERE dropped_at >= ?1) FROM outbox`, micros(since)).Scan(&waiting, &gathered, &dead, &sent, &gone)
	return map[MailState]int64{MailWaits: waiting, MailGathered: gathered, MailIsDead: dead, MailIsSent: sent, MailIsGone: gone}, err
}

// RetryMail has a dead mail tried again, eight times as at first. NotFound if it is not dead.
func (s *Store) RetryMail(ctx context.Context, by string, id int64) error {
	return s.write(ctx, func(t *tx) error {
		if err := t.needAdmin(by); err != nil {
			return err
		}
		n, err := t.exec("UPDATE outbox SET dead_at = NULL, tries = 0, next_try_at = ? WHERE id = ? AND dead_at IS NOT NULL", micros(t.now), id)
		if err == nil && n == 0 {
			return notFound("mail", fmt.Sprint(id))
		}
		t.emit("outbox", "")
		return firstError(err, t.audit(AuditRecord{PersonID: by, Action: "mail_retried", Target: fmt.Sprint(id)}))
	})
}

// DropMail gives up a mail that is dead or waits. NotFound if it is neither.
func (s *Store) DropMail(ctx context.Context, by string, id int64) error {
	return s.write(ctx, func(t *tx) error {
		if err := t.needAdmin(by); err != nil {
			return err
		}
		n, err := t.number("SELECT count(*) FROM outbox WHERE id = ? AND sent_at IS NULL AND dropped_at IS NULL", id)
		if err == nil && n == 0 {
			return notFound("mail", fmt.Sprint(id))
		}
		return firstError(err, t.dropMail(id, "by_admin"), t.audit(AuditRecord{PersonID: by, Action: "mail_dropped", Target: fmt.Sprint(id)}))
	})
}

// SendTestMail queues a mail to a person, that says that mail arrives.
func (s *Store) SendTestMail(ctx context.Context, personID string) error {
	return s.write(ctx, func(t *tx) error {
		p, err := t.person(personID)
		if err != nil {
			return err
		}
		return t.mail(Mail{MessageID: "test." + newID("") + "@meterhouse", To: p.Email, Template: "test"})
	})
}
