package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

const (
	feedPrefix  = "mhc_" // so that a leaked one is recognised
	feedLetters = 40
	feedsMax    = 20 // a person
)

// Feed is an address under which a person's calendar program reads what they may see. Of its secret only the hash is kept.
type Feed struct {
	ID, PersonID string
	CreatedAt    time.Time
	UsedAt       *time.Time // to the minute
}

const feedColumns = "id, person_id, created_at, used_at"

func scanFeed(r scanner) (Feed, error) {
	var f Feed
	var created int64
	var used sql.NullInt64
	err := r.Scan(&f.ID, &f.PersonID, &created, &used)
	f.CreatedAt, f.UsedAt = fromMicros(created), timeOrNil(used)
	return f, err
}

// CreateFeed makes an address' secret, which is shown this once. The same request again makes no other: Conflict, as the
// first can't be told a second time.
func (s *Store) CreateFeed(ctx context.Context, personID string, q Request) (secret string, err error) {
	secret = feedPrefix + randomText(feedLetters)
	made := false
	err = s.write(ctx, func(t *tx) error {
		if _, err := t.activePerson(personID); err != nil {
			return err
		}
		id := newID("f-")
		_, made, err = t.once(personID, q, func() (string, error) { return id, t.insertFeed(id, personID, secret) })
		return err
	})
	if err == nil && !made { // said after the commit, which may be that of the first
		err = &Error{Kind: Conflict, Message: "feed_shown_before"}
	}
	if err != nil {
		return "", err
	}
	return secret, nil
}

func (t *tx) insertFeed(id, personID, secret string) error {
	n, err := t.number("SELECT count(*) FROM calendar_feed WHERE person_id = ? AND revoked_at IS NULL", personID)
	if err != nil {
		return err
	}
	if n >= feedsMax {
		return &Error{Kind: Conflict, Message: "too_many_feeds"}
	}
	if _, err := t.exec("INSERT INTO calendar_feed (id, hash, person_id, created_at) VALUES (?, ?, ?, ?)", id, secretHash(secret), personID, micros(t.now)); err != nil {
		return err
	}
	t.emit("person", personID)
	return t.audit(AuditRecord{PersonID: personID, Action: "feed_created", Target: id})
}

// FeedPerson returns whose feed a secret is. NotFound if it is unknown, revoked, or its person is disabled.
func (s *Store) FeedPerson(ctx context.Context, secret string) (p Person, err error) {
	denied := &Error{Kind: NotFound, Message: "feed_unknown"}
	if !strings.HasPrefix(secret, feedPrefix) || len(secret) != len(feedPrefix)+feedLetters {
		return Person{}, denied
	}
	var f Feed
	err = s.read(ctx, func(t *tx) error {
		f, err = scanFeed(t.row("SELECT "+feedColumns+" FROM calendar_feed WHERE hash = ? AND revoked_at IS NULL", secretHash(secret)))
		if errors.Is(err, sql.ErrNoRows) {
			return denied
		}
		if err == nil {
			p, err = t.person(f.PersonID)
		}
		return err
	})
	if err == nil && p.DisabledAt != nil {
		err = denied
	}
	if err != nil {
		return Person{}, err
	}
	now := s.Now()
	if (f.UsedAt == nil || now.Sub(*f.UsedAt) >= tokenUsed) && s.writer != nil {
		// When it was used last is a convenience: a full disk must not lock calendars out.
		_ = s.write(ctx, func(t *tx) error {
			_, err := t.exec("UPDATE calendar_feed SET used_at = ? WHERE id = ?", micros(now), f.ID)
			return err
		})
	}
	return p, nil
}

// Feeds returns a person's feeds that work, newest first.
func (s *Store) Feeds(ctx context.Context, personID string) (all []Feed, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanFeed, "SELECT "+feedColumns+" FROM calendar_feed WHERE person_id = ? AND revoked_at IS NULL ORDER BY created_at DESC, id", personID)
		return err
	})
	return all, err
}

// RevokeFeed ends a feed. NotFound if it is not the person's.
func (s *Store) RevokeFeed(ctx context.Context, personID, id string) error {
	return s.write(ctx, func(t *tx) error {
		n, err := t.exec("UPDATE calendar_feed SET revoked_at = ? WHERE id = ? AND person_id = ? AND revoked_at IS NULL", micros(t.now), id, personID)
		if err != nil {
			return err
		}
		if n == 0 {
			return notFound("feed", id)
		}
		t.emit("person", personID)
		return t.audit(AuditRecord{PersonID: personID, Action: "feed_revoked", Target: id})
	})
}
