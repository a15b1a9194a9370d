package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"
)

// Each file in migrations is one step, numbered without gaps; its number becomes the database's user_version. What has been
// released is never edited.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks a database as Meterhouse's: "Metr" in ASCII.
const applicationID = 0x4d657472

// migrations returns the steps in order.
func migrations() ([]string, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	steps := make([]string, 0, len(names))
	for i, name := range names {
		number, err := strconv.Atoi(strings.SplitN(strings.TrimPrefix(name, "migrations/"), "_", 2)[0])
		if err != nil || number != i+1 {
			return nil, fmt.Errorf("migration %s should be number %d", name, i+1)
		}
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		steps = append(steps, string(text))
	}
	return steps, nil
}

// migrate brings the database up to this program's version, each step in a transaction of its own. Another process may do
// the same at the same moment: the version is read again inside.
func migrate(ctx context.Context, conn *sql.Conn) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	if err := conn.Raw(addLocalDay); err != nil {
		return err
	}
	// A step may put a table in the place of another; what refers to it is checked before the step commits.
	if _, err := conn.ExecContext(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return err
	}
	for {
		done, err := migrateStep(ctx, conn, steps)
		if err != nil {
			return err
		}
		if done {
			_, err := conn.ExecContext(ctx, "PRAGMA foreign_keys = ON")
			return err
		}
	}
}

// addLocalDay gives migrations local_day(microseconds, zone): the date that a zone's calendar shows.
func addLocalDay(driver any) error {
	return driver.(*sqlite3.SQLiteConn).RegisterFunc("local_day", func(us int64, name string) (string, error) {
		zone, err := location(name)
		if err != nil {
			return "", err
		}
		return fromMicros(us).In(zone).Format(time.DateOnly), nil
	}, true)
}

// checkReferences fails if a row refers to one that is not there.
func checkReferences(ctx context.Context, conn *sql.Conn) error {
	var table, parent string
	var row, key sql.NullInt64
	err := conn.QueryRowContext(ctx, "PRAGMA foreign_key_check").Scan(&table, &row, &parent, &key)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err == nil:
		return fmt.Errorf("row %d of %s refers to nothing in %s", row.Int64, table, parent)
	}
	return err
}

func migrateStep(ctx context.Context, conn *sql.Conn, steps []string) (done bool, err error) {
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return false, err
	}
	defer func() {
		if err != nil || done {
			_, _ = conn.ExecContext(context.Background(), "ROLLBACK") // nothing to keep
		}
	}()
	version, err := checkVersion(ctx, conn, len(steps))
	if err != nil || version == len(steps) {
		return err == nil, err
	}
	next := version + 1
	text := steps[version] + fmt.Sprintf("\nPRAGMA user_version = %d; PRAGMA application_id = %d;", next, applicationID)
	if _, err := conn.ExecContext(ctx, text); err != nil {
		return false, fmt.Errorf("migration %d: %w", next, err)
	}
	if err := checkReferences(ctx, conn); err != nil {
		return false, fmt.Errorf("migration %d: %w", next, err)
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return false, err
}

// checkVersion returns the database's version and refuses what is not ours or newer than this program.
func checkVersion(ctx context.Context, conn *sql.Conn, known int) (int, error) {
	var version, id, tables int
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return 0, err
	}
	if err := conn.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return 0, err
	}
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return 0, err
	}
	switch {
	case id != applicationID && (id != 0 || version != 0 || tables != 0):
		return 0, &Error{Kind: Unavailable, Message: "database_not_ours"}
	case version > known:
		return 0, &Error{Kind: Unavailable, Message: "database_newer",
			Args: map[string]string{"version": strconv.Itoa(version), "known": strconv.Itoa(known)}}
	}
	return version, nil
}
