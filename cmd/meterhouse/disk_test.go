package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// mounted is a small file system of its own, or the test is skipped where none may be mounted.
func mounted(t *testing.T, size string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts real consoles")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestAFullDiskIsSaidInWords(t *testing.T) {
	dir := mounted(t, "64k")
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 60<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &console{t: t, bin: programFile(t)}
	code, _, errOut := c.try("", "serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "data"))
	if code != exitFailed || !strings.Contains(errOut, "full") {
		t.Errorf("status %d, stderr %q", code, errOut)
	}
}

func TestAReadOnlyDiskIsSaidInWords(t *testing.T) {
	dir := mounted(t, "1m")
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=1m"); err != nil {
		t.Skip(err)
	}
	c := &console{t: t, bin: programFile(t)}
	for _, data := range []string{dir, filepath.Join(dir, "data")} {
		code, _, errOut := c.try("", "serve", "--listen", "127.0.0.1:0", "--data", data)
		if code != exitFailed || !strings.Contains(errOut, "read-only") || !strings.Contains(errOut, "--data") {
			t.Errorf("status %d, stderr %q", code, errOut)
		}
	}
}
