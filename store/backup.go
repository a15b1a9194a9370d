package store

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
)

// Backup writes a consistent copy of the database to file while everything goes on. It refuses to overwrite. The copy
// appears under its name only when it is complete and on disk.
func (s *Store) Backup(ctx context.Context, file string) error {
	if _, err := os.Lstat(file); err == nil {
		return &Error{Kind: Conflict, Field: "file", Message: "backup_exists", Args: map[string]string{"file": file}}
	}
	part, err := os.MkdirTemp(filepath.Dir(file), ".meterhouse-backup-*")
	if err != nil {
		return &Error{Kind: Unavailable, Field: "file", Message: "backup_not_writable", Args: map[string]string{"file": file}, Err: err}
	}
	defer os.RemoveAll(part)
	copied := filepath.Join(part, databaseName)
	db, err := sql.Open("sqlite3", dsn(s.file, url.Values{"mode": {"ro"}}))
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", copied); err != nil {
		return fromSQLite(err)
	}
	return publishFile(copied, file, "backup_exists")
}

// Restore puts a backup into an empty data directory, after a look at whether it is whole and ours. It refuses to
// overwrite a database that is there.
func Restore(ctx context.Context, file, dir string) error {
	target := filepath.Join(dir, databaseName)
	for _, name := range []string{target, target + "-wal", target + "-shm"} {
		if _, err := os.Lstat(name); err == nil {
			return &Error{Kind: Conflict, Message: "restore_exists", Args: map[string]string{"dir": dir, "file": file}}
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return errOpen(err, target)
	}
	part, err := os.MkdirTemp(dir, ".meterhouse-restore-*")
	if err != nil {
		return errOpen(err, target)
	}
	defer os.RemoveAll(part)
	copied := filepath.Join(part, databaseName)
	if err := copyFile(file, copied); errors.Is(err, fs.ErrNotExist) {
		return &Error{Kind: NotFound, Message: "restore_missing", Args: map[string]string{"file": file}}
	} else if err != nil {
		return errOpen(err, file)
	}
	if err := checkBackup(ctx, copied); err != nil {
		return errOpen(err, file)
	}
	return publishFile(copied, target, "restore_exists")
}

// checkBackup refuses what is damaged, not ours, or newer than this program.
func checkBackup(ctx context.Context, file string) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite3", dsn(file, url.Values{"mode": {"ro"}}))
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	version, err := checkVersion(ctx, conn, len(steps))
	if err != nil {
		return err
	}
	if version == 0 {
		return &Error{Kind: Unavailable, Message: "database_not_ours"}
	}
	var result string
	if err := conn.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&result); err != nil {
		return err
	}
	if result != "ok" {
		return &Error{Kind: Unavailable, Message: "database_corrupt", Err: errors.New(result)}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// publishFile gives a complete file its name, unless that name is taken meanwhile.
func publishFile(from, to string, taken Key) error {
	if err := syncPath(from); err != nil {
		return errOpen(err, to)
	}
	if err := os.Chmod(from, 0o600); err != nil {
		return errOpen(err, to)
	}
	if err := os.Link(from, to); err != nil { // a rename would overwrite
		if errors.Is(err, fs.ErrExist) {
			return &Error{Kind: Conflict, Message: taken, Args: map[string]string{"file": to, "dir": filepath.Dir(to)}}
		}
		return errOpen(err, to)
	}
	return syncPath(filepath.Dir(to))
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
