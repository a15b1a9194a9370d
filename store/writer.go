package store

import (
	"context"
	"database/sql"
	"sync/atomic"
	"time"

	"github.com/mattn/go-sqlite3"
)

const (
	// groupTime is how long a transaction goes on taking in what is queued before it commits: about as long as the
	// commit's own fsync takes on a good disk, so that nobody waits much longer for company than for the disk.
	groupTime = 4 * time.Millisecond
	// groupSize bounds what one commit carries.
	groupSize = 512
)

// writer is the one connection that changes the database. Its goroutine takes what is queued, runs each in a savepoint of
// one transaction, commits once, and only then answers. A failed one leaves its neighbours alone; a failed commit fails all.
type writer struct {
	db    *sql.DB
	conn  *sql.Conn
	stmts stmtCache
	now   func() time.Time
	feed  *feed

	queue   chan *job
	closing chan struct{} // the store's
	done    chan struct{}

	commits int // how many there were; the goroutine's own until done
}

// job is a queued function. Whoever moves state away from jobWaiting decides: the writer runs it, or its caller gave up.
type job struct {
	ctx    context.Context
	run    func(*tx) error
	state  atomic.Int32
	answer chan error // buffered
	events []Event
}

const (
	jobWaiting int32 = iota
	jobTaken
	jobGivenUp
)

func startWriter(db *sql.DB, conn *sql.Conn, now func() time.Time, f *feed, closing chan struct{}) *writer {
	w := &writer{db: db, conn: conn, now: now, feed: f,
		queue: make(chan *job), closing: closing, done: make(chan struct{})}
	go w.loop()
	return w
}

// do queues run and waits for its answer.
func (w *writer) do(ctx context.Context, run func(*tx) error) error {
	j := &job{ctx: ctx, run: run, answer: make(chan error, 1)}
	select {
	case w.queue <- j:
	case <-ctx.Done():
		return errCancelled(ctx.Err())
	case <-w.closing:
		return errClosed()
	}
	select {
	case err := <-j.answer:
		return err
	case <-ctx.Done():
		if j.state.CompareAndSwap(jobWaiting, jobGivenUp) {
			return errCancelled(ctx.Err())
		}
		return <-j.answer // it runs already: what it did counts
	}
}

func (w *writer) loop() {
	defer close(w.done)
	for {
		select {
		case j := <-w.queue:
			w.group(j)
		case <-w.closing:
			return
		}
	}
}

// group runs one transaction, beginning with first.
func (w *writer) group(first *job) {
	if first.ctx.Err() != nil {
		first.answer <- errCancelled(first.ctx.Err())
		return
	}
	if err := w.plain("BEGIN IMMEDIATE"); err != nil {
		first.answer <- fromSQLite(err)
		return
	}
	full := time.NewTimer(groupTime)
	defer full.Stop()
	var ran []*job
	for j := first; j != nil; j = w.next(len(ran), full.C) {
		if !j.state.CompareAndSwap(jobWaiting, jobTaken) {
			continue // its caller gave up
		}
		err := w.savepoint(j)
		if err == nil {
			ran = append(ran, j)
			continue
		}
		j.answer <- fromSQLite(err)
		if w.rolledBack() { // SQLite gave the whole transaction up: disk full, for one
			w.fail(ran, fromSQLite(err))
			return
		}
	}
	if err := w.plain("COMMIT"); err != nil {
		if !w.rolledBack() {
			_ = w.plain("ROLLBACK") // the commit's own error is the one to tell
		}
		w.fail(ran, fromSQLite(err))
		return
	}
	w.commits++
	for _, j := range ran {
		w.feed.publish(j.events)
		j.answer <- nil
	}
}

// next returns what is queued already, nil if nothing is or the group is complete.
func (w *writer) next(ran int, full <-chan time.Time) *job {
	if ran >= groupSize {
		return nil
	}
	select {
	case <-full:
		return nil
	default:
	}
	select {
	case j := <-w.queue:
		return j
	default:
		return nil
	}
}

// savepoint runs one job so that its failure undoes its own changes only.
func (w *writer) savepoint(j *job) error {
	if err := w.plain("SAVEPOINT job"); err != nil {
		return err
	}
	t := &tx{ctx: context.Background(), now: instant(w.now()), prepare: w.prepare} // begun is finished: no half interrupted ones
	err := j.run(t)
	if err == nil {
		err = w.plain("RELEASE job")
	}
	if err == nil {
		j.events = t.events
		return nil
	}
	if !w.rolledBack() {
		if back := w.plain("ROLLBACK TO job"); back != nil {
			return back
		}
		if back := w.plain("RELEASE job"); back != nil {
			return back
		}
	}
	return err
}

func (w *writer) fail(jobs []*job, err error) {
	for _, j := range jobs {
		j.answer <- err
	}
}

func (w *writer) prepare(query string) (*sql.Stmt, error) {
	return w.stmts.get(query, func(q string) (*sql.Stmt, error) { return w.conn.PrepareContext(context.Background(), q) })
}

func (w *writer) plain(query string) error {
	stmt, err := w.prepare(query)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(context.Background())
	return err
}

// rolledBack reports whether no transaction is open any more.
func (w *writer) rolledBack() bool {
	over := false
	err := w.conn.Raw(func(driver any) error {
		over = driver.(*sqlite3.SQLiteConn).AutoCommit()
		return nil
	})
	return err != nil || over
}

// close waits for the loop, then checkpoints.
func (w *writer) close() error {
	<-w.done
	w.stmts.close()
	_, err := w.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	if e := w.conn.Close(); err == nil {
		err = e
	}
	if e := w.db.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fromSQLite(err)
	}
	return nil
}

// DataVersion returns a number that moves when another process has changed the database, and stays when only this one has.
func (s *Store) DataVersion(ctx context.Context) (int64, error) {
	var v int64
	err := s.write(ctx, func(t *tx) (err error) {
		v, err = t.number("PRAGMA data_version")
		return err
	})
	return v, err
}
