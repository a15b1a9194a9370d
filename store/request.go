package store

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"slices"
	"time"
)

// requestLife is how long a request that is sent again has no second effect: a day, in which every retry of a program ends.
const requestLife = 24 * time.Hour

const requestKeyMax = 200

// Request names what a person asked for, so that it has one effect however often it is sent. The zero value is not kept:
// each time it is sent counts.
type Request struct {
	Key  string   // the sender's own: other people's keys are others
	Hash [32]byte // of what was sent: the same key with another hash is a Conflict
}

// NewRequest is a request of these parts: method, path, what was sent.
func NewRequest(key string, parts ...string) Request {
	h := sha256.New()
	for _, part := range parts {
		h.Write(secretHash(part)) // each of one length: no part runs into the next
	}
	return Request{Key: key, Hash: [32]byte(h.Sum(nil))}
}

// once runs do in this transaction, unless the same person's same request was carried out before: then it returns the id of
// what was made at that time, and made is false. What fails is not kept and may be sent again.
func (t *tx) once(personID string, r Request, do func() (id string, err error)) (id string, made bool, err error) {
	if r.Key == "" || personID == "" {
		id, err = do()
		return id, err == nil, err
	}
	if err := cleanKey(r.Key); err != nil {
		return "", false, err
	}
	if _, err := t.exec("DELETE FROM request WHERE at <= ?", micros(t.now.Add(-requestLife))); err != nil {
		return "", false, err
	}
	var before []byte
	err = t.row("SELECT made, hash FROM request WHERE person_id = ? AND key = ?", personID, r.Key).Scan(&id, &before)
	switch {
	case err == nil && !slices.Equal(before, r.Hash[:]):
		return "", false, &Error{Kind: Conflict, Field: "idempotency_key", Message: "idempotency_key_reused"}
	case !errors.Is(err, sql.ErrNoRows):
		return id, false, err
	}
	if id, err = do(); err != nil {
		return "", false, err
	}
	_, err = t.exec("INSERT INTO request (person_id, key, hash, made, at) VALUES (?, ?, ?, ?, ?)", personID, r.Key, r.Hash[:], id, micros(t.now))
	return id, err == nil, err
}

// cleanKey refuses a key that is too long or could hide something in a log.
func cleanKey(key string) error {
	if len(key) > requestKeyMax || clipped(key, requestKeyMax) != key {
		return invalid("idempotency_key", "not_allowed_characters")
	}
	return nil
}
