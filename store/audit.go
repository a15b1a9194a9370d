package store

import (
	"context"
	"database/sql"
	"time"
)

// AuditRecord is who did what. The log only grows.
type AuditRecord struct {
	ID                           int64
	At                           time.Time
	PersonID, PersonName         string // "" for the console itself
	Action, Target, Detail, Addr string // Action is a key that web/lang has words for
}

// Audit adds a record; ID, At and PersonName are filled in.
func (s *Store) Audit(ctx context.Context, r AuditRecord) error {
	return s.write(ctx, func(t *tx) error { return t.audit(r) })
}

func (t *tx) audit(r AuditRecord) error {
	_, err := t.exec("INSERT INTO audit (at, person_id, action, target, detail, addr) VALUES (?, ?, ?, ?, ?, ?)",
		micros(t.now), nullIfEmpty(r.PersonID), clipped(r.Action, 100), clipped(r.Target, 200), clipped(r.Detail, detailMax), clipped(r.Addr, 100))
	return err
}

// AuditLog returns the newest records first, a page at a time.
func (s *Store) AuditLog(ctx context.Context, limit int, cursor string) (all []AuditRecord, next string, err error) {
	before, err := beforeCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	limit = pageLimit(limit, 100, 1000)
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanAudit, `SELECT a.id, a.at, a.person_id, p.name, a.action, a.target, a.detail, a.addr
			FROM audit a LEFT JOIN person p ON p.id = a.person_id WHERE a.id < ? ORDER BY a.id DESC LIMIT ?`, before, limit+1)
		return err
	})
	all, next = page(all, limit, func(r AuditRecord) int64 { return r.ID })
	return all, next, err
}

// AuditOf returns what was done to one thing, the newest first, at most limit (0: 100).
func (s *Store) AuditOf(ctx context.Context, target string, limit int) (all []AuditRecord, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanAudit, `SELECT a.id, a.at, a.person_id, p.name, a.action, a.target, a.detail, a.addr
			FROM audit a LEFT JOIN person p ON p.id = a.person_id WHERE a.target = ? ORDER BY a.id DESC LIMIT ?`, target, pageLimit(limit, 100, 1000))
		return err
	})
	return all, err
}

func scanAudit(r scanner) (AuditRecord, error) {
	var a AuditRecord
	var at int64
	var id, name sql.NullString
	err := r.Scan(&a.ID, &at, &id, &name, &a.Action, &a.Target, &a.Detail, &a.Addr)
	a.At, a.PersonID, a.PersonName = fromMicros(at), id.String, name.String
	return a, err
}
