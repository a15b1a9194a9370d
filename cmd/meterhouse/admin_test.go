package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

func TestWhatAnAdminTypedWrongIsSaidOnceAndInWords(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(context.Background(), store.Config{Path: dir, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"admin user add ann --email nonsense --team t":                     "meterhouse admin user add: email: That is not an e-mail address.\n",
		"admin user add ann --email a@example.com --team t --role boss":    "meterhouse admin user add: role: There is no such role; it is viewer, member, manager or admin.\n",
		"admin price set cpu-2 1.00 --kind daily":                          "meterhouse admin price set: kind: There is no such kind; it is on_demand, reserved or spot.\n",
		"admin token create --user nobody":                                 "meterhouse admin token create: There is no person nobody.\n",
		"backup " + filepath.Join(dir, "none", "copy"):                     "can't be written. Name another place",
		"restore " + filepath.Join(dir, "none") + " --data=" + t.TempDir(): "there is no backup " + filepath.Join(dir, "none"),
	} {
		args := strings.Fields(line)
		if args[0] != "restore" {
			args = append(args, "--data", dir)
		}
		code, out, errOut := typed(t, nil, "", args...)
		if code != exitFailed || out != "" || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, stdout %q, stderr %q, want %q", line, code, out, errOut, want)
		}
	}
}

func TestARestoreThatFailsLeavesNoDirectory(t *testing.T) {
	dir := t.TempDir()
	text, damaged := filepath.Join(dir, "README.md"), filepath.Join(dir, "damaged.db")
	for file, content := range map[string]string{text: "# no backup\n", damaged: sqliteHead + strings.Repeat("damaged", 1000)} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{text: "is no backup of Meterhouse", damaged: "damaged", filepath.Join(dir, "none"): "there is no backup", dir: "is no backup of Meterhouse"} {
		code, _, errOut := typed(t, nil, "", "restore", file, "--data", filepath.Join(dir, "a", "b"))
		if code != exitFailed || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, %q", file, code, errOut)
		}
		if _, err := os.Stat(filepath.Join(dir, "a")); err == nil {
			t.Errorf("%s: a directory is left", file)
		}
	}
	kept := filepath.Join(dir, "kept")
	if err := os.Mkdir(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	if code, _, _ := typed(t, nil, "", "restore", damaged, "--data", filepath.Join(kept, "new")); code != exitFailed {
		t.Errorf("status %d", code)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("a directory that was there is gone: %v", err)
	}
}

func TestTheRunnerBesideTheBinaryMeasures(t *testing.T) {
	dir := t.TempDir()
	binary, beside := filepath.Join(dir, "meterhouse"), filepath.Join(dir, "gpubench")
	if got := benchCommand(binary); !slices.Equal(got, []string{binary, "gpubench"}) {
		t.Errorf("alone: %v", got)
	}
	if err := os.WriteFile(beside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := benchCommand(binary); got[0] != binary {
		t.Errorf("beside a file that is no program: %v", got)
	}
	if err := os.Chmod(beside, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := benchCommand(binary); !slices.Equal(got, []string{beside}) {
		t.Errorf("beside its runner: %v", got)
	}
}
