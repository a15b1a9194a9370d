package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"github.com/meterhouse/meterhouse/store"
)

// openBeside opens an existing data directory for a verb that works beside a console: its clock follows the wall, less the
// difference that the console has found.
func openBeside(ctx context.Context, dir string, readOnly bool) (*store.Store, *clock, error) {
	if err := existingData(dir); err != nil {
		return nil, nil, err
	}
	ahead, err := loadClock(dir)
	if err != nil {
		return nil, nil, err
	}
	clock := systemClock(ahead, slog.New(slog.DiscardHandler))
	s, err := store.Open(ctx, store.Config{Path: dir, Now: clock.Now, ReadOnly: readOnly})
	return s, clock, err
}

// withData runs do on an existing data directory.
func withData(ctx context.Context, dir string, do func(*store.Store) error) (err error) {
	s, _, err := openBeside(ctx, dir, false)
	if err != nil {
		return err
	}
	defer func() {
		if e := s.Close(); err == nil {
			err = e
		}
	}()
	return do(s)
}

func backup(ctx context.Context, c *call) error {
	f := c.flags()
	data := f.String("data", defaultData, "data directory")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	return withData(ctx, *data, func(s *store.Store) error {
		if err := s.Backup(ctx, args[0]); err != nil {
			return err
		}
		_, err := fmt.Fprintf(c.out, "%s is a whole copy of the database in %s\n", args[0], *data)
		return err
	})
}

func restore(ctx context.Context, c *call) error {
	f := c.flags()
	data := f.String("data", defaultData, "data directory, without a database")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	if err := checkCopy(args[0]); err != nil {
		return err
	}
	undo := madeBelow(*data)
	err = prepareData(*data)
	if err == nil {
		err = store.Restore(ctx, args[0], *data)
	}
	if err != nil {
		undo()
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s is restored in %s\n", args[0], *data)
	return err
}

// sqliteHead is how every SQLite database begins, by its file format.
const sqliteHead = "SQLite format 3\x00"

// checkCopy refuses what is no copy of a database, before anything is made for it.
func checkCopy(file string) error {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no backup %s", file)
	}
	if err != nil {
		return fmt.Errorf("the backup can't be read: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	head := make([]byte, len(sqliteHead))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != sqliteHead {
		return fmt.Errorf("%s is no backup of Meterhouse: name a file that `meterhouse backup` has written", file)
	}
	return nil
}
