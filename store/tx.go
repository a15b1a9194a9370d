package store

import (
	"context"
	"database/sql"
	"time"
)

// tx is one transaction, as the functions that work in it see it: statements are prepared once and the time stands still.
type tx struct {
	ctx     context.Context
	now     time.Time
	prepare func(query string) (*sql.Stmt, error)
	events  []Event // published if it commits
	zone    *time.Location
}

// emit has an event published when the transaction has committed.
func (t *tx) emit(kind, id string) { t.events = append(t.events, Event{Kind: kind, ID: id}) }

// exec runs a statement and returns how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	stmt, err := t.prepare(query)
	if err != nil {
		return 0, err
	}
	r, err := stmt.ExecContext(t.ctx, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// row is one row to be scanned, or the error that there is none.
type row struct {
	row *sql.Row
	err error
}

// Scan copies the row's columns; sql.ErrNoRows if there was no row.
func (r row) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	return r.row.Scan(dest...)
}

// row runs a query for its first row.
func (t *tx) row(query string, args ...any) row {
	stmt, err := t.prepare(query)
	if err != nil {
		return row{err: err}
	}
	return row{row: stmt.QueryRowContext(t.ctx, args...)}
}

// number runs a query for one integer.
func (t *tx) number(query string, args ...any) (int64, error) {
	var n sql.NullInt64
	err := t.row(query, args...).Scan(&n)
	return n.Int64, err
}

// scanner is what a row's columns are copied with.
type scanner interface{ Scan(dest ...any) error }

// each runs a query and calls visit for every row. visit must not use t: collect first, then act.
func (t *tx) each(visit func(scanner) error, query string, args ...any) error {
	stmt, err := t.prepare(query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(t.ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := visit(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// list collects a query's rows with the given scan.
func list[T any](t *tx, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	var all []T
	err := t.each(func(r scanner) error {
		v, err := scan(r)
		if err == nil {
			all = append(all, v)
		}
		return err
	}, query, args...)
	return all, err
}
