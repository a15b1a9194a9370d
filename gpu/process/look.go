package process

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// State returns what is known now. It finds out about a killed shim, ends what that left, and writes it down.
func (e *Executor) State(ctx context.Context, id string) (gpu.State, error) {
	dir, err := e.known(id)
	if err != nil {
		return gpu.State{}, err
	}
	s, err := e.look(id, dir)
	if err != nil {
		return gpu.State{}, err
	}
	return e.public(id, dir, s), nil
}

// List returns every instance with a record. One whose record can't be read is PhaseUnknown and hides none of the others.
func (e *Executor) List(ctx context.Context) ([]gpu.State, error) {
	entries, err := os.ReadDir(filepath.Join(e.dir, "instances"))
	if err != nil {
		return nil, fmt.Errorf("listing instances: %w", err)
	}
	var all []gpu.State
	for _, entry := range entries {
		s, err := e.State(ctx, entry.Name())
		switch {
		case errors.Is(err, gpu.ErrNoInstance):
		case err != nil:
			all = append(all, e.broken(entry.Name(), err))
		default:
			all = append(all, s)
		}
	}
	return all, nil
}

// broken is the state of an instance whose record can't be read, with the GPUs that its order named if that is readable.
func (e *Executor) broken(id string, why error) gpu.State {
	var rec record
	_ = readJSON(filepath.Join(e.dir, "instances", id), specFile, &rec) // why says it already
	return gpu.State{ID: id, Phase: gpu.PhaseUnknown, GPUs: rec.Spec.GPUs, Exit: gpu.Exit{Err: why.Error()}}
}

// Wait returns when the instance has ended.
func (e *Executor) Wait(ctx context.Context, id string) (gpu.State, error) {
	for {
		s, err := e.State(ctx, id)
		if err != nil || s.Phase == gpu.PhaseExited || s.Phase == gpu.PhaseGone {
			return s, err
		}
		if err := ctx.Err(); err != nil {
			return s, err
		}
		// An answer, a refusal and a broken connection all mean: look again.
		if err := e.ask(ctx, id, request{Verb: "wait"}); err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(lookPause):
			}
		}
	}
}

func (e *Executor) public(id, dir string, s state) gpu.State {
	var rec record
	_ = readJSON(dir, specFile, &rec) // removed at this moment: the state is still right
	if !s.ended() {
		s.LastProof = e.now()
	}
	return s.public(id, rec.Spec.GPUs)
}

// look reads the state and checks that the shim that wrote it lives.
func (e *Executor) look(id, dir string) (state, error) {
	var s state
	err := readJSON(dir, stateFile, &s)
	if err == nil && (s.ended() || s.Boot == bootID() && s.Shim.alive()) {
		s.Shim.reap()
		return s, nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return state{}, fmt.Errorf("instance %q: %w", id, err)
	}
	unlock, err := lockDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return state{}, fmt.Errorf("instance %q: %w", id, gpu.ErrNoInstance)
	}
	if err != nil {
		return state{}, err
	}
	defer unlock()
	return e.lookLocked(id, dir)
}

// lookLocked is look for whoever holds the instance's lock, so that nobody else is starting it or mourning its shim.
func (e *Executor) lookLocked(id, dir string) (state, error) {
	var s state
	var rec record
	if err := readJSON(dir, specFile, &rec); errors.Is(err, os.ErrNotExist) {
		return s, fmt.Errorf("instance %q: %w", id, gpu.ErrNoInstance)
	} else if err != nil {
		return s, fmt.Errorf("instance %q: %w", id, err)
	}
	err := readJSON(dir, stateFile, &s)
	if errors.Is(err, os.ErrNotExist) {
		// A console was killed while it started this one: the shim could tell nobody that it was ready, and has given up. Or
		// the state was deleted under a living one: then nothing tells of it any more, and what it runs is ended.
		if err := endAll(rec, s); err != nil {
			return s, err
		}
		return s, errors.Join(fmt.Errorf("instance %q: %w", id, gpu.ErrNoInstance), e.undo(dir, gpu.Spec{ID: id}, false))
	}
	if err != nil {
		return s, fmt.Errorf("instance %q: %w", id, err)
	}
	if s.ended() || s.Boot == bootID() && s.Shim.alive() {
		return s, nil
	}
	return e.mourn(dir, rec, s)
}

// mourn ends what a dead shim left and writes down what is known: until when there is proof that it lived.
func (e *Executor) mourn(dir string, rec record, s state) (state, error) {
	s.LastProof = s.StartedAt
	if st, err := os.Stat(filepath.Join(dir, heartbeatFile)); err == nil && st.ModTime().After(s.LastProof) {
		s.LastProof = st.ModTime()
	}
	if s.Boot == bootID() {
		return e.bury(dir, rec, s, gpu.Exit{Code: 137, Signal: "SIGKILL", Err: "its shim was killed, and what it ran was ended with it"})
	}
	s.Shim.reap()
	s.Phase, s.Exit = gpu.PhaseGone, gpu.Exit{Err: "the machine went down while it ran"}
	_ = e.discard(context.Background(), rec, s) // what stays is named by Clean
	return s, writeEnd(dir, s)
}

// bury ends what a dead shim of this boot left, and writes down that it lived until its last proof and how it ended.
func (e *Executor) bury(dir string, rec record, s state, exit gpu.Exit) (state, error) {
	s.Shim.reap()
	if u, err := rec.group(s).measure(s.Init.PID); err == nil {
		s.CPU = u.CPU
	}
	if err := endAll(rec, s); err != nil {
		return s, err
	}
	for i := 0; s.Init.alive() && i < 100; i++ {
		time.Sleep(lookPause)
	}
	if s.Init.alive() {
		_ = syscall.Kill(s.Init.PID, syscall.SIGKILL)
	}
	_ = e.discard(context.Background(), rec, s) // what stays is named by Clean
	s.Phase, s.EndedAt, s.Exit = gpu.PhaseExited, s.LastProof, exit
	return s, writeEnd(dir, s)
}

func writeEnd(dir string, s state) error {
	return errors.Join(writeLast(dir, s), ignoreMissing(os.Remove(filepath.Join(dir, socketFile))))
}

// endAll ends the processes of an instance that no shim looks after.
func endAll(rec record, s state) error {
	id := rec.Spec.ID
	left, err := rec.group(s).kill(endPatience)
	if err == nil && rec.plain() {
		left, err = killMarked(id)
	}
	if err != nil {
		return fmt.Errorf("ending what instance %s left: %w", id, err)
	}
	if len(left) > 0 {
		return fmt.Errorf("instance %s has no shim and its processes %v can't be ended", id, left)
	}
	return nil
}

// hash spreads data directories over the ranges of users.
func hash(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s)) // never fails, as hash.Hash promises
	return h.Sum32()
}
