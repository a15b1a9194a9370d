package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"
)

// loginLinkLife is how long a sign-in link works: long enough to find the mail or the terminal.
const loginLinkLife = 15 * time.Minute

// Login signs a person in by name or address and password. Unauthorized, in the same words and after the same time,
// whether the name or the password is wrong; TooMany with RetryAfter after 5 failures for a person (growing from 30 s to
// 15 min) or 20 from an address.
func (s *Store) Login(ctx context.Context, nameOrEmail, password, addr, agent string) (secret string, p Person, err error) {
	var hash sql.NullString
	key := "name:" + hex.EncodeToString(secretHash(foldKey(clipped(nameOrEmail, emailMax))))
	err = s.read(ctx, func(t *tx) error {
		p, err = t.personByName(clipped(nameOrEmail, emailMax))
		if errNoPerson(err) {
			return nil
		}
		if err != nil {
			return err
		}
		key = "person:" + p.ID
		return t.row("SELECT password_hash FROM person WHERE id = ?", p.ID).Scan(&hash)
	})
	if err != nil {
		return "", Person{}, err
	}
	if p.DisabledAt != nil {
		hash.String = ""
	}
	err = s.throttled(ctx, key, clipped(addr, 100), func() (bool, error) { return s.hashing.matches(ctx, password, hash.String) })
	if err != nil {
		return "", Person{}, err
	}
	err = s.write(ctx, func(t *tx) error {
		var current sql.NullString // changed or disabled since it was compared?
		if err := t.row("SELECT password_hash FROM person WHERE id = ? AND disabled_at IS NULL", p.ID).Scan(&current); err != nil || current != hash {
			return &Error{Kind: Unauthorized, Message: "login_failed"}
		}
		if secret, err = t.newSession(p.ID, addr, agent); err != nil {
			return err
		}
		return t.audit(AuditRecord{PersonID: p.ID, Action: "signed_in", Target: p.ID, Addr: addr})
	})
	if err != nil {
		return "", Person{}, err
	}
	return secret, p, nil
}

// LoginLink makes a one-time code that signs a person in, for 15 minutes.
func (s *Store) LoginLink(ctx context.Context, personID string) (code string, err error) {
	code = randomText(40)
	err = s.write(ctx, func(t *tx) error {
		if _, err := t.activePerson(personID); err != nil {
			return err
		}
		if _, err := t.exec("DELETE FROM login_link WHERE expires_at <= ?", micros(t.now)); err != nil {
			return err
		}
		_, err := t.exec("INSERT INTO login_link (hash, person_id, expires_at) VALUES (?, ?, ?)",
			secretHash(code), personID, micros(t.now.Add(loginLinkLife)))
		return err
	})
	return code, err
}

// LoginByLink signs in with a code of LoginLink, which then works no more. Unauthorized otherwise.
func (s *Store) LoginByLink(ctx context.Context, code, addr, agent string) (secret string, p Person, err error) {
	err = s.write(ctx, func(t *tx) error {
		var id string
		err := t.row("DELETE FROM login_link WHERE hash = ? AND expires_at > ? RETURNING person_id", secretHash(code), micros(t.now)).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return &Error{Kind: Unauthorized, Message: "login_link_used"}
		}
		if err != nil {
			return err
		}
		if p, err = t.activePerson(id); err != nil {
			return err
		}
		if secret, err = t.newSession(id, addr, agent); err != nil {
			return err
		}
		return t.audit(AuditRecord{PersonID: id, Action: "signed_in_by_link", Target: id, Addr: addr})
	})
	if err != nil {
		return "", Person{}, err
	}
	return secret, p, nil
}
