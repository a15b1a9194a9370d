// Package store keeps everything Meterhouse knows in one SQLite file.
package store

import (
	"context"
	"time"
)

// Config says which data directory to open.
type Config struct {
	Path     string           // the data directory; the database is meterhouse.db in it
	Now      func() time.Time // the clock; required
	ReadOnly bool             // no writing, no migrating
}

// Store is an open database.
type Store struct {
	now func() time.Time
}

// Event says that something has changed, after the change was committed.
type Event struct {
	Kind string // "instance","gpu","budget","outbox","benchmark","person","ledger","missed"
	ID   string // of what changed; "" for kinds without one
}

var errPending = &Error{Kind: Internal, Message: "pending"}

// Open opens the database.
func Open(ctx context.Context, c Config) (*Store, error) { return nil, errPending }
