package process

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// TestAnEndIsKnownAtOnceWhileTheDiskIsFull ends a command, and another whose shim was killed, on a file system without room.
func TestAnEndIsKnownAtOnceWhileTheDiskIsFull(t *testing.T) {
	base := t.TempDir()
	if err := syscall.Mount("tmpfs", base, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(base, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	e := open(t, base)
	dir, _ := start(t, e, gpu.Spec{ID: "ends", Command: "while [ ! -e ~/go ]; do sleep 0.05; done; echo lost; exit 3"})
	_, shim := start(t, e, gpu.Spec{ID: "killed", Command: "sleep 66619"})
	later := filepath.Join(dir, homeDir, "later")
	if err := os.WriteFile(later, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	filler, err := os.Create(filepath.Join(base, "filler"))
	t.Cleanup(func() { _ = os.Remove(filler.Name()) }) // before what runs is ended, whatever went wrong
	for block := make([]byte, 4096); err == nil; {
		_, err = filler.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := filler.Close(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := errors.Join(os.Rename(later, filepath.Join(dir, homeDir, "go")), syscall.Kill(shim.Shim.PID, syscall.SIGKILL)); err != nil {
		t.Fatal(err)
	}
	for id, code := range map[string]int{"ends": 3, "killed": 137} {
		until(t, "the end of what "+id, func() bool { st, err := e.State(t.Context(), id); return err == nil && st.Phase == gpu.PhaseExited })
		if st, err := e.State(t.Context(), id); err != nil || st.Exit.Code != code || st.EndedAt.Before(began.Add(-2*time.Second)) {
			t.Errorf("%s: %+v, %v", id, st, err)
		}
	}
	if err := os.Remove(filler.Name()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Start(t.Context(), gpu.Spec{ID: "ends", Command: "exit 4"}); err != nil {
		t.Fatal(err)
	}
	if st, err := e.Wait(t.Context(), "ends"); err != nil || st.Exit.Code != 4 {
		t.Errorf("started again: %+v, %v", st, err)
	}
}

// TestAnEndThatCanNotBeWrittenDownIsToldWhenThereIsRoomAndIsNoLater keeps the state from being written, as a full disk does.
func TestAnEndThatCanNotBeWrittenDownIsToldWhenThereIsRoomAndIsNoLater(t *testing.T) {
	for name, killed := range map[string]bool{"there is room at last": false, "its shim is killed before": true} {
		t.Run(name, func(t *testing.T) {
			e := open(t, t.TempDir())
			dir, s := start(t, e, gpu.Spec{ID: "full", Command: "while [ ! -e ~/go ]; do sleep 0.05; done; exit 3"})
			if err := os.Remove(filepath.Join(dir, roomFile)); err != nil {
				t.Fatal(err)
			}
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
