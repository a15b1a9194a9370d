package store

import "time"

// AuditRecord is who did what.
type AuditRecord struct {
	ID                           int64
	At                           time.Time
	PersonID, PersonName         string // "" for the console itself
	Action, Target, Detail, Addr string
}
