package store

import (
	"database/sql"
	"time"
)

// Times are time.Time in UTC here and microseconds since 1970 in the database; both are exact, so one equals the other.

func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(us int64) time.Time { return time.UnixMicro(us).UTC() }

// microsOrNull is nil for nil.
func microsOrNull(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMicro()
}

// timeOrNil is nil for NULL.
func timeOrNil(us sql.NullInt64) *time.Time {
	if !us.Valid {
		return nil
	}
	t := fromMicros(us.Int64)
	return &t
}

// nullIfEmpty keeps "" out of columns that reference another table.
func nullIfEmpty(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
