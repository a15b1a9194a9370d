package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"
)

const (
	databaseName = "meterhouse.db"
	// readers bounds the transactions that read at once: more than the cores that work, few enough to hold their caches in memory.
	readers = 8
	// busyMillis is how long a writer waits for another process that writes: admin verbs take far less.
	busyMillis = "10000"
	// checkBytes is up to which size a database is read through before it is used: a fraction of a second.
	checkBytes = 64 << 20
)

// Open opens the data directory's database, makes it if there is none, and brings it up to date. Any number of processes
// may have it open. An error says what is wrong with the directory or the file and what to do: a database made by a newer
// Meterhouse, one that is damaged, a file that is none, a directory that can't be written.
func Open(ctx context.Context, c Config) (*Store, error) {
	file := filepath.Join(c.Path, databaseName)
	if err := prepareFile(c, file); err != nil {
		return nil, errOpen(err, file)
	}
	s := &Store{now: c.Now, file: file, closing: make(chan struct{}), reading: make(chan struct{}, readers)}
	var err error
	if s.readers, err = sql.Open("sqlite3", dsn(file, url.Values{"_query_only": {"1"}, "mode": {readMode(c)}})); err != nil {
		return nil, errOpen(err, file)
	}
	// One more than may read at once: a statement is prepared on a connection of its own while a transaction holds another,
	// and if all were held, each would wait for the others for ever.
	s.readers.SetMaxOpenConns(readers + 1)
	s.readers.SetMaxIdleConns(readers + 1)
	if err := s.openWriter(ctx, c); err != nil {
		s.readers.Close()
		return nil, errOpen(err, file)
	}
	if s.writer != nil {
		if err := s.write(ctx, ensureSite); err != nil {
			_ = s.Close() // err is the reason
			return nil, errOpen(err, file)
		}
	}
	return s, nil
}

// openWriter checks the database on a connection of its own and, unless the store is read-only, goes on to write with it.
func (s *Store) openWriter(ctx context.Context, c Config) error {
	mode := "rw"
	if c.ReadOnly {
		mode = "ro"
	}
	db, err := sql.Open("sqlite3", dsn(s.file, url.Values{"mode": {mode}, "_txlock": {"immediate"}}))
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err == nil {
		err = prepareDatabase(ctx, conn, c, s.file)
	}
	if err != nil || c.ReadOnly {
		if conn != nil {
			conn.Close()
		}
		return errors.Join(err, db.Close())
	}
	s.writer = startWriter(db, conn, c.Now, &s.feed, s.closing)
	return nil
}

// prepareDatabase looks before it touches: a file that is not ours stays as it is.
func prepareDatabase(ctx context.Context, conn *sql.Conn, c Config, file string) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	version, err := checkVersion(ctx, conn, len(steps))
	if err != nil {
		return err
	}
	if err := quickCheck(ctx, conn, file); err != nil {
		return err
	}
	if c.ReadOnly {
		if version < len(steps) {
			return &Error{Kind: Unavailable, Message: "database_older"}
		}
		return nil
	}
	if _, err := conn.ExecContext(ctx, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"); err != nil {
		return err
	}
	return migrate(ctx, conn)
}

// quickCheck reads a database of moderate size through, so that damage is told at the start and not in the middle of work.
func quickCheck(ctx context.Context, conn *sql.Conn, file string) error {
	info, err := os.Stat(file)
	if err != nil || info.Size() > checkBytes {
		return err
	}
	var result string
	if err := conn.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&result); err != nil {
		return err
	}
	if result != "ok" {
		return &Error{Kind: Unavailable, Message: "database_corrupt", Err: errors.New(result)}
	}
	return nil
}

// prepareFile makes the directory and refuses what is no database before SQLite sees it.
func prepareFile(c Config, file string) error {
	if c.Now == nil {
		return &Error{Kind: Invalid, Field: "now", Message: "required"}
	}
	if c.Path == "" {
		return &Error{Kind: Invalid, Field: "path", Message: "data_dir_missing"}
	}
	if !c.ReadOnly {
		if err := os.MkdirAll(c.Path, 0o700); err != nil {
			return err
		}
	}
	flags := os.O_RDWR | os.O_CREATE
	if c.ReadOnly {
		flags = os.O_RDONLY
	}
	f, err := os.OpenFile(file, flags, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 16)
	switch _, err := io.ReadFull(f, head); {
	case errors.Is(err, io.EOF):
		return nil // empty: a new one
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case !bytes.Equal(head, []byte("SQLite format 3\x00")):
		return &Error{Kind: Unavailable, Message: "database_not_ours"}
	}
	return nil
}

func readMode(c Config) string {
	if c.ReadOnly {
		return "ro"
	}
	return "rw"
}

func dsn(file string, options url.Values) string {
	options.Set("_foreign_keys", "1")
	options.Set("_busy_timeout", busyMillis)
	return "file:" + (&url.URL{Path: file}).EscapedPath() + "?" + options.Encode()
}

// errOpen names the file and says what kept it from being opened.
func errOpen(err error, file string) error {
	var e *Error
	if !errors.As(err, &e) {
		key := Key("")
		switch {
		case errors.Is(err, fs.ErrPermission):
			key = "data_dir_no_permission"
		case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR), errors.Is(err, fs.ErrExist):
			key = "data_dir_not_a_directory"
		case errors.Is(err, syscall.EROFS):
			key = "data_dir_read_only"
		case errors.Is(err, fs.ErrNotExist):
			key = "data_dir_missing"
		}
		if key == "" {
			err = fromSQLite(err)
			if !errors.As(err, &e) {
				return err
			}
		} else {
			e = &Error{Kind: Unavailable, Message: key, Err: err}
		}
	}
	told := *e
	if told.Message == "database_corrupt" {
		told.Message = "database_damaged" // which file is known here, and who reads it may look after it
	}
	told.Args = map[string]string{"file": file, "dir": filepath.Dir(file)}
	for k, v := range e.Args {
		told.Args[k] = v
	}
	return &told
}
