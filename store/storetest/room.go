package storetest

import (
	"database/sql"
	"path/filepath"
	"testing"
)

// NoRoom refuses one kind of change to the store of a directory, such as "UPDATE ON outbox", as a full disk refuses all. The
// returned function makes room again.
func NoRoom(t testing.TB, dir, change string) (room func()) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "meterhouse.db")+"?_busy_timeout=5000")
	if err == nil {
		_, err = db.ExecContext(t.Context(), "CREATE TRIGGER no_room BEFORE "+change+" BEGIN SELECT RAISE(ABORT, 'disk_full'); END")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return func() {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), "DROP TRIGGER no_room"); err != nil {
			t.Fatal(err)
		}
	}
}
