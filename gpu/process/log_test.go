package process

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// readAll reads the log in dir from offset on, as Log does.
func readAll(t interface{ Fatal(...any) }, dir string, offset int64) (b []byte, at int64) {
	part, err := openPart(dir, offset)
	if err != nil {
		t.Fatal(err)
	}
	at = min(max(offset, part.base), part.base+part.size)
	if _, err := part.file.Seek(at-part.base, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	r := &logReader{ctx: background, cancel: func() {}, dir: dir, part: part, at: at}
	if b, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return b, at
}

func TestAnyOffsetOfARotatedLogReadsWhatWasWrittenThere(t *testing.T) {
	root, err := os.MkdirTemp("/dev/shm", "log") // in memory: what is tried here is no disk
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = os.RemoveAll(root) }()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(root, fmt.Sprint(n))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		limit := rapid.Int64Range(2, 200).Draw(t, "limit")
		w, err := openLog(dir, limit)
		if err != nil {
			t.Fatal(err)
		}
		var all []byte
		for i := range rapid.IntRange(0, 12).Draw(t, "writes") {
			p := bytes.Repeat([]byte{byte('a' + i)}, rapid.IntRange(0, 150).Draw(t, "size"))
			if n, err := w.Write(p); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
			all = append(all, p...)
			if rapid.Bool().Draw(t, "again") { // as a shim does that starts the instance once more
				if err := w.close(); err != nil {
					t.Fatal(err)
				}
				if w, err = openLog(dir, limit); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.close(); err != nil {
			t.Fatal(err)
		}
		offset := rapid.Int64Range(0, int64(len(all))+10).Draw(t, "offset")
		got, at := readAll(t, dir, offset)
		if at < offset && at != int64(len(all)) || !bytes.Equal(got, all[at:]) {
			t.Fatalf("from %d: %q at %d of %q", offset, got, at, all)
		}
		moved := dir + "-moved"
		if err := os.CopyFS(moved, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		if there, where := readAll(t, moved, offset); where != at || !bytes.Equal(there, got) {
			t.Fatalf("in a copied directory, from %d: %q at %d, not %q at %d", offset, there, where, got, at)
		}
		if kept, _ := readAll(t, dir, 0); int64(len(kept)) > limit || len(all) > 0 && len(kept) == 0 {
			t.Fatalf("%d bytes are kept of %d, the limit is %d", len(kept), len(all), limit)
		}
	})
}

func TestALogThatCannotBeWrittenLosesOutputAndSaysSo(t *testing.T) {
	dir := t.TempDir()
	w, err := openLog(dir, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	good := w.file
	if w.file, err = os.OpenFile("/dev/full", os.O_WRONLY, 0); err != nil {
		t.Skip(err)
	}
	if n, err := w.Write([]byte("lost")); n != 4 || err != nil {
		t.Fatal(n, err) // the work goes on
	}
	if err := w.file.Close(); err != nil {
		t.Fatal(err)
	}
	w.file = good
	if _, err := w.Write([]byte("kept\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	got, _ := readAll(t, dir, 0)
	if want := "\n[4 bytes of output were lost: the log could not be written]\nkept\n"; string(got) != want {
		t.Errorf("%q", got)
	}
}
