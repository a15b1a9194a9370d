package store_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func TestAnUnusableDirectoryIsToldInWords(t *testing.T) {
	file := func(name, text string) func(string) {
		return func(dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	database := func(statements string) func(string) {
		return func(dir string) {
			db, err := sql.Open("sqlite3", filepath.Join(dir, "meterhouse.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec(statements); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name, sub string
		make      func(dir string)
		key       store.Key
	}{
		{"another program's text", "", file("meterhouse.db", "hello, this is no database at all"), "database_not_ours"},
		{"a short file", "", file("meterhouse.db", "x"), "database_not_ours"},
		{"another program's database", "", database("CREATE TABLE t (a)"), "database_not_ours"},
		{"another program's mark", "", database("PRAGMA application_id = 7; CREATE TABLE t (a)"), "database_not_ours"},
		{"a newer database", "", database("PRAGMA application_id = 1298494578; PRAGMA user_version = 999; CREATE TABLE t (a)"), "database_newer"},
		{"a file in the directory's place", "x", file("x", ""), "data_dir_not_a_directory"},
		{"a file above the directory", "x/y", file("x", ""), "data_dir_not_a_directory"},
		{"a directory in the file's place", "", func(dir string) { os.Mkdir(filepath.Join(dir, "meterhouse.db"), 0o700) }, "data_dir_not_a_directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			c.make(dir)
			s, err := store.Open(ctx, store.Config{Path: filepath.Join(dir, c.sub), Now: time.Now})
			if err == nil {
				s.Close()
			}
			var e *store.Error
			if !errors.As(err, &e) || e.Message != c.key || !strings.Contains(e.Args["file"], dir) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestADamagedDatabaseIsRefusedAndLeftAlone(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(ctx, store.Config{Path: dir, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "meterhouse.db")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func([]byte) []byte{
		"cut":         func(b []byte) []byte { return b[:len(b)/2] },
		"overwritten": func(b []byte) []byte { copy(b[4096:], make([]byte, 40960)); return b },
		"scribbled":   func(b []byte) []byte { copy(b[100:], []byte(strings.Repeat("scribble", 200))); return b },
	} {
		broken := damage(append([]byte{}, whole...))
		if err := os.WriteFile(file, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := store.Open(ctx, store.Config{Path: dir, Now: time.Now})
		var e *store.Error
		if !errors.As(err, &e) || e.Message != "database_damaged" || e.Args["file"] != file {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(file); err != nil || string(after) != string(broken) {
			t.Errorf("%s: the file was changed (%v)", name, err)
		}
	}
}

func TestAReadOnlyStoreReadsAndRefusesToWrite(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	if _, err := store.Open(ctx, store.Config{Path: dir, Now: clock.Now, ReadOnly: true}); store.KindOf(err) != store.Unavailable {
		t.Errorf("without a database: %v", err)
	}
	s := storetest.OpenDir(t, dir, clock)
	seed := storetest.SeedQuick(t, s)
	ro, err := store.Open(ctx, store.Config{Path: dir, Now: clock.Now, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close()
	if gpus, err := ro.GPUs(ctx); err != nil || len(gpus) != 4 {
		t.Errorf("GPUs: %v %v", gpus, err)
	}
	_, _, err = ro.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
	kind(t, err, store.Unavailable, "")
}

func TestOneConsoleADirectory(t *testing.T) {
	dir := t.TempDir()
	release, err := store.LockServe(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.LockServe(dir)
	kind(t, err, store.Conflict, "")
	if !strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
	release()
	if release, err = store.LockServe(dir); err != nil {
		t.Fatal(err)
	}
	release()
}

func TestTheFilesAreForTheOwnerAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a ?#%41 dir", "data")
	s := storetest.OpenDir(t, dir, storetest.NewClock())
	storetest.SeedQuick(t, s)
	for _, path := range []string{dir, filepath.Join(dir, "meterhouse.db"), filepath.Join(dir, "meterhouse.db-wal")} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", path, info, err)
		}
	}
}

func TestABackupIsTheWholeAndOverwritesNothing(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	seed := storetest.SeedQuick(t, s)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	file, target := filepath.Join(t.TempDir(), "backup.db"), filepath.Join(t.TempDir(), "restored")
	if err := s.Backup(ctx, file); err != nil {
		t.Fatal(err)
	}
	kind(t, s.Backup(ctx, file), store.Conflict, "file")
	if err := store.Restore(ctx, file, target); err != nil {
		t.Fatal(err)
	}
	kind(t, store.Restore(ctx, file, target), store.Conflict, "")
	kind(t, store.Restore(ctx, file, dir), store.Conflict, "")
	again := storetest.OpenDir(t, target, clock)
	if got, err := again.Instance(ctx, i.ID); err != nil || got.ID != i.ID || len(got.GPUs) != 1 {
		t.Errorf("restored: %+v %v", got, err)
	}
	broken := filepath.Join(t.TempDir(), "broken.db")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{[]byte("not a backup"), whole[:len(whole)/2], {}} {
		if err := os.WriteFile(broken, text, 0o600); err != nil {
			t.Fatal(err)
		}
		empty := filepath.Join(t.TempDir(), "empty")
		if err := store.Restore(ctx, broken, empty); store.KindOf(err) != store.Unavailable {
			t.Errorf("restore of %d bytes: %v", len(text), err)
		}
		if left, err := os.ReadDir(empty); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
	if err := store.Restore(ctx, filepath.Join(dir, "none.db"), filepath.Join(t.TempDir(), "x")); err == nil {
		t.Error("restored from nothing")
	}
}
