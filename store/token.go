package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

const (
	tokenPrefix  = "mh_" // so that a leaked one is recognised
	tokenLetters = 40
	tokensMax    = 50 // a person
	tokenUsed    = time.Minute
)

// Token lets a program act as a person. Of its secret only the hash is kept.
type Token struct {
	ID, PersonID, Name string
	CreatedAt          time.Time
	UsedAt, RevokedAt  *time.Time // UsedAt to the minute
}

const tokenColumns = "id, person_id, name, created_at, used_at, revoked_at"

func scanToken(r scanner) (Token, error) {
	var k Token
	var created int64
	var used, revoked sql.NullInt64
	err := r.Scan(&k.ID, &k.PersonID, &k.Name, &created, &used, &revoked)
	k.CreatedAt, k.UsedAt, k.RevokedAt = fromMicros(created), timeOrNil(used), timeOrNil(revoked)
	return k, err
}

// CreateToken makes a token; its secret is shown this once. The same request again makes no other: Conflict, as the secret
// of the first can't be told a second time.
func (s *Store) CreateToken(ctx context.Context, personID, name string, r Request) (secret string, k Token, err error) {
	if name, err = cleanText("name", name, 1, nameMax); err != nil {
		return "", Token{}, err
	}
	secret = tokenPrefix + randomText(tokenLetters)
	k = Token{ID: newID("k-"), PersonID: personID, Name: name}
	made := false
	err = s.write(ctx, func(t *tx) error {
		if _, err := t.activePerson(personID); err != nil {
			return err
		}
		_, made, err = t.once(personID, r, func() (string, error) { return k.ID, t.insertToken(&k, secret) })
		return err
	})
	if err == nil && !made { // said after the commit, which may be that of the first
		err = &Error{Kind: Conflict, Message: "token_shown_before"}
	}
	if err != nil {
		return "", Token{}, err
	}
	return secret, k, nil
}

func (t *tx) insertToken(k *Token, secret string) error {
	n, err := t.number("SELECT count(*) FROM api_token WHERE person_id = ? AND revoked_at IS NULL", k.PersonID)
	if err != nil {
		return err
	}
	if n >= tokensMax {
		return &Error{Kind: Conflict, Message: "too_many_tokens"}
	}
	k.CreatedAt = t.now
	if _, err := t.exec("INSERT INTO api_token (id, hash, person_id, name, created_at) VALUES (?, ?, ?, ?, ?)",
		k.ID, secretHash(secret), k.PersonID, k.Name, micros(t.now)); err != nil {
		return err
	}
	t.emit("person", k.PersonID)
	return t.audit(AuditRecord{PersonID: k.PersonID, Action: "token_created", Target: k.ID, Detail: k.Name})
}

// TokenPerson returns whose token a secret is. Unauthorized if it is unknown, revoked, or its person is disabled.
func (s *Store) TokenPerson(ctx context.Context, secret string) (p Person, k Token, err error) {
	denied := &Error{Kind: Unauthorized, Message: "token_unknown"}
	if !strings.HasPrefix(secret, tokenPrefix) || len(secret) != len(tokenPrefix)+tokenLetters {
		return Person{}, Token{}, denied
	}
	err = s.read(ctx, func(t *tx) error {
		k, err = scanToken(t.row("SELECT "+tokenColumns+" FROM api_token WHERE hash = ? AND revoked_at IS NULL", secretHash(secret)))
		if errors.Is(err, sql.ErrNoRows) {
			return denied
		}
		if err == nil {
			p, err = t.person(k.PersonID)
		}
		return err
	})
	if err == nil && p.DisabledAt != nil {
		err = denied
	}
	if err != nil {
		return Person{}, Token{}, err
	}
	now := s.Now()
	if (k.UsedAt == nil || now.Sub(*k.UsedAt) >= tokenUsed) && s.writer != nil {
		// When it was used last is a convenience: a full disk must not lock programs out.
		_ = s.write(ctx, func(t *tx) error {
			_, err := t.exec("UPDATE api_token SET used_at = ? WHERE id = ?", micros(now), k.ID)
			return err
		})
		k.UsedAt = &now
	}
	return p, k, nil
}

// Tokens returns a person's tokens that work, newest first.
func (s *Store) Tokens(ctx context.Context, personID string) (all []Token, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanToken, "SELECT "+tokenColumns+" FROM api_token WHERE person_id = ? AND revoked_at IS NULL ORDER BY created_at DESC, id", personID)
		return err
	})
	return all, err
}

// RevokeToken ends a token. NotFound if it is not the person's.
func (s *Store) RevokeToken(ctx context.Context, personID, id string) error {
	return s.write(ctx, func(t *tx) error {
		n, err := t.exec("UPDATE api_token SET revoked_at = ? WHERE id = ? AND person_id = ? AND revoked_at IS NULL", micros(t.now), id, personID)
		if err != nil {
			return err
		}
		if n == 0 {
			return notFound("token", id)
		}
		t.emit("person", personID)
		return t.audit(AuditRecord{PersonID: personID, Action: "token_revoked", Target: id})
	})
}
