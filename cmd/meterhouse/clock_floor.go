package main

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// setClock makes the clock go on where the last console's ended; where nothing is being billed it takes the wall's time.
func (p *program) setClock(ctx context.Context) error {
	floor, err := newestTime(ctx, p.store)
	if err != nil {
		return err
	}
	live, _, err := p.store.Instances(ctx, store.Filter{Live: true, Limit: 1})
	if err != nil {
		return err
	}
	if len(live) == 0 {
		p.clock.follow()
	}
	p.clock.raise(floor)
	return saveClock(p.options.data, p.clock.difference())
}

// newestTime is the newest moment that the database knows of: nodes are seen every 10 s while a console runs, and what
// was booked or done must never lie in the future.
func newestTime(ctx context.Context, s *store.Store) (newest time.Time, err error) {
	nodes, err := s.Nodes(ctx)
	if err != nil {
		return newest, err
	}
	for _, n := range nodes {
		newest = later(newest, n.SeenAt)
	}
	entries, _, err := s.Entries(ctx, store.EntryFilter{Limit: 1}) // newest first
	if err != nil {
		return newest, err
	}
	for _, e := range entries {
		newest = later(newest, e.At)
	}
	records, _, err := s.AuditLog(ctx, 1, "")
	if err != nil {
		return newest, err
	}
	for _, r := range records {
		newest = later(newest, r.At)
	}
	return newest, nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
