package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/gpu"
)

// output runs a command and returns its log.
func output(t *testing.T, e *Executor, spec gpu.Spec) string {
	t.Helper()
	start(t, e, spec)
	if _, err := e.Wait(t.Context(), spec.ID); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(e.dir, "instances", spec.ID, logFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAnInstanceSeesNothingOfTheConsoleNorOfOthers(t *testing.T) {
	// Not below /tmp, which an instance has of its own anyway.
	data, err := os.MkdirTemp("/var/lib", "meterhouse-test")
	if err != nil {
		data = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(data) })
	if err := os.Chmod(data, 0o755); err != nil {
		t.Fatal(err)
	}
	e := open(t, data)
	if e.Limits(t.Context()); e.level == levelPlain {
		t.Skip("needs namespaces")
	}
	database := filepath.Join(e.dir, "meterhouse.db")
	if err := os.WriteFile(database, []byte("the ledger"), 0o644); err != nil {
		t.Fatal(err)
	}
	start(t, e, gpu.Spec{ID: "other", Command: "echo private > note; chmod -R a+rX ~; echo private > /tmp/note; sleep 66610"})
	until(t, "the other works", func() bool { return sleepers("66610") == 1 })
	home := filepath.Join(e.dir, "instances", "other", homeDir)
	got := output(t, e, gpu.Spec{ID: "curious", Name: "Ünser Rechner 7", Command: `
cat ` + database + ` ` + home + `/note /tmp/note; ls -A ` + e.dir + `; ps ax | grep 66610 | grep -v grep
echo host=$(hostname) nnp=$(grep NoNewPrivs /proc/self/status | tr -dc 0-9) caps=$(grep CapEff /proc/self/status | cut -f2 | tr -d 0)
echo x > /sys/fs/cgroup/memory/meterhouse/curious/cgroup.procs; umount /home; mount -t tmpfs x /mnt; kill -9 1; echo alive`})
	for _, secret := range []string{"ledger", "private\n", "66610\n"} {
		if strings.Contains(got, secret) {
			t.Errorf("it saw %q: %s", secret, got)
		}
	}
	if !strings.Contains(got, "host=nser-rechner-7 nnp=1 caps=\n") && !strings.Contains(got, "host=-nser-rechner-7 nnp=1 caps=\n") {
		t.Errorf("host name, no_new_privs or capabilities are wrong: %s", got)
	}
	if !strings.HasSuffix(got, "alive\n") {
		t.Errorf("it ended its own init: %s", got)
	}
}

func TestAnInstanceHasAUserOfItsOwn(t *testing.T) {
	e := open(t, t.TempDir())
	if e.Limits(t.Context()); e.level != levelRoot {
		t.Skip("needs root")
	}
	one := output(t, e, gpu.Spec{ID: "one", Command: "id -u; whoami; touch ~/f && ls -n ~/f"})
	two := output(t, e, gpu.Spec{ID: "two", Command: "id -u; whoami; touch ~/f && ls -n ~/f"})
	a, b := strings.Fields(one), strings.Fields(two)
	if len(a) < 3 || len(b) < 3 || a[0] == b[0] || a[0] == "0" || a[1] != workUser {
		t.Errorf("%q and %q", one, two)
	}
	if again := output(t, open(t, e.dir), gpu.Spec{ID: "three", Command: "id -u"}); strings.TrimSpace(again) == a[0] || strings.TrimSpace(again) == b[0] {
		t.Errorf("a third has the user %s, too", again)
	}
}

func TestAProgramBehindAClosedDirectoryCanBeRun(t *testing.T) {
	e := open(t, t.TempDir())
	closed := t.TempDir()
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bench", "tool"} {
		if err := os.WriteFile(filepath.Join(closed, name), []byte("#!/bin/sh\necho "+name+" \"$1\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	e.tools = []string{filepath.Join(closed, "tool")}
	if got := output(t, e, gpu.Spec{ID: "argv", Argv: []string{filepath.Join(closed, "bench"), "a b"}}); got != "bench a b\n" {
		t.Errorf("%q", got)
	}
	if e.level == levelPlain {
		return
	}
	if got := output(t, e, gpu.Spec{ID: "tool", Command: "tool 'c d'"}); got != "tool c d\n" {
		t.Errorf("%q", got)
	}
}

func TestALongDataDirectoryIsNoTrouble(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long/", 40))
	e := open(t, dir)
	if got := output(t, e, gpu.Spec{ID: "long", Command: "echo fine"}); got != "fine\n" {
		t.Errorf("%q", got)
	}
}

func TestLimitsThatCannotBeSetAreSaid(t *testing.T) {
	e := open(t, t.TempDir())
	e.probe.Do(func() {
		e.level, e.plan, e.why = levelPlain, noCgroups("no cgroup file system is mounted"), "not tried"
	})
	for _, l := range e.Limits(t.Context()) {
		if l.Name == "sockets" { // the kernel alone decides
			continue
		}
		if l.Enforced != (l.Name == "disk") || l.Detail == "" { // its watch needs nothing
			t.Errorf("%+v", l)
		}
	}
}
