package main

import (
	"context"
	"fmt"
	"log/slog"

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
	if err := prepareData(*data); err != nil {
		return err
	}
	if err := store.Restore(ctx, args[0], *data); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s is restored in %s\n", args[0], *data)
	return err
}
