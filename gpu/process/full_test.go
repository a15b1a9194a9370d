package process

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// TestAnEndThatCanNotBeWrittenDownIsToldWhenThereIsRoomAndIsNoLater keeps the state from being written, as a full disk does.
func TestAnEndThatCanNotBeWrittenDownIsToldWhenThereIsRoomAndIsNoLater(t *testing.T) {
	for name, killed := range map[string]bool{"there is room at last": false, "its shim is killed before": true} {
		t.Run(name, func(t *testing.T) {
			e := open(t, t.TempDir())
			dir, s := start(t, e, gpu.Spec{ID: "full", Command: "while [ ! -e ~/go ]; do sleep 0.05; done; exit 3"})
			inTheWay := filepath.Join(dir, stateFile+".new")
			if err := os.Mkdir(inTheWay, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, homeDir, "go"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			until(t, "its socket is gone", func() bool { _, err := os.Stat(filepath.Join(dir, socketFile)); return os.IsNotExist(err) })
			ended := time.Now()
			if err := e.Suspend(t.Context(), "full"); err == nil {
				t.Error("what has ended was suspended")
			}
			time.Sleep(2500 * time.Millisecond) // of heartbeats, if there were any
			if st, err := e.State(t.Context(), "full"); err != nil || st.Phase != gpu.PhaseRunning {
				t.Errorf("nothing says yet how it ended: %+v, %v", st, err)
			}
			if killed {
				if err := syscall.Kill(s.Shim.PID, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Remove(inTheWay); err != nil {
				t.Fatal(err)
			}
			until(t, "its end is known", func() bool { st, err := e.State(t.Context(), "full"); return err == nil && st.Phase == gpu.PhaseExited })
			st, err := e.State(t.Context(), "full")
			if err != nil || st.EndedAt.After(ended) || st.LastProof.After(ended) {
				t.Errorf("it ended before %v: %+v, %v", ended, st, err)
			}
			if !killed && (st.Exit.Code != 3 || st.Exit.Err != "") {
				t.Errorf("how it ended: %+v", st.Exit)
			}
		})
	}
}
