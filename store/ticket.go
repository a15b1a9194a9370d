package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

const ticketMax = 10 * time.Minute

// NewTicket makes a secret that lets one socket be opened once, for one purpose such as "terminal:i-…", within ttl (at
// most 10 minutes).
func (s *Store) NewTicket(ctx context.Context, personID, purpose string, ttl time.Duration) (secret string, err error) {
	if ttl <= 0 || ttl > ticketMax {
		return "", invalid("ttl", "out_of_range")
	}
	secret = randomText(40)
	err = s.write(ctx, func(t *tx) error {
		if _, err := t.exec("DELETE FROM ticket WHERE expires_at <= ?", micros(t.now)); err != nil {
			return err
		}
		if _, err := t.activePerson(personID); err != nil {
			return err
		}
		_, err := t.exec("INSERT INTO ticket (hash, person_id, purpose, expires_at) VALUES (?, ?, ?, ?)",
			secretHash(secret), personID, purpose, micros(t.now.Add(ttl)))
		return err
	})
	return secret, err
}

// UseTicket takes a ticket and says whose it was. Unauthorized when it is unknown, used, too old or for something else; one
// for something else stays good for what it is for.
func (s *Store) UseTicket(ctx context.Context, secret, purpose string) (personID string, err error) {
	err = s.write(ctx, func(t *tx) error {
		err := t.row("DELETE FROM ticket WHERE hash = ? AND purpose = ? AND expires_at > ? RETURNING person_id",
			secretHash(secret), purpose, micros(t.now)).Scan(&personID)
		if errors.Is(err, sql.ErrNoRows) {
			return &Error{Kind: Unauthorized, Message: "ticket_used"}
		}
		if err == nil {
			_, err = t.activePerson(personID)
		}
		return err
	})
	return personID, err
}
