package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"
)

const (
	sessionLife   = 30 * 24 * time.Hour
	sessionIdle   = 7 * 24 * time.Hour
	sessionSeen   = time.Minute // how exact seen_at is: a page load writes at most once in it
	sessionSecret = 52          // letters: 32 bytes and more
	agentMax      = 300
)

// Session is one signed-in browser. Of its secret only the hash is kept.
type Session struct {
	ID                           string // public
	PersonID                     string
	CreatedAt, SeenAt, ExpiresAt time.Time
	Addr, Agent                  string
	CSRF                         string // derived from the secret: set by Session only
}

const sessionColumns = "s.id, s.person_id, s.created_at, s.seen_at, s.expires_at, s.addr, s.agent"

func scanSession(r scanner) (Session, error) {
	var n Session
	var created, seen, expires int64
	err := r.Scan(&n.ID, &n.PersonID, &created, &seen, &expires, &n.Addr, &n.Agent)
	n.CreatedAt, n.SeenAt, n.ExpiresAt = fromMicros(created), fromMicros(seen), fromMicros(expires)
	return n, err
}

// Session returns the session a secret belongs to, and whose it is. Unauthorized when it is unknown, ended, older than 30
// days, unused for 7, or its person is disabled.
func (s *Store) Session(ctx context.Context, secret string) (n Session, p Person, err error) {
	now := s.Now()
	err = s.read(ctx, func(t *tx) error {
		n, err = scanSession(t.row("SELECT "+sessionColumns+" FROM session s WHERE s.hash = ? AND s.expires_at > ? AND s.seen_at > ?",
			secretHash(secret), micros(now), micros(now.Add(-sessionIdle))))
		if errors.Is(err, sql.ErrNoRows) {
			return &Error{Kind: Unauthorized, Message: "session_ended"}
		}
		if err == nil {
			p, err = t.person(n.PersonID)
		}
		return err
	})
	if err == nil && p.DisabledAt != nil {
		err = &Error{Kind: Unauthorized, Message: "session_ended"}
	}
	if err != nil {
		return Session{}, Person{}, err
	}
	n.CSRF = csrfOf(secret)
	if now.Sub(n.SeenAt) >= sessionSeen && s.writer != nil {
		// Seen is a convenience: a full disk must not sign anybody out.
		_ = s.write(ctx, func(t *tx) error {
			_, err := t.exec("UPDATE session SET seen_at = ? WHERE id = ? AND seen_at < ?", micros(now), n.ID, micros(now))
			return err
		})
		n.SeenAt = now
	}
	return n, p, nil
}

func csrfOf(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("csrf"))
	return hex.EncodeToString(mac.Sum(nil))
}

// newSession signs a person in.
func (t *tx) newSession(personID, addr, agent string) (secret string, err error) {
	secret = randomText(sessionSecret)
	_, err = t.exec("INSERT INTO session (id, hash, person_id, created_at, seen_at, expires_at, addr, agent) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		newID("w-"), secretHash(secret), personID, micros(t.now), micros(t.now), micros(t.now.Add(sessionLife)), clipped(addr, 100), clipped(agent, agentMax))
	if err != nil {
		return "", err
	}
	_, err = t.exec("DELETE FROM session WHERE expires_at <= ?", micros(t.now))
	return secret, err
}

// clipped cuts what a program sends about itself to a bounded text without control characters.
func clipped(text string, max int) string {
	clean := make([]rune, 0, min(len(text), max))
	for _, r := range text {
		if len(clean) == max {
			break
		}
		if r >= ' ' && r != 0x7f && r != '\uFFFD' {
			clean = append(clean, r)
		}
	}
	return string(clean)
}

// Sessions returns a person's sessions that work, newest use first.
func (s *Store) Sessions(ctx context.Context, personID string) (all []Session, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanSession, "SELECT "+sessionColumns+" FROM session s WHERE s.person_id = ? AND s.expires_at > ? AND s.seen_at > ? ORDER BY s.seen_at DESC, s.id",
			personID, micros(t.now), micros(t.now.Add(-sessionIdle)))
		return err
	})
	return all, err
}

// EndSession ends one of a person's sessions by its public id. NotFound if it is not theirs.
func (s *Store) EndSession(ctx context.Context, personID, id string) error {
	return s.write(ctx, func(t *tx) error {
		n, err := t.exec("DELETE FROM session WHERE id = ? AND person_id = ?", id, personID)
		if err == nil && n == 0 {
			return notFound("session", id)
		}
		return err
	})
}

// EndSessionBySecret signs a browser out. Unknown secrets are fine.
func (s *Store) EndSessionBySecret(ctx context.Context, secret string) error {
	return s.write(ctx, func(t *tx) error {
		_, err := t.exec("DELETE FROM session WHERE hash = ?", secretHash(secret))
		return err
	})
}
