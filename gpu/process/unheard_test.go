package process

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"github.com/meterhouse/meterhouse/gpu"
)

// cutOff starts an instance as Start does, with a console that is killed as soon as it has heard who the shim is.
func cutOff(t *testing.T, e *Executor, spec gpu.Spec) {
	t.Helper()
	e.machine(t.Context())
	dir, err := e.path(spec.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	rec := record{Spec: spec, Level: e.level, Data: e.dir, Tools: e.tools, Cgroup: e.plan, Masked: slices.Clone(e.mask)}
	if rec.UID, err = e.settle(dir, rec); err != nil {
		t.Fatal(err)
	}
	if err := writeJSON(dir, specFile, rec); err != nil {
		t.Fatal(err)
	}
	lock, err := lockFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", `"$0" "$@" &`, e.binary, "shim", "--dir", dir)
	cmd.Env, cmd.ExtraFiles = []string{}, []*os.File{w, lock}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if hello, err := bufio.NewReader(r).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", hello, err)
	}
	r.Close()
	lock.Close()
}

func TestAStartWhoseConsoleWasKilledIsTakenOverByTheNext(t *testing.T) {
	e := open(t, t.TempDir())
	cutOff(t, e, gpu.Spec{ID: "unheard", Command: "sleep 66609"})
	t.Cleanup(func() { end(t, e, "unheard") })
	dir, _ := e.path("unheard")
	until(t, "it runs", func() bool { var s state; return readJSON(dir, stateFile, &s) == nil })
	exit, err := e.Exec(t.Context(), "unheard", gpu.ExecRequest{Argv: []string{"sh", "-c", "sleep 0.2; exit 3"}})
	if err != nil || exit.Code != 3 {
		t.Errorf("%+v, %v", exit, err)
	}
	if s, err := e.State(t.Context(), "unheard"); err != nil || s.Phase != gpu.PhaseRunning {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestTheNextConsoleWaitsForAStartThatWasCutOff(t *testing.T) {
	e := open(t, t.TempDir())
	mark := strconv.Itoa(1_000_000 + os.Getpid()) // another run of these tests counts its own
	spec := gpu.Spec{ID: "twice", Command: "sleep " + mark}
	cutOff(t, e, spec)
	t.Cleanup(func() { end(t, e, "twice") })
	if _, err := e.Start(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	exit, err := e.Exec(t.Context(), "twice", gpu.ExecRequest{Argv: []string{"sh", "-c", "sleep 0.5; exit 3"}})
	if err != nil || exit.Code != 3 {
		t.Errorf("%+v, %v", exit, err)
	}
	if s, err := e.State(t.Context(), "twice"); err != nil || s.Phase != gpu.PhaseRunning || sleepers(mark) != 1 {
		t.Errorf("%+v, %v, %d of its commands run", s, err, sleepers(mark))
	}
}
