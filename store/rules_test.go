package store_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// raw opens the file beside the store, as a bug or another program would.
func raw(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+dir+"/meterhouse.db?_foreign_keys=1&_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func refused(t *testing.T, db *sql.DB, why, query string, args ...any) {
	t.Helper()
	_, err := db.Exec(query, args...)
	if err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("%s: %v, want %q", query, err, why)
	}
}

func TestTheDatabaseAndTheProgramHaveTheSameSteps(t *testing.T) {
	dir := t.TempDir()
	storetest.OpenDir(t, dir, storetest.NewClock())
	rows, err := raw(t, dir).Query("SELECT from_state, to_state FROM life_step")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	known := map[[2]life.State]bool{}
	for rows.Next() {
		var from, to life.State
		if err := rows.Scan(&from, &to); err != nil {
			t.Fatal(err)
		}
		known[[2]life.State{from, to}] = true
		if from == "new" && !slices.Contains(life.Initial, to) || from != "new" && !life.Allowed(from, to) {
			t.Errorf("only the database allows %s → %s", from, to)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for from, next := range life.Steps {
		for _, to := range next {
			if !known[[2]life.State{from, to}] {
				t.Errorf("only the program allows %s → %s", from, to)
			}
		}
	}
	for _, to := range life.Initial {
		if !known[[2]life.State{"new", to}] {
			t.Errorf("only the program begins with %s", to)
		}
	}
}

func TestTheDatabaseRefusesWhatMustNotBe(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	seed := storetest.SeedQuick(t, s)
	a := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	b := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	running(t, s, a, clock.Now())
	clock.Advance(time.Hour)
	if _, err := s.RequestStop(ctx, a.ID, "", "hard_end"); err != nil {
		t.Fatal(err)
	}
	running(t, s, b, clock.Now())
	db := raw(t, dir)

	// One GPU, one live instance; held until its end.
	refused(t, db, "UNIQUE", "INSERT INTO instance_gpu (instance_id, gpu_uuid) VALUES (?, ?)", b.ID, a.GPUs[0])
	refused(t, db, "gpu_needs_live_instance", "UPDATE instance_gpu SET released_at = 1 WHERE instance_id = ?", a.ID)
	refused(t, db, "gpu_needs_live_instance", "DELETE FROM instance_gpu WHERE instance_id = ?", a.ID)
	refused(t, db, "FOREIGN KEY", "INSERT INTO instance_gpu (instance_id, gpu_uuid) VALUES (?, 'none')", b.ID)
	// States follow the table; terms and history stay.
	refused(t, db, "step_not_allowed", "UPDATE instance SET state = 'running' WHERE id = ?", a.ID)
	refused(t, db, "step_not_allowed", "UPDATE instance SET state = 'stopped' WHERE id = ?", b.ID)
	refused(t, db, "step_not_allowed", "UPDATE instance SET state = 'gone' WHERE id = ?", b.ID)
	refused(t, db, "terms_locked", "UPDATE instance SET rate = 1 WHERE id = ?", b.ID)
	refused(t, db, "instance_stays", "DELETE FROM instance WHERE id = ?", b.ID)
	refused(t, db, "CHECK", "UPDATE instance SET ended_at = started_at - 1 WHERE id = ?", a.ID)
	// Segments: one open, none overlaps, none is empty, closed ones are history.
	now := clock.Now().UnixMicro()
	refused(t, db, "segments_overlap", "INSERT INTO segment (instance_id, state, billable, rate, from_at) VALUES (?, 'running', 1, 5, ?)", b.ID, now+10)
	refused(t, db, "segments_overlap", "INSERT INTO segment (instance_id, state, billable, rate, from_at, to_at) VALUES (?, 'running', 1, 5, ?, ?)", a.ID, now-3_600_000_000+5, now-3_600_000_000+6)
	refused(t, db, "CHECK", "INSERT INTO segment (instance_id, state, billable, rate, from_at, to_at) VALUES (?, 'running', 1, 5, ?, ?)", a.ID, now+5, now+5)
	refused(t, db, "CHECK", "INSERT INTO segment (instance_id, state, billable, rate, from_at, to_at) VALUES (?, 'running', 1, 5, ?, ?)", a.ID, now+5, now+4)
	refused(t, db, "CHECK", "INSERT INTO segment (instance_id, state, billable, rate, from_at) VALUES (?, 'running', 0, 5, ?)", a.ID, now+5)
	refused(t, db, "segment_is_history", "UPDATE segment SET to_at = to_at + 1 WHERE instance_id = ?", a.ID)
	refused(t, db, "segment_is_history", "UPDATE segment SET rate = 1 WHERE instance_id = ?", b.ID)
	refused(t, db, "segment_is_history", "DELETE FROM segment WHERE instance_id = ?", a.ID)
	// The ledger only grows, balanced.
	refused(t, db, "ledger_append_only", "UPDATE entry SET at = 1")
	refused(t, db, "ledger_append_only", "DELETE FROM entry")
	refused(t, db, "ledger_append_only", "UPDATE posting SET amount = 0")
	refused(t, db, "ledger_append_only", "DELETE FROM posting")
	refused(t, db, "ledger_append_only", "INSERT INTO posting VALUES (1, 'team:x', 5)")
	refused(t, db, "FOREIGN KEY", "INSERT INTO posting VALUES (99, 'team:x', 5)") // an orphan
	entry := "INSERT INTO entry (id, key, kind, instance_id, team_id, at, from_at, to_at) VALUES (99, ?, 'usage', ?, ?, 1, 1, 1)"
	refused(t, db, "entry_not_balanced", entry, "k", a.ID, a.TeamID)
	refused(t, db, "entry_not_balanced", "BEGIN; INSERT INTO posting VALUES (99, 'a', 5), (99, 'b', -4); "+entry+"; ROLLBACK", "k", a.ID, a.TeamID)
	// Prices and the audit log only grow, enumerations hold.
	refused(t, db, "price_append_only", "UPDATE price SET micros_per_hour = 0")
	refused(t, db, "audit_append_only", "DELETE FROM audit")
	refused(t, db, "CHECK", "UPDATE gpu SET state = 'broken'")
	refused(t, db, "CHECK", "UPDATE node SET state = 'broken'")
	refused(t, db, "cannot store TEXT value", "UPDATE gpu SET memory_bytes = 'much'") // STRICT
	if check, err := s.CheckLedger(ctx); err != nil || !check.OK {
		t.Errorf("ledger: %+v %v", check, err)
	}
}

func rent(t testing.TB, s *store.Store, seed storetest.Seeded, r store.RentRequest) store.Instance {
	t.Helper()
	if r.PersonID == "" {
		r.PersonID = seed.Member.ID
	}
	i, _, err := s.Rent(ctx, r)
	if err != nil {
		t.Fatalf("rent: %v", err)
	}
	return i
}

func running(t testing.TB, s *store.Store, i store.Instance, at time.Time) {
	t.Helper()
	if err := s.MarkRunning(ctx, i.ID, at); err != nil {
		t.Fatalf("mark running: %v", err)
	}
}

func ended(t testing.TB, s *store.Store, i store.Instance, e store.End) {
	t.Helper()
	if err := s.MarkEnded(ctx, i.ID, e); err != nil {
		t.Fatalf("mark ended: %v", err)
	}
	if err := s.MarkStopped(ctx, i.ID, store.Proof{Clean: true}); err != nil {
		t.Fatalf("mark stopped: %v", err)
	}
}
