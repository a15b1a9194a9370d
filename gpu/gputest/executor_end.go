package gputest

import (
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

var endTests = map[string]func(*testing.T, *rig){
	"StopAsksBeforeItKills":              stopAsks,
	"StopKillsAfterTheGrace":             stopKills,
	"StopEndsDaemonsThatLeftTheirParent": stopEndsDaemons,
	"TheEndOfTheCommandEndsAll":          commandEndsAll,
	"ASecondStopCanShortenTheFirst":      secondStop,
	"WithoutACommandItLivesUntilStopped": noCommand,
	"RemoveRefusesWhatRuns":              removeRefuses,
}

func stopAsks(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: `trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.05; done`})
	r.await("ready")
	s, err := r.Stop(r.ctx, r.id, 20*time.Second)
	if err != nil || s.Phase != gpu.PhaseExited || s.Exit != (gpu.Exit{Code: 3}) {
		t.Errorf("%+v, %v", s, err)
	}
	// Between them the shell may say that its sleep was terminated.
	if text, _ := r.log(0); !strings.HasPrefix(text, "ready\n") || !strings.HasSuffix(text, "bye\n") {
		t.Errorf("log %q", text)
	}
}

func stopKills(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: `trap '' TERM; echo ready; while :; do sleep 0.05; done`})
	r.await("ready")
	before := time.Now()
	s, err := r.Stop(r.ctx, r.id, 300*time.Millisecond)
	if took := time.Since(before); err != nil || s.Exit.Signal != "SIGKILL" || took < 300*time.Millisecond {
		t.Errorf("after %v: %+v, %v", took, s, err)
	}
}

func stopEndsDaemons(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: strings.ReplaceAll(`(setsid sh -c 'trap "" TERM HUP; (setsid sleep MARK &) ; sleep MARK; :' >/dev/null 2>&1 &) ; echo ready; sleep 1000`, "MARK", r.mark)})
	r.until("the daemons run", func() bool { return len(runningWith(r.mark)) == 2 })
	if _, err := r.Stop(r.ctx, r.id, 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if found := runningWith(r.mark); len(found) > 0 {
		t.Errorf("processes %v live on", found)
	}
}

func commandEndsAll(t *testing.T, r *rig) {
	s := r.run(gpu.Spec{Command: strings.ReplaceAll(`(setsid sleep MARK &) ; exit 4`, "MARK", r.mark)})
	if s.Exit != (gpu.Exit{Code: 4}) {
		t.Errorf("exit %+v", s.Exit)
	}
	if found := runningWith(r.mark); len(found) > 0 {
		t.Errorf("processes %v live on", found)
	}
}

func secondStop(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: `trap '' TERM; echo ready; while :; do sleep 0.05; done`})
	r.await("ready")
	first := make(chan error, 1)
	go func() {
		_, err := r.Stop(r.ctx, r.id, time.Hour)
		first <- err
	}()
	time.Sleep(100 * time.Millisecond) // whichever comes first, the end must be soon
	if _, err := r.Stop(r.ctx, r.id, 100*time.Millisecond); err != nil {
		t.Error(err)
	}
	if err := <-first; err != nil {
		t.Error(err)
	}
}

func noCommand(t *testing.T, r *rig) {
	if s := r.start(gpu.Spec{}); s.Phase != gpu.PhaseRunning {
		t.Fatalf("%+v", s)
	}
	if s, err := r.State(r.ctx, r.id); err != nil || s.Phase != gpu.PhaseRunning || time.Since(s.LastProof) > time.Minute {
		t.Errorf("%+v, %v", s, err)
	}
	before := time.Now()
	s, err := r.Stop(r.ctx, r.id, 20*time.Second)
	if err != nil || s.Phase != gpu.PhaseExited || s.Exit != (gpu.Exit{}) {
		t.Errorf("%+v, %v", s, err)
	}
	if took := time.Since(before); took > 10*time.Second {
		t.Errorf("an idle shell took %v to end", took)
	}
}

func removeRefuses(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep 1000"})
	if err := r.Remove(r.ctx, r.id); err == nil {
		t.Error("Remove of what runs was accepted")
	}
	if s, err := r.State(r.ctx, r.id); err != nil || s.Phase != gpu.PhaseRunning {
		t.Errorf("%+v, %v", s, err)
	}
}
