package volume

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func ownerOf(t *testing.T, path string) uint32 {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		t.Fatal(err)
	}
	return st.Uid
}

func TestEachInstanceOwnsWhatTheOneBeforeItWrote(t *testing.T) {
	asRoot(t)
	m := open(t)
	if err := m.Create(t.Context(), "v-1", 16*mib); err != nil {
		t.Fatal(err)
	}
	source, err := m.Mount(t.Context(), "v-1")
	if err != nil {
		t.Fatal(err)
	}
	seen := filepath.Join(t.TempDir(), "seen")
	passable(t, filepath.Dir(seen))
	t.Cleanup(func() { _ = Withdraw(seen) })
	for k, uid := range []int{400001, 400002} {
		way, err := Present(source, seen, Owner{UID: uid, GID: uid}, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("the volume's files are %s", way)
		if said, err := as(t, uint32(uid), seen, "umask 077; cat written 2>/dev/null; echo once >> written && mkdir -p own/dir && touch own/dir/file"); err != nil || k == 1 && said != "once" {
			t.Errorf("user %d: %q, %v", uid, said, err)
		}
		if said, err := as(t, 400003, seen, "cat written || echo more >> written"); err == nil {
			t.Errorf("another user of the node reads and writes: %q", said)
		}
		if got := ownerOf(t, filepath.Join(seen, "own/dir/file")); got != uint32(uid) {
			t.Errorf("seen as of %d", got)
		}
		if got := ownerOf(t, filepath.Join(source, "written")); way == Mapped && got != 0 {
			t.Errorf("on the volume it is of %d", got)
		}
		if err := Withdraw(seen); err != nil {
			t.Fatal(err)
		}
	}
	if err := Withdraw(seen); err != nil {
		t.Errorf("withdrawn twice: %v", err)
	}
}

func TestAContainersRangeIsTheVolumesUsers(t *testing.T) {
	asRoot(t)
	m := open(t)
	if err := m.Create(t.Context(), "v-1", 16*mib); err != nil {
		t.Fatal(err)
	}
	source, err := m.Mount(t.Context(), "v-1")
	if err != nil {
		t.Fatal(err)
	}
	seen := filepath.Join(t.TempDir(), "seen")
	passable(t, filepath.Dir(seen))
	t.Cleanup(func() { _ = Withdraw(seen) })
	way, err := Present(source, seen, Owner{UID: 500000, GID: 500000, Count: 65536}, false)
	if err != nil {
		t.Fatal(err)
	}
	if way != Mapped {
		t.Skip("this kernel can't map")
	}
	if said, err := as(t, 500000, seen, "mkdir shared && chmod 777 shared"); err != nil {
		t.Fatalf("%s: %v", said, err)
	}
	if said, err := as(t, 501000, seen, "touch shared/of-user-1000"); err != nil {
		t.Fatalf("%s: %v", said, err)
	}
	if got := ownerOf(t, filepath.Join(source, "shared/of-user-1000")); got != 1000 {
		t.Errorf("on the volume it is of %d", got)
	}
}

func TestWhatIsPresentedToReadIsNotWritten(t *testing.T) {
	asRoot(t)
	m := open(t)
	if err := m.Create(t.Context(), "v-1", 16*mib); err != nil {
		t.Fatal(err)
	}
	source, err := m.Mount(t.Context(), "v-1")
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(source, "read"), "me")
	dir := t.TempDir()
	passable(t, dir)
	for k, name := range []string{"one", "two"} { // several at once
		seen := filepath.Join(dir, name)
		t.Cleanup(func() { _ = Withdraw(seen) })
		if _, err := Present(source, seen, Owner{UID: 400001 + k, GID: 400001 + k}, true); err != nil {
			t.Fatal(err)
		}
		if said, err := as(t, uint32(400001+k), seen, "cat read"); err != nil || said != "me" {
			t.Errorf("%q, %v", said, err)
		}
		if said, err := as(t, uint32(400001+k), seen, "touch written"); err == nil {
			t.Errorf("written: %q", said)
		}
	}
}

// A kernel or a file system that can't map has the files be given to each instance in turn.
func TestFilesThatCanNotBeMappedAreHandedOver(t *testing.T) {
	asRoot(t)
	source := t.TempDir()
	passable(t, source)
	if err := os.MkdirAll(filepath.Join(source, "a/b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(source, "a/out")); err != nil {
		t.Fatal(err)
	}
	before := ownerOf(t, "/etc/passwd")
	for _, uid := range []int{400001, 400002} {
		tree, err := handed(source, Owner{UID: uid, GID: uid}, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Close(tree); err != nil {
			t.Fatal(err)
		}
		if said, err := as(t, uint32(uid), source, "touch a/b/c && cat a/b/c"); err != nil {
			t.Errorf("user %d: %q, %v", uid, said, err)
		}
	}
	if ownerOf(t, "/etc/passwd") != before {
		t.Error("a link was followed out of the volume")
	}
}
