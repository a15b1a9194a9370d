package gputest

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

var lifeTests = map[string]func(*testing.T, *rig){
	"TheExitIsTheCommands":              exitIsTheCommands,
	"StartingWhatRunsStartsNothing":     startTwice,
	"AFailedStartLeavesNothing":         failedStart,
	"AnUnknownInstanceIsErrNoInstance":  unknownInstance,
	"AnEndedInstanceIsErrNotRunning":    endedInstance,
	"ASignalReachesTheCommand":          signalReaches,
	"SuspendStopsAllWork":               suspendStops,
	"PIDsAreThoseOfTheNode":             pidsOfTheNode,
	"ANewExecutorAdoptsWhatRuns":        adopt,
	"WaitEndsWithItsContext":            waitContext,
	"ManyShortInstancesLeaveNoneBehind": manyShort,
	"AnEndedInstanceCanBeStartedAgain":  startAgain,
}

func exitIsTheCommands(t *testing.T, r *rig) {
	for command, want := range map[string]gpu.Exit{
		"exit 0":                   {},
		"exit 7":                   {Code: 7},
		"kill -9 $$":               {Code: 137, Signal: "SIGKILL"},
		"kill -TERM $$":            {Code: 143, Signal: "SIGTERM"},
		"no-such-program-anywhere": {Code: 127},
	} {
		before := time.Now()
		s := r.run(gpu.Spec{Command: command})
		if s.Phase != gpu.PhaseExited || s.Exit != want {
			t.Errorf("%q: %s, %+v; want %+v", command, s.Phase, s.Exit, want)
		}
		if s.StartedAt.Before(before.Add(-time.Second)) || s.EndedAt.Before(s.StartedAt) || s.EndedAt.After(time.Now().Add(time.Second)) {
			t.Errorf("%q: started %v, ended %v; it ran after %v", command, s.StartedAt, s.EndedAt, before)
		}
		r.end(r.id)
	}
}

func startTwice(t *testing.T, r *rig) {
	first := r.start(gpu.Spec{Command: "sleep 1000"})
	second := r.start(gpu.Spec{Command: "sleep 1000"})
	if second.Phase != gpu.PhaseRunning || !second.StartedAt.Equal(first.StartedAt) {
		t.Errorf("a second Start made %+v of %+v", second, first)
	}
}

func failedStart(t *testing.T, r *rig) {
	s, err := r.Start(r.ctx, gpu.Spec{ID: r.id, Argv: []string{"/no/such/program"}})
	if err == nil || !strings.Contains(err.Error(), "/no/such/program") || s.Exit.Err == "" {
		t.Errorf("error %v, exit %+v; want words that name the program", err, s.Exit)
	}
	if _, err := r.State(r.ctx, r.id); !errors.Is(err, gpu.ErrNoInstance) {
		t.Errorf("afterwards, State says %v", err)
	}
	if s, ok := listed(r, r.Executor); ok {
		t.Errorf("afterwards it is listed: %+v", s)
	}
	for _, bad := range []gpu.Spec{{}, {ID: "../up"}, {ID: "UPPER"}, {ID: strings.Repeat("a", 41)}, {ID: r.id, MemoryBytes: -1}, {ID: r.id, CPUMillis: -1}, {ID: r.id, Pids: -1}} {
		if _, err := r.Start(r.ctx, bad); err == nil {
			t.Errorf("Start of %+v was accepted", bad)
		}
	}
}

