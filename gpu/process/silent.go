package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// errMute is why no answer of a shim is waited for.
var errMute = errors.New("it does not answer")

// mute reports whether an error is that a shim is there and does not answer.
func mute(err error) bool {
	return errors.Is(err, errMute) || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, syscall.EAGAIN) // its queue is full
}

// awaken lets a shim go on that was stopped by a signal: what is to end is best ended by it, which alone learns how the
// command ended.
func (e *Executor) awaken(id, dir string) error {
	s, err := e.look(id, dir)
	if err != nil || s.ended() || !s.Shim.halted() {
		return err
	}
	if err := syscall.Kill(s.Shim.PID, syscall.SIGCONT); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("letting the shim of %s go on: %w", id, err)
	}
	for waited := time.Duration(0); s.Shim.halted() && waited < endPatience; waited += lookPause {
		time.Sleep(lookPause)
	}
	return nil
}

// endSilent ends from outside what runs under a shim that does not answer: as the shim would, SIGTERM first and SIGKILL to
// what is left after the grace. How the command itself ended, nobody can tell then, and the exit says that.
func (e *Executor) endSilent(ctx context.Context, id, dir string, grace time.Duration) (gpu.State, error) {
	s, err := e.look(id, dir)
	if err != nil || s.ended() {
		return e.public(id, dir, s), err
	}
	var rec record
	if err := readJSON(dir, specFile, &rec); err != nil {
		return gpu.State{}, fmt.Errorf("instance %q: %w", id, err)
	}
	exit := gpu.Exit{Code: 128 + int(syscall.SIGTERM), Signal: "SIGTERM"}
	if !askFromOutside(ctx, rec, s, grace) {
		exit = gpu.Exit{Code: 128 + int(syscall.SIGKILL), Signal: "SIGKILL"}
	}
	if err := ctx.Err(); err != nil {
		return gpu.State{}, err
	}
	exit.Err = "its shim did not answer, so it was ended from outside, by " + exit.Signal + ", and how its command ended is not known"
	unlock, err := lockDir(dir) // nobody else is to find the shim dead and say that something killed it
	if err != nil {
		return gpu.State{}, err
	}
	defer unlock()
	seen := e.now()
	if err := syscall.Kill(s.Shim.PID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return gpu.State{}, fmt.Errorf("ending the shim of %s, which does not answer: %w", id, err)
	}
	for waited := time.Duration(0); s.Shim.alive() && waited < endPatience; waited += lookPause {
		time.Sleep(lookPause)
	}
	if s.Shim.alive() {
		return gpu.State{}, fmt.Errorf("the shim of %s, process %d, does not answer and can't be ended: the kernel keeps it", id, s.Shim.PID)
	}
	if err := readJSON(dir, stateFile, &s); err != nil {
		return gpu.State{}, fmt.Errorf("instance %q: %w", id, err)
	}
	if s.ended() { // it came to itself at the last moment
		return s.public(id, rec.Spec.GPUs), nil
	}
	s.LastProof = seen
	s, err = e.bury(dir, rec, s, exit)
	return s.public(id, rec.Spec.GPUs), err
}

// askFromOutside sends SIGTERM to all that runs in an instance and reports whether it has ended within the grace.
func askFromOutside(ctx context.Context, rec record, s state, grace time.Duration) bool {
	if grace <= 0 {
		return false
	}
	group := rec.group(s)
	if group.has("freezer") {
		_ = group.freeze(false) // what is frozen hears nothing
	}
	for waited := time.Duration(0); ; waited += lookPause {
		pids, err := inside(rec, s)
		if err == nil && len(pids) == 0 {
			return true
		}
		if waited >= grace || ctx.Err() != nil {
			return false
		}
		if waited == 0 {
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGTERM) // it may have ended just now
				if stat, ok := readStat(pid); ok && stat.terminal {
					_ = syscall.Kill(pid, syscall.SIGHUP) // a shell ignores SIGTERM while it is interactive
				}
			}
		}
		time.Sleep(lookPause)
	}
}

// inside returns all that runs in an instance, without its init, as it is seen from outside.
func inside(rec record, s state) ([]int, error) {
	if g := rec.group(s); g.any() {
		return g.work()
	}
	return descendants(s.Init.PID)
}
