package volume

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const mib = 1 << 20

// open opens a manager in a directory of the test's own, and takes every mount in it away at the end.
func open(t *testing.T) *Manager {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() { unmountAll(t, dir) })
	m, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// again opens what another console left.
func again(t *testing.T, m *Manager) *Manager {
	t.Helper()
	next, err := Open(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func unmountAll(t *testing.T, dir string) {
	t.Helper()
	mounts := mountsIn(t, dir)
	for k := len(mounts) - 1; k >= 0; k-- {
		if err := unix.Unmount(mounts[k], unix.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", mounts[k], err)
		}
	}
}

// mountsIn are the mounts in a directory, in the order in which they were made.
func mountsIn(t *testing.T, dir string) (at []string) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); strings.HasPrefix(f[4], dir+"/") {
			at = append(at, f[4])
		}
	}
	return at
}

// asRoot skips a test of what only root can do.
func asRoot(t *testing.T) {
	t.Helper()
	if why := cannotMount(); why != "" {
		t.Skip("no image can be mounted here: " + why)
	}
}

// each runs a test over every kind of volume that this machine has.
func each(t *testing.T, run func(t *testing.T, m *Manager)) {
	t.Helper()
	t.Run("watched", func(t *testing.T) {
		m := open(t)
		m.kind = watched{"a test"}
		run(t, m)
	})
	t.Run("image", func(t *testing.T) {
		asRoot(t)
		run(t, open(t))
	})
}

// as runs a shell command as a user of the node, and returns what it said.
func as(t *testing.T, uid uint32, dir, script string) (string, error) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// passable lets every user of the node go through the directories above one.
func passable(t *testing.T, dir string) {
	t.Helper()
	for ; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