func pidsOfTheNode(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep " + r.mark + " & sleep 1000 & wait"})
	var found []string
	r.until("its process is there", func() bool { found = runningWith(r.mark); return len(found) == 1 })
	pids, err := r.PIDs(r.ctx, r.id)
	if err != nil || !slices.Contains(pids, atoi(t, found[0])) || slices.Contains(pids, os.Getpid()) {
		t.Errorf("PIDs are %v, %v; want %s among them and not %d", pids, err, found[0], os.Getpid())
	}
	if _, err := r.Stop(r.ctx, r.id, 0); err != nil {
		t.Fatal(err)
	}
	if pids, err := r.PIDs(r.ctx, r.id); err != nil || len(pids) > 0 {
		t.Errorf("after its end PIDs are %v, %v", pids, err)
	}
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func unknownInstance(t *testing.T, r *rig) {
	for _, id := range []string{"never-heard-of", "", "..", "a/b"} {
		for name, err := range eachCall(r, id) {
			if !errors.Is(err, gpu.ErrNoInstance) {
				t.Errorf("%s of %q: %v", name, id, err)
			}
		}
	}
}

// eachCall returns what each call on an instance answers.
func eachCall(r *rig, id string) map[string]error {
	errs := map[string]error{}
	_, errs["State"] = r.State(r.ctx, id)
	_, errs["Wait"] = r.Wait(r.ctx, id)
	_, errs["Stop"] = r.Stop(r.ctx, id, 0)
	_, errs["Usage"] = r.Usage(r.ctx, id)
	_, errs["PIDs"] = r.PIDs(r.ctx, id)
	_, errs["Clean"] = r.Clean(r.ctx, id)
	_, _, errs["Log"] = r.Log(r.ctx, id, 0, false)
	errs["Remove"] = r.Remove(r.ctx, id)
	for name, err := range livingCalls(r, id) {
		errs[name] = err
	}
	return errs
}

// livingCalls are those that make sense only while the instance lives.
func livingCalls(r *rig, id string) map[string]error {
	errs := map[string]error{
		"Signal": r.Signal(r.ctx, id, syscall.SIGTERM), "Suspend": r.Suspend(r.ctx, id), "Resume": r.Resume(r.ctx, id),
	}
	_, errs["Attach"] = r.Attach(r.ctx, id, gpu.Size{Cols: 80, Rows: 24})
	_, errs["Exec"] = r.Exec(r.ctx, id, gpu.ExecRequest{Argv: []string{"true"}})
	return errs
}

func endedInstance(t *testing.T, r *rig) {
	was := r.run(gpu.Spec{Command: "exit 3"})
	for name, err := range livingCalls(r, r.id) {
		if !errors.Is(err, gpu.ErrNotRunning) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, err := r.Stop(r.ctx, r.id, time.Second)
	if err != nil || s.Exit != was.Exit || !s.EndedAt.Equal(was.EndedAt) {
		t.Errorf("Stop of what had ended: %+v, %v; it was %+v", s, err, was)
	}
	if u, err := r.Usage(r.ctx, r.id); err != nil || u.Pids != 0 || u.Memory != 0 {
		t.Errorf("Usage: %+v, %v", u, err)
	}
}

func signalReaches(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: `trap 'echo got it; exit 5' USR1; echo ready; while :; do sleep 0.05; done`})
	r.await("ready")
	if err := r.Signal(r.ctx, r.id, syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if s := r.wait(); s.Exit != (gpu.Exit{Code: 5}) {
		t.Errorf("exit %+v", s.Exit)
	}
	r.await("got it")
}

func suspendStops(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: `while :; do :; done`})
	cpu := func() time.Duration {
		u, err := r.Usage(r.ctx, r.id)
		if err != nil {
			t.Fatal(err)
		}
		return u.CPU
	}
	r.until("it works", func() bool { return cpu() > 20*time.Millisecond })
	for range 2 { // suspending what is suspended changes nothing
		if err := r.Suspend(r.ctx, r.id); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := r.State(r.ctx, r.id); err != nil || s.Phase != gpu.PhaseSuspended {
		t.Fatalf("%+v, %v", s, err)
	}
	before := cpu()
	if _, err := r.Exec(r.ctx, r.id, gpu.ExecRequest{Argv: []string{"true"}}); err == nil {
		t.Error("Exec in a suspended instance was accepted")
	}
	time.Sleep(200 * time.Millisecond) // time for what must not happen
	if after := cpu(); after-before > 5*time.Millisecond {
		t.Errorf("it used %v while suspended", after-before)
	}
	for range 2 {
		if err := r.Resume(r.ctx, r.id); err != nil {
			t.Fatal(err)
		}
	}
	r.until("it works again", func() bool { return cpu() > before+20*time.Millisecond })
	if err := r.Suspend(r.ctx, r.id); err != nil {
		t.Fatal(err)
	}
	if s, err := r.Stop(r.ctx, r.id, 10*time.Second); err != nil || s.Exit.Signal != "SIGTERM" {
		t.Errorf("Stop of what was suspended: %+v, %v", s, err)
	}
}

func listed(r *rig, x gpu.Executor) (gpu.State, bool) {
	r.t.Helper()
	all, err := x.List(r.ctx)
	if err != nil {
		r.t.Fatalf("List: %v", err)
	}
	for _, s := range all {
		if s.ID == r.id {
			return s, true
		}
	}
	return gpu.State{}, false
}

func adopt(t *testing.T, r *rig) {
	started := r.start(gpu.Spec{Command: `echo ready; read -r x < /dev/null; while :; do sleep 0.05; done`, GPUs: []string{"GPU-00000000-0000-0000-0000-000000000001"}})
	next := r.suite.open(t)
	s, ok := listed(r, next)
	if !ok || s.Phase != gpu.PhaseRunning || !s.StartedAt.Equal(started.StartedAt) || len(s.GPUs) != 1 {
		t.Fatalf("a new executor lists %+v (%v); it was started as %+v", s, ok, started)
	}
	if _, err := next.Stop(r.ctx, r.id, time.Second); err != nil {
		t.Fatal(err)
	}
	if s := r.wait(); s.Phase != gpu.PhaseExited {
		t.Errorf("the first executor does not see the end: %+v", s)
	}
}

func waitContext(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep 1000"})
	ctx, cancel := context.WithTimeout(r.ctx, 50*time.Millisecond)
	defer cancel()
	if s, err := r.Wait(ctx, r.id); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait: %+v, %v", s, err)
	}
}

func manyShort(t *testing.T, r *rig) {
	const rounds, atOnce = 3, 4
	for range rounds {
		ended := make(chan error, atOnce)
		for i := range atOnce {
			id := r.id + "-" + string(rune('a'+i))
			go func() {
				_, err := r.Start(r.ctx, gpu.Spec{ID: id, Command: strings.ReplaceAll("(setsid sleep MARK &) ; true", "MARK", r.mark)})
				if err == nil {
					_, err = r.Wait(r.ctx, id)
				}
				if err == nil {
					var left gpu.Residue
					if left, err = r.Clean(r.ctx, id); err == nil && !left.Clean() {
						t.Errorf("left of %s: %+v", id, left)
					}
				}
				ended <- errors.Join(err, r.Remove(r.ctx, id))
			}()
		}
		for range atOnce {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
	if found := runningWith(r.mark); len(found) > 0 {
		t.Errorf("processes %v live on", found)
	}
}

func startAgain(t *testing.T, r *rig) {
	first := r.run(gpu.Spec{Command: "echo one; echo kept > kept; exit 1"})
	second := r.run(gpu.Spec{Command: "echo two; cat kept"})
	if second.Exit.Code != 0 || !second.StartedAt.After(first.EndedAt) {
		t.Errorf("first %+v, then %+v", first, second)
	}
	if text, _ := r.log(0); text != "one\ntwo\nkept\n" {
		t.Errorf("log %q", text)
	}
}
