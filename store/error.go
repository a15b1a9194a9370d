package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"
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
	QuotaBlocks  Kind = "quota"
	Forbidden    Kind = "forbidden"
	Unauthorized Kind = "unauthorized"
	TooMany      Kind = "too_many"
	Unavailable  Kind = "unavailable" // disk full, read-only, busy, damaged or closed: nothing was done
	Internal     Kind = "internal"
)

// Key names what went wrong. web/lang has words for every one, in each language; a test finds one that has none.
type Key string

// Error is the one error type of the store.
type Error struct {
	Kind       Kind
	Field      string            // of the input, where one is to blame
	Message    Key               // stable
	Args       map[string]string // what the words name
	RetryAfter time.Duration     // > 0 with TooMany and some Unavailable: when it may work
	Err        error             // the cause, where there is one
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Error names what happened, for a log: the words for people are in web/lang.
func (e *Error) Error() string {
	text := string(e.Message)
	if e.Field != "" {
		text = e.Field + ": " + text
	}
	for _, name := range slices.Sorted(maps.Keys(e.Args)) {
		text += " " + name + "=" + strconv.Quote(e.Args[name])
	}
	if e.Err != nil {
		text += " (" + e.Err.Error() + ")"
	}
	return text
}

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

func errClosed() error { return &Error{Kind: Unavailable, Message: "closed"} }

func errCancelled(cause error) error {
	return &Error{Kind: Unavailable, Message: "cancelled", Err: cause}
}

func notFound(what, id string) error {
	return &Error{Kind: NotFound, Message: Key(what + "_not_found"), Args: map[string]string{"id": id}}
}

func invalid(field string, key Key) error { return &Error{Kind: Invalid, Field: field, Message: key} }

// orNotFound turns "no row" into NotFound of what was looked for.
func orNotFound(err error, what, id string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return notFound(what, id)
	}
	return err
}

// fromSQLite gives the database's own errors a kind and words. Others pass as they are.
func fromSQLite(err error) error {
	var own *Error
	if errors.As(err, &own) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case sqlite3.ErrFull:
		return &Error{Kind: Unavailable, Message: "disk_full", RetryAfter: 10 * time.Second, Err: err}
	case sqlite3.ErrReadonly, sqlite3.ErrCantOpen, sqlite3.ErrPerm:
		return &Error{Kind: Unavailable, Message: "database_not_writable", Err: err}
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return &Error{Kind: Unavailable, Message: "database_busy", RetryAfter: time.Second, Err: err}
	case sqlite3.ErrIoErr:
		return &Error{Kind: Unavailable, Message: "disk_error", RetryAfter: 10 * time.Second, Err: err}
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		return &Error{Kind: Unavailable, Message: "database_corrupt", Err: err}
	case sqlite3.ErrConstraint:
		if e.ExtendedCode == sqlite3.ErrConstraintTrigger { // the trigger's words are a key
			return &Error{Kind: Conflict, Message: Key(e.Error()), Err: err}
		}
	}
	return fmt.Errorf("database: %w", err)
}

// violates reports whether err is a broken UNIQUE rule on the given "table.column" or index name.
func violates(err error, what string) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrConstraint && strings.Contains(e.Error(), what)
}
