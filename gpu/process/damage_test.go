package process

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/meterhouse/meterhouse/gpu"
)

// TestARecordThatIsDamagedIsNeverTakenForAnEnd breaks each file of a living instance's record in turn.
func TestARecordThatIsDamagedIsNeverTakenForAnEnd(t *testing.T) {
	e := open(t, t.TempDir())
	start(t, e, gpu.Spec{ID: "sound"})
	dir, _ := start(t, e, gpu.Spec{ID: "damaged", Command: "sleep 66611"})
	for _, file := range []string{specFile, stateFile} {
		good, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"", "{", `{"phase":7}`} {
			if file == specFile && bad != "" {
				continue // what a state alone tells stays right, whatever the order says
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(bad), 0o600); err != nil {
				t.Fatal(err)
			}
			if file == specFile {
				if err := os.Remove(filepath.Join(dir, file)); err != nil {
					t.Fatal(err)
				}
			}
			all, err := e.List(t.Context())
			if err != nil || len(all) != 2 {
				t.Fatalf("%s %q: listed %+v, %v", file, bad, all, err)
			}
			for _, s := range all {
				if want := map[string]gpu.Phase{"sound": gpu.PhaseRunning, "damaged": gpu.PhaseUnknown}[s.ID]; s.Phase != want {
					t.Errorf("%s %q: %s is %s, want %s", file, bad, s.ID, s.Phase, want)
				}
			}
			if _, err := e.Clean(t.Context(), "damaged"); err == nil || errors.Is(err, gpu.ErrNoInstance) {
				t.Errorf("%s %q: what is left of it: %v, want to hear that nobody can tell", file, bad, err)
			}
			if _, err := e.Start(t.Context(), gpu.Spec{ID: "damaged", Command: "sleep 66618"}); err == nil || sleepers("66618") != 0 {
				t.Errorf("%s %q: it was started a second time, beside itself", file, bad)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, file), good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnInstanceWhoseStateWasDeletedIsEndedBeforeItIsForgotten(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	if _, err := e.Start(t.Context(), gpu.Spec{ID: "lost", Command: "sleep 66612"}); err != nil {
		t.Fatal(err)
	}
	until(t, "it runs", func() bool { return sleepers("66612") == 1 })
	var was state
	if err := readJSON(filepath.Join(dir, "instances", "lost"), stateFile, &was); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "instances", "lost", stateFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, dir).State(t.Context(), "lost"); !errors.Is(err, gpu.ErrNoInstance) { // another console's executor
		t.Errorf("its state: %v", err)
	}
	if n := sleepers("66612"); n != 0 {
		t.Errorf("%d processes of what is forgotten live on", n)
	}
	until(t, "its shim has ended too", func() bool { return !was.Shim.alive() })
}

func TestADeletedLogIsNoErrorOfTheMachine(t *testing.T) {
	e := open(t, t.TempDir())
	dir, _ := start(t, e, gpu.Spec{ID: "logless", Command: "echo there; sleep 66614"})
	if err := os.Remove(filepath.Join(dir, logFile)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Log(t.Context(), "logless", 0, false); !errors.Is(err, gpu.ErrNoInstance) {
		t.Errorf("its log: %v", err)
	}
}
