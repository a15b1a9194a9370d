package volume

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAVolumeKeepsItsFilesAcrossMountsAndConsoles(t *testing.T) {
	each(t, func(t *testing.T, m *Manager) {
		ctx := t.Context()
		for range 2 { // twice is once
			if err := m.Create(ctx, "v-1", 64*mib); err != nil {
				t.Fatal(err)
			}
		}
		for k := range 3 {
			at, err := m.Mount(ctx, "v-1")
			if err != nil {
				t.Fatal(err)
			}
			if k == 0 {
				put(t, filepath.Join(at, "kept"), "as it was")
			}
			if got := read(t, filepath.Join(at, "kept")); got != "as it was" {
				t.Errorf("%q", got)
			}
			if k == 1 {
				kind := m.kind
				m = again(t, m) // the console was killed while it was mounted
				m.kind = kind
				continue
			}
			if err := m.Unmount("v-1"); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Delete("v-1"); err != nil {
			t.Fatal(err)
		}
		if err := m.Delete("v-1"); err != nil {
			t.Errorf("deleted twice: %v", err)
		}
		if _, err := m.Mount(ctx, "v-1"); !errors.Is(err, ErrNoVolume) {
			t.Errorf("mounted after it was deleted: %v", err)
		}
		if left := mountsIn(t, m.dir); len(left) > 0 {
			t.Errorf("still mounted: %v", left)
		}
	})
}

func TestAFullVolumeStopsWritesAndNotTheNode(t *testing.T) {
	asRoot(t)
	m := open(t)
	ctx := t.Context()
	if err := m.Create(ctx, "v-1", 16*mib); err != nil {
		t.Fatal(err)
	}
	tree, err := m.Tree(ctx, "v-1")
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if _, err := tree.Write("too-large", io.LimitReader(zeros{}, 64*mib)); !errors.Is(err, ErrFull) {
		t.Errorf("written beyond its size: %v", err)
	}
	files, _, err := tree.List(".")
	if err != nil || len(files) != 1 || files[0].Name != "lost+found" {
		t.Errorf("left behind: %v, %v", files, err)
	}
	if _, err := tree.Write("small", bytes.NewReader([]byte("fits"))); err != nil {
		t.Errorf("what fits: %v", err)
	}
	if taken, err := m.kind.taken(filepath.Join(m.dir, volumesDir, "v-1")); err != nil || taken > 16*mib {
		t.Errorf("the node gave %d, %v", taken, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestWhatTheNodeCanNotHoldIsRefused(t *testing.T) {
	each(t, func(t *testing.T, m *Manager) {
		var st unix.Statfs_t
		if err := unix.Statfs(m.dir, &st); err != nil {
			t.Fatal(err)
		}
		free := int64(st.Bavail) * st.Bsize
		var no *NoRoom
		if err := m.Create(t.Context(), "v-1", free+mib); !errors.As(err, &no) {
			t.Fatalf("more than is free: %v", err)
		}
		if known, err := m.List(); err != nil || len(known) > 0 {
			t.Errorf("left behind: %v, %v", known, err)
		}
		half := (free - reserve) / 2
		if err := m.Create(t.Context(), "v-1", half/mib*mib); err != nil {
			t.Fatal(err)
		}
		if err := m.Create(t.Context(), "v-2", half+1<<30); !errors.As(err, &no) {
			t.Errorf("what is promised to another: %v", err)
		}
	})
}

func TestAVolumeGrowsAlsoAfterAKill(t *testing.T) {
	asRoot(t)
	m := open(t)
	ctx := t.Context()
	if err := m.Create(ctx, "v-1", 16*mib); err != nil {
		t.Fatal(err)
	}
	before, err := m.Usage(ctx, "v-1")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Resize(ctx, "v-1", 64*mib); err != nil {
		t.Fatal(err)
	}
	after, err := m.Usage(ctx, "v-1")
	if err != nil || after.Bytes < 3*before.Bytes {
		t.Errorf("from %d to %d, %v", before.Bytes, after.Bytes, err)
	}
	at, err := m.Mount(ctx, "v-1")
	if err != nil {
		t.Fatal(err)
	}
	works, err := os.Create(filepath.Join(at, "works"))
	if err != nil {
		t.Fatal(err)
	}
	inUse := m.Resize(ctx, "v-1", 80*mib)
	if want := map[bool]error{false: ErrInUse}[resizesMounted()]; !errors.Is(inUse, want) {
		t.Errorf("while it is worked in: %v, want %v", inUse, want)
	}
	if err := works.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m.Resize(ctx, "v-1", 32*mib); !errors.Is(err, ErrSmaller) {
		t.Errorf("made smaller: %v", err)
	}
	if err := m.Unmount("v-1"); err != nil {
		t.Fatal(err)
	}
	// A console was killed when the image had grown and its file system had not.
	if err := os.Truncate(filepath.Join(m.dir, volumesDir, "v-1", imageFile), 128*mib); err != nil {
		t.Fatal(err)
	}
	if last, err := again(t, m).Usage(ctx, "v-1"); err != nil || last.Bytes < 100*mib {
		t.Errorf("after a kill: %d, %v", last.Bytes, err)
	}
}

func TestASnapshotIsWhatWasThereAndAVolumeBeginsFromIt(t *testing.T) {
	each(t, func(t *testing.T, m *Manager) {
		ctx := t.Context()
		if err := m.Create(ctx, "v-1", 64*mib); err != nil {
			t.Fatal(err)
		}
		at, err := m.Mount(ctx, "v-1")
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(at, "kept"), "before")
		if err := os.Mkdir(filepath.Join(at, "folder"), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("../kept", filepath.Join(at, "folder", "link")); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if bytes, err := m.Snapshot(ctx, "v-1", "s-1"); err != nil || bytes <= 0 || bytes > 64*mib {
				t.Fatalf("%d bytes, %v", bytes, err)
			}
		}
		put(t, filepath.Join(at, "kept"), "after")
		if err := m.Delete("v-1"); err != nil {
			t.Fatal(err)
		}
		if err := m.Clone(ctx, "s-1", "v-2", 96*mib); err != nil {
			t.Fatal(err)
		}
		at, err = m.Mount(ctx, "v-2")
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, filepath.Join(at, "folder", "link")); got != "before" {
			t.Errorf("%q", got)
		}
		if u, err := m.Usage(ctx, "v-2"); err != nil || u.Bytes < 70*mib {
			t.Errorf("%+v, %v", u, err)
		}
		if err := m.DeleteSnapshot("s-1"); err != nil {
			t.Fatal(err)
		}
		if left, err := m.Snapshots(); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	})
}

// A snapshot is made of one moment: of two files that are always written one after the other, the second is never ahead.
func TestASnapshotIsOfOneMoment(t *testing.T) {
	asRoot(t)
	m := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := m.Create(ctx, "v-1", 64*mib); err != nil {
		t.Fatal(err)
	}
	at, err := m.Mount(ctx, "v-1")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"first", "second"} {
		put(t, filepath.Join(at, name), "")
	}
	done := make(chan error, 1)
	go func() { done <- writeInTurn(ctx, at) }()
	for k, id := range []string{"s-1", "s-2", "s-3"} {
		if _, err := m.Snapshot(ctx, "v-1", id); err != nil {
			t.Fatal(err)
		}
		clone := "v-" + string(rune('a'+k))
		if err := m.Clone(ctx, id, clone, 64*mib); err != nil {
			t.Fatal(err)
		}
		files, err := m.Mount(ctx, clone)
		if err != nil {
			t.Fatal(err)
		}
		first, second := len(read(t, filepath.Join(files, "first"))), len(read(t, filepath.Join(files, "second")))
		if second > first || first > second+1 {
			t.Errorf("%s has %d of the first and %d of the second", id, first, second)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func writeInTurn(ctx context.Context, at string) error {
	first, err := os.OpenFile(filepath.Join(at, "first"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer first.Close()
	second, err := os.OpenFile(filepath.Join(at, "second"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer second.Close()
	for ctx.Err() == nil {
		for _, f := range []*os.File{first, second} {
			if _, err := f.WriteString("x"); err != nil {
				return err
			}
			if err := f.Sync(); err != nil {
				return err
			}
		}
	}
	return nil
}
