package fleet

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/process"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
)

// realSite is a site whose instances are real processes; the clock follows the machine's.
func realSite(t *testing.T) *site {
	t.Helper()
	s := newSite(t, "")
	executor, err := process.New(process.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s.executor = executor
	moving := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for last := time.Now(); ; {
			select {
			case <-moving:
				return
			case <-time.After(5 * time.Millisecond):
				s.clock.Advance(time.Since(last))
				last = time.Now()
			}
		}
	}()
	s.clock.Set(time.Now())
	t.Cleanup(func() {
		for _, id := range s.live() {
			if _, err := executor.Stop(context.Background(), id, 0); err != nil {
				t.Error(err)
			}
		}
		close(moving)
		<-stopped
	})
	return s
}

func (s *site) live() (ids []string) {
	states, err := s.executor.List(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, st := range states {
		if lives(st) {
			ids = append(ids, st.ID)
		}
	}
	return ids
}

func (s *site) log(id string) string {
	r, _, err := s.fleet.Log(context.Background(), id, 0, false)
	if err != nil {
		return ""
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func TestARealCommandRunsOnWhileConsolesComeAndGo(t *testing.T) {
	s := realSite(t)
	s.start()
	inst := s.running(store.RentRequest{Command: `echo "pid $$"; for i in 1 2 3 4 5 6 7 8 9; do echo tick $i; sleep 0.2; done; sleep 60`})
	s.until("it writes", func() bool { return strings.Contains(s.log(inst.ID), "tick 1") })
	for range 2 {
		s.drop()
		s.start()
	}
	s.until("it goes on", func() bool { return strings.Contains(s.log(inst.ID), "tick 9") })
	if text := s.log(inst.ID); strings.Count(text, "pid ") != 1 {
		t.Errorf("it was started again:\n%s", text)
	}
	var out bytes.Buffer
	exit, err := s.fleet.Exec(context.Background(), inst.ID, gpu.ExecRequest{Argv: []string{"/bin/sh", "-c", "echo $METERHOUSE_INSTANCE"}, Stdout: &out})
	if err != nil || exit.Code != 0 || strings.TrimSpace(out.String()) != inst.ID {
		t.Errorf("exec: %v, %+v, %q", err, exit, out.String())
	}
	s.stop(inst.ID)
	s.reaches(inst.ID, life.Stopped)
	if left := s.live(); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	if !strings.Contains(s.log(inst.ID), "tick 9") {
		t.Error("the log of an ended instance can't be read")
	}
	if n := len(s.spans(inst.ID)); n != 1 {
		t.Errorf("its bill has %d lines, want 1", n)
	}
}

func TestARealCommandThatEndsWhileNoConsoleRuns(t *testing.T) {
	s := realSite(t)
	s.start()
	inst := s.running(store.RentRequest{Command: "sleep 0.3; exit 5"})
	s.drop()
	s.until("it ends", func() bool { return len(s.live()) == 0 })
	ended := time.Now()
	time.Sleep(300 * time.Millisecond)
	s.start()
	got := s.reaches(inst.ID, life.Failed)
	if got.ExitCode == nil || *got.ExitCode != 5 {
		t.Errorf("exit code %v", got.ExitCode)
	}
	if lines := s.spans(inst.ID); len(lines) != 1 || lines[0].To.After(ended.Add(50*time.Millisecond)) {
		t.Errorf("billed %+v, want one line up to %v", lines, ended)
	}
}

func TestARealProcessIsStoppedGracefully(t *testing.T) {
	s := realSite(t)
	s.start()
	inst := s.running(store.RentRequest{Command: `trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done`})
	s.until("it is ready", func() bool { return strings.Contains(s.log(inst.ID), "ready") })
	s.stop(inst.ID)
	s.reaches(inst.ID, life.Stopped)
	if text := s.log(inst.ID); !strings.Contains(text, "bye") {
		t.Errorf("it was not asked first:\n%s", text)
	}
}

func TestClickToRunningWithRealProcesses(t *testing.T) {
	s := realSite(t)
	s.start()
	var slowest time.Duration
	for i := range 3 {
		began := time.Now()
		inst := s.running(store.RentRequest{Name: "n" + strconv.Itoa(i)})
		slowest = max(slowest, time.Since(began))
		s.stop(inst.ID)
		s.reaches(inst.ID, life.Stopped)
	}
	t.Logf("slowest of 3: %v", slowest)
	if slowest > 5*time.Second { // under a second on a machine of its own; this one may be shared
		t.Errorf("from click to running took %v", slowest)
	}
}
