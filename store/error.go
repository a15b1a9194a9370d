package store

import (
	"errors"
	"time"
)

// Kind says what went wrong, for programs; web/errors.go turns it into a status code.
type Kind string

// The kinds of error. Anything that is no *Error is Internal.
const (
	NotFound     Kind = "not_found"
	Invalid      Kind = "invalid"
	Conflict     Kind = "conflict"
	NoCapacity   Kind = "no_capacity"
	BudgetBlocks Kind = "budget_blocks"
	Forbidden    Kind = "forbidden"
	Unauthorized Kind = "unauthorized"
	TooMany      Kind = "too_many"
	Unavailable  Kind = "unavailable" // disk full, read-only, busy or closed: nothing was done, try again later
	Internal     Kind = "internal"
)

// Error is the one error type of the store.
type Error struct {
	Kind       Kind
	Field      string            // of the input, where one is to blame
	Message    string            // a stable key that web/lang has words for
	Args       map[string]string // what the words name
	RetryAfter time.Duration     // > 0 with TooMany and some Unavailable: when it may work
	Err        error             // the cause, where there is one
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of an error, Internal for one that is not the store's and "" for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

// Error says in plain English what happened; pages use their catalogue instead.
func (e *Error) Error() string { return string(e.Kind) + ": " + e.Message }
