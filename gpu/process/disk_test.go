package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, file string, size int) {
	t.Helper()
	if err := os.WriteFile(file, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDiskUsageSeesWhatIsHidden(t *testing.T) {
	const mib = 1 << 20
	for name, hide := range map[string]func(t *testing.T, dir string){
		"in plain sight": func(t *testing.T, dir string) { write(t, filepath.Join(dir, "f"), mib) },
		"by a dot":       func(t *testing.T, dir string) { write(t, filepath.Join(dir, ".f"), mib) },
		"by two names": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "a"), mib)
			if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
				t.Fatal(err)
			}
		},
		"behind a path that is too long": func(t *testing.T, dir string) {
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			for range 40 { // 8,000 bytes of names
				name := strings.Repeat("d", 200)
				if err := root.Mkdir(name, 0o700); err != nil {
					t.Fatal(err)
				}
				next, err := root.OpenRoot(name)
				if err != nil {
					t.Fatal(err)
				}
				root.Close()
				root = next
			}
			if err := root.WriteFile("f", make([]byte, mib), 0o600); err != nil {
				t.Fatal(err)
			}
			root.Close()
		},
		"behind a link that leads elsewhere": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "f"), mib)
			if err := os.Symlink("/usr", filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			hide(t, dir)
			n, err := diskUsage(dir)
			if err != nil || n < mib || n > mib+mib/2 {
				t.Errorf("%d bytes, %v; want a MiB", n, err)
			}
		})
	}
}

func TestDiskIsCountedAgainOnlyWhenEnoughMayHaveBeenWritten(t *testing.T) {
	dir := t.TempDir()
	now := time.Unix(1_700_000_000, 0)
	d := diskWatch{dirs: []string{dir}, limit: 1 << 40}
	look := func(want int64) {
		t.Helper()
		if n, err := d.look(now); err != nil || n/(1<<20) != want {
			t.Errorf("%d MiB, %v; want %d", n>>20, err, want)
		}
	}
	look(0)
	write(t, filepath.Join(dir, "f"), 3<<20)
	look(0) // far from the limit
	now = now.Add(diskCount)
	look(3)
	write(t, filepath.Join(dir, "g"), 3<<20)
	d.limit = d.used + 1 // near
	look(6)
}
