// Package store keeps everything Meterhouse knows in one SQLite file: people, nodes, GPUs, plans and prices, instances and
// their segments, the ledger, budgets, mail to be sent, benchmark results and the audit log.
//
// It may import its own rule packages (life, meter, money, budget, plan), which know neither SQL nor a clock, and nothing
// else of Meterhouse. No other package touches the database. The rules it keeps, most of them by the database itself: one
// GPU is in one live instance at most; a state change, its postings and its mail are one transaction; the ledger only grows
// and sums to zero.
//
// # How to use it
//
//	s, err := store.Open(ctx, store.Config{Path: dir, Now: clock})
//	defer s.Close()
//	i, created, err := s.Rent(ctx, store.RentRequest{PersonID: p.ID, PlanID: "cpu-2"})
//	if store.KindOf(err) == store.NoCapacity { … }
//
// Every method is safe for concurrent use. One that returns without an error has its effect on disk; one that returns an
// error has none. Writers that call at the same moment share one commit, so many callers are cheaper than one after
// another. A call whose context ends before its turn is not run. The Error's Message is a key with Args that web/lang has
// words for.
//
// The life of an instance, by who calls: Rent (starting or queued; PlaceQueued lets waiting ones start) → MarkRunning, or
// MarkStartFailed → Suspend and Resume, ProofOfLife every few seconds, MarkUnreachable and MarkReachable → RequestStop by a
// person or a due end, then MarkEnded once its processes are gone, then MarkStopped with the proof. Each is idempotent: a
// step that was taken already changes nothing. Times that callers name are cut to what can be: never after now, never
// before what is already known. Loops call PostDue, CheckBudgets, DueEnds and DueMail and find all they need in the
// database: doing any of them twice has one effect.
//
// Subscribe tells what changed in this process; DataVersion moves when another process has changed something.
package store

import (
	"context"
	"database/sql"
	"sync"
	"time"
)

// Config says which data directory to open, and how.
type Config struct {
	Path     string           // the data directory, made if missing; the database is meterhouse.db in it
	Now      func() time.Time // the clock
	ReadOnly bool             // no writing, no migrating, no making of directories
}

// Store is an open database. Close it.
type Store struct {
	now     func() time.Time
	file    string
	writer  *writer // nil: read-only
	readers *sql.DB
	reading chan struct{} // a place for each read transaction: fewer than there are connections
	reads   stmtCache     // prepared on readers
	feed    feed
	hashing hashing

	closing  chan struct{}
	closeOne sync.Once
	closeErr error
}

// Now returns the store's time: the configured clock's, UTC, cut to microseconds.
func (s *Store) Now() time.Time { return instant(s.now()) }

// Close waits for the writes that run, moves the write-ahead log into the database and ends every subscription. Later
// calls find the store Unavailable. Closing twice is harmless.
func (s *Store) Close() error {
	s.closeOne.Do(func() {
		close(s.closing)
		s.feed.close()
		s.reads.close()
		s.closeErr = s.readers.Close()
		if s.writer != nil {
			if err := s.writer.close(); err != nil {
				s.closeErr = err
			}
		}
	})
	return s.closeErr
}

// write queues run for the writer and returns when its effect is on disk, or with the error that kept it from happening.
// run must neither block nor call methods of Store.
func (s *Store) write(ctx context.Context, run func(*tx) error) error {
	if s.writer == nil {
		return &Error{Kind: Unavailable, Message: "read_only"}
	}
	return s.writer.do(ctx, run)
}

// read runs one consistent look at the database.
func (s *Store) read(ctx context.Context, run func(*tx) error) error {
	select {
	case <-s.closing:
		return errClosed()
	default:
	}
	select {
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
	case <-ctx.Done():
		return errCancelled(ctx.Err())
	case <-s.closing:
		return errClosed()
	}
	dbtx, err := s.readers.BeginTx(ctx, nil)
	if err != nil {
		return s.readError(ctx, err)
	}
	defer dbtx.Rollback() //nolint:errcheck // nothing was written
	t := &tx{ctx: ctx, now: s.Now(), prepare: func(query string) (*sql.Stmt, error) {
		stmt, err := s.reads.get(query, func(q string) (*sql.Stmt, error) { return s.readers.PrepareContext(ctx, q) })
		if err != nil {
			return nil, err
		}
		return dbtx.StmtContext(ctx, stmt), nil
	}}
	return s.readError(ctx, run(t))
}

func (s *Store) readError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return errCancelled(ctx.Err())
	}
	select {
	case <-s.closing:
		return errClosed()
	default:
		return fromSQLite(err)
	}
}
