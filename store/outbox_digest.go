package store

import (
	"context"
	"fmt"
	"time"
)

const (
	// digestAfter is how many mails an hour a person gets by themselves; the rest is gathered.
	digestAfter = 5
	// digestEvery is how often what was gathered is sent.
	digestEvery = time.Hour
)

// GatherMail puts mail that is due and would be one too many for its reader in an hour, or that they want together, into
// one digest, which is due when the hour is over; urgent mail always goes by itself. It returns how many were gathered. It is
// called before each look at DueMail: what is sent is counted as it goes, so that a day without a mail server ends in
// digests too.
func (s *Store) GatherMail(ctx context.Context) (gathered int, err error) {
	waiting := int64(0)
	err = s.read(ctx, func(t *tx) error {
		waiting, err = t.number("SELECT count(*) FROM outbox WHERE "+waits+" AND next_try_at <= ?", micros(t.now))
		return err
	})
	if err != nil || waiting == 0 {
		return 0, err
	}
	err = s.write(ctx, func(t *tx) error {
		gathered, err = t.gatherMail()
		return err
	})
	return gathered, err
}

// reader is who mail goes to: what went to them by itself lately, and what they want.
type reader struct {
	alone  int64
	digest bool
}

func (t *tx) gatherMail() (gathered int, err error) {
	due, err := list(t, scanMail, "SELECT "+mailColumns+" FROM outbox WHERE "+waits+" AND next_try_at <= ? ORDER BY created_at, id", micros(t.now))
	if err != nil {
		return 0, err
	}
	readers := map[string]*reader{}
	for k := range due {
		m := &due[k]
		if template, _ := templateOf(m.Template); template.Urgent {
			continue
		}
		key := foldKey(m.To)
		r := readers[key]
		if r == nil {
			if r, err = t.reader(key); err != nil {
				return 0, err
			}
			readers[key] = r
		}
		if r.alone < digestAfter && !r.digest {
			r.alone++
			continue
		}
		if err := t.gather(m); err != nil {
			return 0, err
		}
		gathered++
	}
	return gathered, nil
}

// reader counts what went to a reader by itself in the last hour. While a digest waits for them, all goes into it.
func (t *tx) reader(key string) (*reader, error) {
	wants, err := t.mailPreference(key)
	if err != nil {
		return nil, err
	}
	r := &reader{digest: wants.Digest}
	if r.alone, err = t.number("SELECT count(*) FROM outbox WHERE recipient_key = ? AND sent_at > ? AND digest_id IS NULL AND template <> 'digest'", key, micros(t.now.Add(-digestEvery))); err != nil {
		return nil, err
	}
	open, err := t.number("SELECT count(*) FROM outbox WHERE "+waits+" AND template = 'digest' AND recipient_key = ? AND next_try_at > ?", key, micros(t.now))
	if open > 0 {
		r.digest = true
	}
	return r, err
}

// gather puts a mail into its reader's digest of this hour. Where that was given up within the hour the mail goes by itself.
func (t *tx) gather(m *Mail) error {
	key := foldKey(m.To)
	hour := t.now.Truncate(digestEvery)
	id := fmt.Sprintf("digest.%s.%d@meterhouse", shortHash(key), hour.Unix())
	_, err := t.exec(`INSERT INTO outbox (message_id, recipient, recipient_key, lang, template, data, created_at, next_try_at) VALUES (?, ?, ?, ?, 'digest', '{}', ?, ?)
		ON CONFLICT (message_id) DO NOTHING`, id, m.To, key, m.Lang, micros(t.now), micros(hour.Add(digestEvery)))
	if err != nil {
		return err
	}
	_, err = t.exec("UPDATE outbox SET digest_id = (SELECT id FROM outbox WHERE message_id = ? AND "+waits+") WHERE id = ?", id, m.ID)
	t.emit("outbox", "")
	return err
}

// DigestMail returns what a digest is to tell, oldest first: what was dropped since is not in it.
func (s *Store) DigestMail(ctx context.Context, digestID int64) (told []Mail, err error) {
	err = s.read(ctx, func(t *tx) error {
		told, err = list(t, scanMail, "SELECT "+mailColumns+" FROM outbox WHERE digest_id = ? AND dropped_at IS NULL ORDER BY created_at, id", digestID)
		return err
	})
	return told, err
}
