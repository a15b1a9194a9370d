package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// How often a wrong password may be tried. Attempts are counted before they are looked at, in the database: a storm of
// parallel ones, or a restart, gets no more of them.
const (
	personAttempts  = 5                // then each further one waits
	addressAttempts = 20               // from one address, over all names
	throttleFirst   = 30 * time.Second // the first wait; each further one is twice as long
	throttleLongest = 15 * time.Minute
	throttleForgets = time.Hour // without an attempt, and all is forgotten
)

// throttled runs an attempt to prove something about key (and from addr) unless there were too many. An attempt that fails
// stays counted; one that succeeds clears the key. Unauthorized if the attempt says no.
func (s *Store) throttled(ctx context.Context, key, addr string, attempt func() (bool, error)) error {
	err := s.write(ctx, func(t *tx) error {
		if addr != "" {
			if err := t.countAttempt("addr:"+addr, addressAttempts); err != nil {
				return err
			}
		}
		return t.countAttempt(key, personAttempts)
	})
	if err != nil {
		return err
	}
	ok, err := attempt()
	if err != nil {
		return err
	}
	if !ok {
		return &Error{Kind: Unauthorized, Message: "login_failed"}
	}
	return s.write(ctx, func(t *tx) error {
		if _, err := t.exec("DELETE FROM throttle WHERE key = ?", key); err != nil || addr == "" {
			return err
		}
		// one who knows a password is no reason to slow down their whole address
		_, err := t.exec("UPDATE throttle SET attempts = attempts - 1, until_at = 0 WHERE key = ? AND attempts > 1", "addr:"+addr)
		return err
	})
}

// countAttempt counts one more attempt, or says TooMany with how long to wait.
func (t *tx) countAttempt(key string, free int64) error {
	var attempts, last, until int64
	err := t.row("SELECT attempts, last_at, until_at FROM throttle WHERE key = ?", key).Scan(&attempts, &last, &until)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	now := micros(t.now)
	if until > now {
		return &Error{Kind: TooMany, Message: "too_many_attempts", RetryAfter: time.Duration(until-now) * time.Microsecond}
	}
	if last < now-throttleForgets.Microseconds() {
		attempts = 0
	}
	attempts++
	until = 0
	if attempts >= free {
		until = micros(t.now.Add(throttleWait(attempts - free)))
	}
	if _, err := t.exec(`INSERT INTO throttle (key, attempts, last_at, until_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET attempts = excluded.attempts, last_at = excluded.last_at, until_at = excluded.until_at`,
		key, attempts, now, until); err != nil {
		return err
	}
	_, err = t.exec("DELETE FROM throttle WHERE last_at < ?", now-2*throttleForgets.Microseconds())
	return err
}

func throttleWait(over int64) time.Duration {
	wait := throttleFirst
	for ; over > 0 && wait < throttleLongest; over-- {
		wait *= 2
	}
	return min(wait, throttleLongest)
}

// asField puts the blame for a failed attempt on a form's field.
func asField(err error, field string, key Key) error {
	var e *Error
	if errors.As(err, &e) && e.Kind == Unauthorized {
		return &Error{Kind: Unauthorized, Field: field, Message: key}
	}
	return err
}
