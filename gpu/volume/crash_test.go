package volume

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestWhatAKillLeftHalfDoneIsGone(t *testing.T) {
	each(t, func(t *testing.T, m *Manager) {
		left := []string{filepath.Join(volumesDir, begun+"v-1"), filepath.Join(volumesDir, gone+"v-2"), filepath.Join(snapshotsDir, begun+"s-1"), filepath.Join(snapshotsDir, gone+"s-2")}
		for _, dir := range left {
			if err := os.Mkdir(filepath.Join(m.dir, dir), 0o700); err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(m.dir, dir, imageFile), "half")
		}
		next := again(t, m)
		for _, dir := range left {
			if _, err := os.Stat(filepath.Join(m.dir, dir)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: %v", dir, err)
			}
		}
		next.kind = m.kind
		if err := next.Create(t.Context(), "v-1", 16*mib); err != nil {
			t.Error(err)
		}
	})
}

func TestACreationThatWasKilledIsDoneAgainByTheNextCall(t *testing.T) {
	asRoot(t)
	m := open(t)
	half := filepath.Join(m.dir, volumesDir, begun+"v-1")
	if err := os.Mkdir(half, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(half, imageFile), "half")
	if err := m.Create(t.Context(), "v-1", 16*mib); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Mount(t.Context(), "v-1"); err != nil {
		t.Error(err)
	}
}

func TestWritersThatASnapshotStoppedGoOnAfterAKill(t *testing.T) {
	asRoot(t)
	m := open(t)
	if err := m.Create(t.Context(), "v-1", 16*mib); err != nil {
		t.Fatal(err)
	}
	at, err := m.Mount(t.Context(), "v-1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := freeze(at); err != nil { // and killed: never thawed by itself
		t.Fatal(err)
	}
	again(t, m)
	done := make(chan error, 1)
	go func() { done <- os.WriteFile(filepath.Join(at, "written"), []byte("x"), 0o600) }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("who writes still waits")
	}
}

// Two loop devices of one image would be two file systems that destroy each other.
func TestAnImageHasOneLoopDevice(t *testing.T) {
	asRoot(t)
	m := open(t)
	if err := m.Create(t.Context(), "v-1", 16*mib); err != nil {
		t.Fatal(err)
	}
	at, err := m.Mount(t.Context(), "v-1")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "seen")
	if _, err := Present(at, elsewhere, Owner{UID: 54321, GID: 54321}, false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = Withdraw(elsewhere) })
	if err := m.Unmount("v-1"); !errors.Is(err, ErrInUse) {
		t.Errorf("an instance still sees it: %v", err)
	}
	if err := m.Delete("v-1"); !errors.Is(err, ErrInUse) {
		t.Errorf("deleted under an instance: %v", err)
	}
	if at, err = m.Mount(t.Context(), "v-1"); err != nil {
		t.Fatal(err)
	}
	var here, there unix.Stat_t
	if err := errors.Join(unix.Stat(at, &here), unix.Stat(elsewhere, &there)); err != nil || here.Dev != there.Dev {
		t.Errorf("devices %d and %d, %v", here.Dev, there.Dev, err)
	}
	if err := errors.Join(Withdraw(elsewhere), m.Delete("v-1")); err != nil {
		t.Error(err)
	}
}

// What an instance wrote a moment ago is not yet in the image: a snapshot that only copies the image would miss it.
func TestASnapshotHasWhatAnInstanceWroteThatAloneStillSeesTheVolume(t *testing.T) {
	asRoot(t)
	m := open(t)
	if err := m.Create(t.Context(), "v-1", 64*mib); err != nil {
		t.Fatal(err)
	}
	at, err := m.Mount(t.Context(), "v-1")
	if err != nil {
		t.Fatal(err)
	}
	seen := filepath.Join(t.TempDir(), "seen")
	t.Cleanup(func() { _ = Withdraw(seen) })
	if _, err := Present(at, seen, Owner{UID: 54321, GID: 54321}, false); err != nil {
		t.Fatal(err)
	}
	if err := m.Unmount("v-1"); !errors.Is(err, ErrInUse) {
		t.Fatal(err)
	}
	passable(t, filepath.Dir(seen))
	if said, err := as(t, 54321, seen, "echo now > written"); err != nil {
		t.Fatalf("%s: %v", said, err)
	}
	if _, err := m.Snapshot(t.Context(), "v-1", "s-1"); err != nil {
		t.Fatal(err)
	}
	if err := m.Clone(t.Context(), "s-1", "v-2", 64*mib); err != nil {
		t.Fatal(err)
	}
	if at, err = m.Mount(t.Context(), "v-2"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(at, "written")); got != "now\n" {
		t.Errorf("%q", got)
	}
}
