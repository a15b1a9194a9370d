package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// MailPreference is which mail an address wants. The zero value: all, as it comes.
type MailPreference struct {
	Off    []MailKind // that are not sent
	Digest bool       // what is not urgent comes once an hour in one mail
}

// MailPreference returns what a person wants.
func (s *Store) MailPreference(ctx context.Context, personID string) (wants MailPreference, err error) {
	err = s.read(ctx, func(t *tx) error {
		p, err := t.person(personID)
		if err == nil {
			wants, err = t.mailPreference(foldKey(p.Email))
		}
		return err
	})
	return wants, err
}

func (t *tx) mailPreference(key string) (wants MailPreference, err error) {
	var off string
	err = t.row("SELECT off, digest FROM mail_preference WHERE recipient_key = ?", key).Scan(&off, &wants.Digest)
	if errors.Is(err, sql.ErrNoRows) {
		return MailPreference{}, nil
	}
	if err != nil {
		return wants, err
	}
	return wants, json.Unmarshal([]byte(off), &wants.Off)
}

// SetMailPreference says what a person wants. Invalid for a kind that can't be switched off.
func (s *Store) SetMailPreference(ctx context.Context, personID string, wants MailPreference) error {
	return s.write(ctx, func(t *tx) error {
		p, err := t.activePerson(personID)
		if err != nil {
			return err
		}
		return t.setMailPreference(foldKey(p.Email), wants)
	})
}

func (t *tx) setMailPreference(key string, wants MailPreference) error {
	for _, kind := range wants.Off {
		if !slices.Contains(MailKinds, kind) {
			return invalid("off", "mail_kind_needed")
		}
	}
	off, err := json.Marshal(append([]MailKind{}, slices.Compact(slices.Sorted(slices.Values(wants.Off)))...))
	if err != nil {
		return err
	}
	_, err = t.exec(`INSERT INTO mail_preference (recipient_key, off, digest, changed_at) VALUES (?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET off = excluded.off, digest = excluded.digest, changed_at = excluded.changed_at`, key, string(off), wants.Digest, micros(t.now))
	return err
}

// moveMailPreference takes what a person wants along to their new address.
func (t *tx) moveMailPreference(from, to string) error {
	if from == to {
		return nil
	}
	if _, err := t.exec("DELETE FROM mail_preference WHERE recipient_key = ?", to); err != nil {
		return err
	}
	_, err := t.exec("UPDATE mail_preference SET recipient_key = ? WHERE recipient_key = ?", to, from)
	return err
}

// MailStop returns the token with which a mail's reader, without signing in, switches off its kind; "" for what can't be.
// It is the same for the same mail, and tells nothing about who reads it.
func (s *Store) MailStop(ctx context.Context, m Mail) (token string, err error) {
	if kind, ok := templateOf(m.Template); !ok || kind.Kind == MailNeeded && m.Template != "digest" {
		return "", nil
	}
	err = s.read(ctx, func(t *tx) error {
		token, err = t.mailStop(m.ID)
		return err
	})
	return token, err
}

func (t *tx) mailStop(id int64) (string, error) {
	var key []byte
	if err := t.row("SELECT key FROM mail_key").Scan(&key); err != nil {
		return "", err
	}
	number := strconv.FormatInt(id, 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("stop " + number))
	return number + "." + hex.EncodeToString(mac.Sum(nil)[:16]), nil
}

// MailOfStop returns the mail that a token of MailStop stands for, and the kinds that it switches off: of a digest all that
// are in it. NotFound for any other token.
func (s *Store) MailOfStop(ctx context.Context, token string) (m Mail, kinds []MailKind, err error) {
	err = s.read(ctx, func(t *tx) error {
		m, kinds, err = t.mailOfStop(token)
		return err
	})
	return m, kinds, err
}

func (t *tx) mailOfStop(token string) (m Mail, kinds []MailKind, err error) {
	unknown := &Error{Kind: NotFound, Message: "mail_stop_unknown"}
	number, _, _ := strings.Cut(token, ".")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return m, nil, unknown
	}
	want, err := t.mailStop(id)
	if err != nil {
		return m, nil, err
	}
	if !hmac.Equal([]byte(want), []byte(token)) {
		return m, nil, unknown
	}
	if m, err = scanMail(t.row("SELECT "+mailColumns+" FROM outbox WHERE id = ?", id)); err != nil {
		return m, nil, orNotFound(err, "mail", number)
	}
	names := []string{m.Template}
	if m.Template == "digest" {
		names, err = list(t, func(r scanner) (name string, err error) { return name, r.Scan(&name) }, "SELECT DISTINCT template FROM outbox WHERE digest_id = ?", id)
		if err != nil {
			return m, nil, err
		}
	}
	for _, kind := range MailKinds {
		if slices.ContainsFunc(names, func(name string) bool { t, _ := templateOf(name); return t.Kind == kind }) {
			kinds = append(kinds, kind)
		}
	}
	return m, kinds, nil
}

// StopMail switches off what a token of MailStop stands for. Twice has the effect of once.
func (s *Store) StopMail(ctx context.Context, token string) error {
	return s.write(ctx, func(t *tx) error {
		m, kinds, err := t.mailOfStop(token)
		if err != nil {
			return err
		}
		key := foldKey(m.To)
		wants, err := t.mailPreference(key)
		if err != nil {
			return err
		}
		wants.Off = append(wants.Off, kinds...)
		return t.setMailPreference(key, wants)
	})
}
