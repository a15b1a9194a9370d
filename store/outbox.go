package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
)

// Mail is one mail to be sent.
type Mail struct {
	ID                   int64
	MessageID            string // fixed, without angle brackets: a resend is the same mail
	To, Lang             string
	Template             string // a row of mail_template
	Data                 map[string]string
	Tries                int
	CreatedAt, NextTryAt time.Time
	SentAt, DeadAt       *time.Time
	DroppedAt            *time.Time // it was not true any more or not wanted: LastError says why, by a key
	LastError            string
	DigestID             int64 // of the mail that tells it among others; 0: it goes by itself
}

// mailWaits are the waits after the first seven failures; the eighth is the last.
var mailWaits = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour}

const mailColumns = "id, message_id, recipient, lang, template, data, tries, created_at, next_try_at, sent_at, dead_at, dropped_at, last_error, coalesce(digest_id, 0)"

// unsent is the condition on a mail that is still to be sent, waits on one that goes by itself.
const (
	unsent = "sent_at IS NULL AND dead_at IS NULL AND dropped_at IS NULL"
	waits  = unsent + " AND digest_id IS NULL"
)

func scanMail(r scanner) (Mail, error) {
	var m Mail
	var data string
	var created, next int64
	var sent, dead, dropped sql.NullInt64
	if err := r.Scan(&m.ID, &m.MessageID, &m.To, &m.Lang, &m.Template, &data, &m.Tries, &created, &next, &sent, &dead, &dropped, &m.LastError, &m.DigestID); err != nil {
		return m, err
	}
	m.CreatedAt, m.NextTryAt, m.SentAt, m.DeadAt, m.DroppedAt = fromMicros(created), fromMicros(next), timeOrNil(sent), timeOrNil(dead), timeOrNil(dropped)
	return m, json.Unmarshal([]byte(data), &m.Data)
}

// mail queues a mail in this transaction, in the language that its reader has chosen, or else the site's. The message id
// makes queuing it twice have one effect.
func (t *tx) mail(m Mail) error {
	data, err := json.Marshal(m.Data)
	if err != nil {
		return err
	}
	key := foldKey(m.To)
	n, err := t.exec(`INSERT INTO outbox (message_id, recipient, recipient_key, lang, template, data, created_at, next_try_at)
		SELECT ?, ?, ?, coalesce((SELECT lang FROM person WHERE email_key = ? AND lang <> ''), lang), ?, ?, ?, ? FROM site WHERE id = 1
		ON CONFLICT (message_id) DO NOTHING`, m.MessageID, m.To, key, key, m.Template, string(data), micros(t.now), micros(t.now))
	if n > 0 {
		t.emit("outbox", "")
	}
	return err
}

// DueMail returns mail whose time has come, oldest first. Each is due until MailSent or MailFailed says otherwise: one
// sender at a time, or one gets it twice (with one Message-ID).
func (s *Store) DueMail(ctx context.Context, limit int) (due []Mail, err error) {
	err = s.read(ctx, func(t *tx) error {
		due, err = list(t, scanMail, "SELECT "+mailColumns+" FROM outbox WHERE "+waits+" AND next_try_at <= ? ORDER BY next_try_at, id LIMIT ?",
			micros(t.now), pageLimit(limit, 50, 1000))
		return err
	})
	return due, err
}

// MailSent says that the mail server has taken a mail, and with a digest all that it told.
func (s *Store) MailSent(ctx context.Context, id int64) error {
	return s.write(ctx, func(t *tx) error {
		n, err := t.exec("UPDATE outbox SET sent_at = ?, tries = tries + 1, last_error = '' WHERE id = ? AND "+waits, micros(t.now), id)
		if err != nil || n == 0 {
			return err
		}
		t.emit("outbox", "")
		_, err = t.exec("UPDATE outbox SET sent_at = ? WHERE digest_id = ? AND sent_at IS NULL AND dropped_at IS NULL", micros(t.now), id)
		return err
	})
}

// MailDropped says that a mail is not sent, and why, by a key that the catalogue has words for.
func (s *Store) MailDropped(ctx context.Context, id int64, why string) error {
	return s.write(ctx, func(t *tx) error { return t.dropMail(id, why) })
}

// dropMail gives up a mail, and with a digest all that it was to tell.
func (t *tx) dropMail(id int64, why string) error {
	_, err := t.exec("UPDATE outbox SET dropped_at = ?, dead_at = NULL, last_error = ? WHERE (id = ? OR digest_id = ?) AND sent_at IS NULL AND dropped_at IS NULL",
		micros(t.now), clipped(why, 100), id, id)
	t.emit("outbox", "")
	return err
}

// MailFailed says why a mail was not taken; it is due again after a growing wait, and given up after 8 tries.
func (s *Store) MailFailed(ctx context.Context, id int64, why string) error {
	return s.write(ctx, func(t *tx) error {
		tries, err := t.number("SELECT tries FROM outbox WHERE id = ? AND "+waits, id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		var dead any
		next := t.now
		if int(tries) < len(mailWaits) {
			next = t.now.Add(mailWaits[tries])
		} else {
			dead = micros(t.now)
		}
		_, err = t.exec("UPDATE outbox SET tries = tries + 1, next_try_at = ?, dead_at = ?, last_error = ? WHERE id = ?", micros(next), dead, clipped(why, 500), id)
		t.emit("outbox", "")
		return err
	})
}
