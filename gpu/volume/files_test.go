package volume

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func tree(t *testing.T) (*Tree, string) {
	t.Helper()
	m := open(t)
	m.kind = watched{"a test"}
	if err := m.Create(t.Context(), "v-1", 64*mib); err != nil {
		t.Fatal(err)
	}
	tr, err := m.Tree(t.Context(), "v-1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tr.Close() })
	return tr, filepath.Join(m.dir, volumesDir, "v-1", filesDir)
}

func TestNothingLeadsOutOfAVolume(t *testing.T) {
	tr, at := tree(t)
	outside := t.TempDir()
	put(t, filepath.Join(outside, "secret"), "of the node")
	for name, to := range map[string]string{"absolute": filepath.Join(outside, "secret"), "up": "../../../secret", "folder": outside, "etc": "/etc"} {
		if err := os.Symlink(to, filepath.Join(at, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"absolute", "up", "folder/secret", "etc/passwd"} {
		if _, _, err := tr.Open(name); !errors.Is(err, ErrOutside) {
			t.Errorf("open %s: %v", name, err)
		}
	}
	if _, _, err := tr.List("folder"); !errors.Is(err, ErrOutside) {
		t.Errorf("list: %v", err)
	}
	for _, name := range []string{"folder/new", "etc/new"} {
		if _, err := tr.Write(name, strings.NewReader("x")); !errors.Is(err, ErrOutside) {
			t.Errorf("write %s: %v", name, err)
		}
		if err := tr.Mkdir(name); !errors.Is(err, ErrOutside) {
			t.Errorf("mkdir %s: %v", name, err)
		}
		if err := tr.Remove(name); !errors.Is(err, ErrOutside) {
			t.Errorf("remove %s: %v", name, err)
		}
	}
	if err := tr.Remove("folder"); err != nil { // the link, not what it names
		t.Errorf("remove the link: %v", err)
	}
	if got := read(t, filepath.Join(outside, "secret")); got != "of the node" {
		t.Errorf("outside: %q", got)
	}
	for text, want := range map[string]error{"../x": ErrOutside, "a/../../x": ErrOutside, "a/..": ErrOutside, "a\x00b": ErrBadName} {
		if _, err := Name(text); !errors.Is(err, want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]string{"": ".", "/": ".", "/a//b/": "a/b", "./a": "a", "a..b": "a..b", "...": "..."} {
		if got, err := Name(text); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestAPipeOrADeviceIsNoFileToRead(t *testing.T) {
	tr, at := tree(t)
	if err := unix.Mkfifo(filepath.Join(at, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := tr.Open("pipe"); !errors.Is(err, ErrNotAFile) { // and it does not wait for a writer
		t.Errorf("a pipe: %v", err)
	}
	if _, _, err := tr.Open("."); !errors.Is(err, ErrNotAFile) {
		t.Errorf("a directory: %v", err)
	}
}

func TestAFileIsWrittenInOneStep(t *testing.T) {
	tr, _ := tree(t)
	if _, err := tr.Write("file", strings.NewReader("old")); err != nil {
		t.Fatal(err)
	}
	broken := io.MultiReader(strings.NewReader("half of the new"), brokenReader{})
	if _, err := tr.Write("file", broken); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a broken upload: %v", err)
	}
	f, _, err := tr.Open("file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := io.ReadAll(f); err != nil || string(text) != "old" {
		t.Errorf("%q, %v", text, err)
	}
	if files, _, err := tr.List("."); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	if _, err := tr.Write(".", strings.NewReader("")); !errors.Is(err, ErrBadName) {
		t.Errorf("the root: %v", err)
	}
	if err := tr.Mkdir("dir"); err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Write("dir", strings.NewReader("")); !errors.Is(err, ErrExists) {
		t.Errorf("over a directory: %v", err)
	}
	if _, err := tr.Write("none/file", strings.NewReader("")); !errors.Is(err, ErrNoFile) {
		t.Errorf("in no directory: %v", err)
	}
	if _, err := tr.Write("dir/"+strings.Repeat("n", 255), strings.NewReader("x")); err != nil {
		t.Errorf("the longest name: %v", err)
	}
	if _, err := tr.Write("dir/"+strings.Repeat("n", 256), strings.NewReader("x")); !errors.Is(err, ErrBadName) {
		t.Errorf("a longer name: %v", err)
	}
	if err := tr.Remove("dir"); err != nil {
		t.Errorf("a directory with a file: %v", err)
	}
	if err := tr.Remove("."); !errors.Is(err, ErrBadName) {
		t.Errorf("the root: %v", err)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
