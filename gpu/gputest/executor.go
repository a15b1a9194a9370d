package gputest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// longWait bounds every wait of the suite; it is only reached where something hangs.
const longWait = 2 * time.Minute

// executorSuite opens the executors under test. All that open returns must look at the same instances, as two consoles on one
// data directory do, one after the other.
type executorSuite struct {
	open     func(t *testing.T) gpu.Executor
	attacker string   // the program of package attacker
	data     []string // directories that are the console's alone
}

var instances atomic.Int64

// Executor is the suite that each implementation of gpu.Executor passes. Commands need a POSIX shell, coreutils' or busybox's
// dd, head, seq, tr, stty and setsid. What the machine can't enforce, as Limits says, is skipped with that reason.
// data names the directories in which the executor keeps its instances.
func Executor(t *testing.T, open func(t *testing.T) gpu.Executor, data ...string) {
	s := executorSuite{open: open, attacker: buildAttacker(t), data: data}
	t.Setenv("METERHOUSE_TOKEN", secret) // must not be seen by any instance
	t.Setenv("ANOTHER_OF_THE_CONSOLE", secret)
	leaks := watchLeaks(t)
	t.Run("suite", func(t *testing.T) {
		for _, group := range []map[string]func(*testing.T, *rig){
			lifeTests, endTests, limitTests, terminalTests, logTests, execTests, ttyTests, noticeTests, mountTests,
		} {
			for name, test := range group {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(t, s.rig(t))
				})
			}
		}
		t.Run("Attacks", func(t *testing.T) {
			t.Parallel()
			for name, test := range attackTests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(t, s.rig(t))
				})
			}
		})
	})
	leaks()
}

// secret is in the environment of the executor while the suite runs.
const secret = "secret-of-the-console-4711"

// rig is what one test works with: an executor and an id that nobody else uses.
type rig struct {
	gpu.Executor
	t     *testing.T
	suite executorSuite
	id    string
	mark  string // how long a process sleeps that the test wants to find among all of the machine
	ctx   context.Context
}

func (s executorSuite) rig(t *testing.T) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), longWait)
	n := instances.Add(1)
	r := &rig{
		Executor: s.open(t), t: t, suite: s, ctx: ctx,
		id:   fmt.Sprintf("suite-%d-%d", os.Getpid(), n),
		mark: fmt.Sprint(10_000_000 + int64(os.Getpid())*1000 + n),
	}
	t.Cleanup(func() {
		cancel()
		r.ctx, cancel = context.WithTimeout(context.Background(), longWait)
		defer cancel()
		r.end(r.id)
	})
	return r
}

// end stops and removes an instance and demands that nothing of it is left.
func (r *rig) end(id string) {
	r.t.Helper()
	if _, err := r.Stop(r.ctx, id, 0); errors.Is(err, gpu.ErrNoInstance) {
		return
	} else if err != nil {
		r.t.Errorf("stopping %s: %v", id, err)
	}
	if left, err := r.Clean(r.ctx, id); err != nil || !left.Clean() {
		r.t.Errorf("left of %s: %+v, %v", id, left, err)
	}
	if err := r.Remove(r.ctx, id); err != nil {
		r.t.Errorf("removing %s: %v", id, err)
	}
	if _, err := r.State(r.ctx, id); !errors.Is(err, gpu.ErrNoInstance) {
		r.t.Errorf("after Remove, State of %s says %v", id, err)
	}
}

// start starts an instance with the rig's id.
func (r *rig) start(spec gpu.Spec) gpu.State {
	r.t.Helper()
	spec.ID = r.id
	s, err := r.Start(r.ctx, spec)
	if err != nil {
		r.t.Fatalf("Start: %v", err)
	}
	return s
}

// beside starts a second instance, waits until it says ready, and ends it with the test.
func (r *rig) beside(spec gpu.Spec) (id string) {
	r.t.Helper()
	other := *r
	other.id = r.id + "-beside"
	r.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), longWait)
		defer cancel()
		other.ctx = ctx
		other.end(other.id)
	})
	other.start(spec)
	other.await("ready")
	return other.id
}

// run starts a command and waits for its end.
func (r *rig) run(spec gpu.Spec) gpu.State {
	r.t.Helper()
	r.start(spec)
	return r.wait()
}

func (r *rig) wait() gpu.State {
	r.t.Helper()
	s, err := r.Wait(r.ctx, r.id)
	if err != nil {
		r.t.Fatalf("Wait: %v", err)
	}
	return s
}

// log returns all that the log has from offset on.
func (r *rig) log(offset int64) (text string, at int64) {
	r.t.Helper()
	f, at, err := r.Log(r.ctx, r.id, offset, false)
	if err != nil {
		r.t.Fatalf("Log: %v", err)
	}
	b, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		r.t.Fatalf("reading the log: %v", err)
	}
	return string(b), at
}

// await waits until the log has a text.
func (r *rig) await(text string) {
	r.t.Helper()
	r.until("the log has "+text, func() bool { got, _ := r.log(0); return strings.Contains(got, text) })
}

// until waits for a condition.
func (r *rig) until(what string, is func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(longWait); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("waited %v for: %s", longWait, what)
		}
	}
}

// need skips the test where the machine does not enforce a limit.
func (r *rig) need(limit string) {
	r.t.Helper()
	for _, l := range r.Limits(r.ctx) {
		if l.Name == limit {
			if !l.Enforced {
				r.t.Skipf("%s is not enforced here: %s", limit, l.Detail)
			}
			return
		}
	}
	r.t.Fatalf("Limits says nothing of %s", limit)
}

// watchLeaks demands that as many goroutines and files are open after the suite as before.
func watchLeaks(t *testing.T) (check func()) {
	t.Helper()
	// The first use of the runtime's poller opens files that stay.
	if r, w, err := os.Pipe(); err == nil {
		_ = errors.Join(r.Close(), w.Close())
	}
	goroutines, files := runtime.NumGoroutine(), openFiles()
	return func() {
		t.Helper()
		for range 300 {
			if runtime.NumGoroutine() <= goroutines && openFiles() <= files {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		t.Errorf("%d goroutines and %d files before, %d and %d after\n%s", goroutines, files, runtime.NumGoroutine(), openFiles(), stacks)
	}
}

func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

// runningWith returns the processes of this machine with a text in their command line: a view that no executor can colour.
func runningWith(text string) []string {
	var found []string
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		line, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		words := bytes.Split(line, []byte{0})
		if err == nil && len(words) > 1 && string(words[1]) == text {
			found = append(found, e.Name())
		}
	}
	return found
}
