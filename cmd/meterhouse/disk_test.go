package main

import (
	"encoding/json"
	"errors"
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

func TestADiskThatFillsUpLosesNothingAndIsGotOver(t *testing.T) {
	dir := mounted(t, "24m")
	c := withAdminIn(t, filepath.Join(dir, "data"), "--demo")
	var i instance
	c.cliJSON(&i, "rent", "--wait", "--", "sleep 600")
	filler := filepath.Join(dir, "filler")
	fill(t, filler)
	full := false
	for n := 0; n < 100 && !full; n++ { // what the database has room for within its own files still works
		code, out, errOut := c.try("", "rent", "--cpu-only", "--json", "--", "true")
		if code == exitDone {
			var short instance
			if err := json.Unmarshal([]byte(out), &short); err != nil {
				t.Fatal(err)
			}
			c.try("", "stop", short.ID)
		}
		full = strings.Contains(errOut, "disk")
		fill(t, filler)
	}
	if !full {
		t.Error("nothing was refused on a full disk")
	}
	if got := c.instance(i.ID); got.Status != "running" {
		t.Errorf("what ran is %s", got.Status)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	var later instance
	c.cliJSON(&later, "rent", "--cpu-only", "--wait", "--idempotency-key", "after", "--", "sleep 600")
	c.cli("", "stop", i.ID, later.ID, "--wait")
	c.cli("", "doctor", "ledger", "--data", c.data)
}

// fill writes to a file until the disk is full.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{1 << 20, 4 << 10} {
		for block := make([]byte, size); err == nil; {
			_, err = f.Write(block)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		err = nil
	}
}
