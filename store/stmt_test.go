package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// Whatever a loop looks for each second is found by an index, however many instances and reservations there ever were.
func TestNoLoopReadsAllThatEverWas(t *testing.T) {
	s, ctx := open(t), context.Background()
	now := s.Now()
	for name, look := range map[string]func(*tx) error{
		"GPUs promised":             func(t *tx) error { _, err := t.placePromised(); return err },
		"who waits on demand":       (*tx).promiseToQueued,
		"promised GPUs":             (*tx).noticeForPromised,
		"the queue of a pool":       func(t *tx) error { _, err := t.line("a pool"); return err },
		"the queue of CPU-only":     func(t *tx) error { _, err := t.line(""); return err },
		"what is free":              func(t *tx) error { _, err := t.supply("a pool"); return err },
		"the calendar of a pool":    func(t *tx) error { _, err := t.timelineOf("a pool", now); return err },
		"instances to be booked":    func(t *tx) error { _, err := t.postDue(); return err },
		"reservations to be booked": func(t *tx) error { _, err := t.dueReservations(); return err },
		"the next invoice":          func(t *tx) error { _, _, err := t.nextInvoice(); return err },
		"last month's use":          func(t *tx) error { _, err := t.tryPrices(now.AddDate(0, -1, 0), now, nil); return err },
		"use by hours":              func(t *tx) error { return t.usedInstances(&usage{}, "", []any{micros(now), micros(now)}) },
		"a budget's last days": func(t *tx) error {
			spent, err := t.spending()
			if err == nil {
				_, err = spent.billsSince(&Budget{Scope: "team", TeamID: "a team"}, now.Add(-time.Hour), now)
			}
			return err
		},
	} {
		if err := s.read(ctx, look); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if _, err := s.DueEnds(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.InstancesOnNode(ctx, "a node"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.LiveInstances(ctx, "a team"); err != nil { // on each page
		t.Fatal(err)
	}
	if _, err := s.InboxCount(ctx, "a person"); err != nil { // on each page
		t.Fatal(err)
	}
	if _, err := s.Occupancy(ctx, now, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DueMail(ctx, 10); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CheckBudgets(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GatherMail(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GiveNotices(ctx); err != nil {
		t.Fatal(err)
	}
	asked := maps.Clone(s.reads.stmts)
	maps.Copy(asked, s.writer.stmts.stmts)
	for query := range asked {
		for _, step := range planned(t, s, planOnce(query)) {
			if slices.Contains(allThatEverWas, step) {
				t.Errorf("%s, for %s", step, query)
			}
		}
	}
}

// allThatEverWas are steps that read every instance, every reservation, every mail or notice, or every entry of a team.
var allThatEverWas = []string{"SCAN i", "SCAN v", "SCAN instance", "SCAN r", "SCAN reservation", "SCAN h", "SCAN h USING COVERING INDEX reservation_gpu_when",
	"SCAN n", "SCAN f", "SCAN s", "SCAN o", "SCAN outbox",
	"SCAN e", "SEARCH e USING INDEX entry_team (team_id=?)", "SEARCH e USING COVERING INDEX entry_team_day (team_id=?)"}

// planned is how SQLite carries out a query.
func planned(t *testing.T, s *Store, query string) (steps []string) {
	t.Helper()
	for args := []any{}; ; args = append(args, nil) {
		rows, err := s.readers.Query("EXPLAIN QUERY PLAN "+query, args...)
		if err != nil && strings.Contains(err.Error(), "not enough args") {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			steps = append(steps, step)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return steps
	}
}
