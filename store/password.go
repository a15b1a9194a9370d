package store

import (
	"context"
	"database/sql"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"
)

const (
	passwordMin = 10
	passwordMax = 200
	// hashesAtOnce bounds the memory of a storm of logins: 4 × 19 MiB.
	hashesAtOnce = 4
	// hashesWaiting is how many more may wait; the next are told to come back.
	hashesWaiting = 64
)

// passwordParams are the first choice of OWASP's password storage cheat sheet for Argon2id: 19 MiB, 2 passes, 1 lane.
var passwordParams = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// dummyHash takes as long to compare with as a person's own: who does not exist is not told by the time it takes.
var dummyHash = sync.OnceValues(func() (string, error) { return argon2id.CreateHash(randomText(20), passwordParams) })

// hashing lets a bounded number of passwords be hashed at once.
type hashing struct {
	once    sync.Once
	running chan struct{}
	waiting chan struct{}
}

func (h *hashing) enter(ctx context.Context) (leave func(), err error) {
	h.once.Do(func() {
		h.running = make(chan struct{}, hashesAtOnce)
		h.waiting = make(chan struct{}, hashesAtOnce+hashesWaiting)
	})
	select {
	case h.waiting <- struct{}{}:
	default:
		return nil, &Error{Kind: TooMany, Message: "too_many_attempts", RetryAfter: 2 * time.Second}
	}
	select {
	case h.running <- struct{}{}:
		return func() { <-h.running; <-h.waiting }, nil
	case <-ctx.Done():
		<-h.waiting
		return nil, errCancelled(ctx.Err())
	}
}

// matches compares a password with a hash; with "" it compares with nobody's, as slowly.
func (h *hashing) matches(ctx context.Context, password, hash string) (bool, error) {
	known := hash != ""
	if !known {
		var err error
		if hash, err = dummyHash(); err != nil {
			return false, err
		}
	}
	if len(password) > 4*passwordMax {
		password = "" // too long for anyone's; compared all the same
	}
	leave, err := h.enter(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	same, err := argon2id.ComparePasswordAndHash(norm.NFC.String(password), hash)
	return same && known, err
}

// hashNew checks a new password's length and hashes it.
func (s *Store) hashNew(ctx context.Context, password string) (string, error) {
	if !utf8.ValidString(password) {
		return "", invalid("password", "not_allowed_characters")
	}
	switch n := utf8.RuneCountInString(password); {
	case n < passwordMin:
		return "", &Error{Kind: Invalid, Field: "password", Message: "too_short", Args: map[string]string{"min": strconv.Itoa(passwordMin)}}
	case n > passwordMax:
		return "", tooLong("password", passwordMax)
	}
	leave, err := s.hashing.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	return argon2id.CreateHash(norm.NFC.String(password), passwordParams)
}

// passwordHash returns a person's hash, "" if they have none.
func (s *Store) passwordHash(ctx context.Context, id string) (string, error) {
	var hash sql.NullString
	err := s.read(ctx, func(t *tx) error {
		return orNotFound(t.row("SELECT password_hash FROM person WHERE id = ?", id).Scan(&hash), "person", id)
	})
	return hash.String, err
}
