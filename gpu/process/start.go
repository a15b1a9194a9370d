package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// startPatience bounds how long an instance may take to exist; on a machine that is not overloaded it is under 0.1 s.
const startPatience = 30 * time.Second

// Start starts an instance, or one again that has ended: its home and log stay. When the program itself can't be started,
// the State beside the error says so in its Exit.
func (e *Executor) Start(ctx context.Context, spec gpu.Spec) (gpu.State, error) {
	dir, err := e.path(spec.ID)
	if err != nil {
		return gpu.State{}, fmt.Errorf("an instance's id is 1 to 40 of a-z, 0-9 and -, not %q", spec.ID)
	}
	if err := e.check(spec); err != nil {
		return gpu.State{}, err
	}
	e.machine(ctx)
	err = os.Mkdir(dir, 0o700)
	fresh := err == nil
	if err != nil && !errors.Is(err, os.ErrExist) {
		return gpu.State{}, fmt.Errorf("making the instance's directory: %w", err)
	}
	lock, err := lockFile(dir)
	if err != nil {
		return gpu.State{}, err
	}
	defer func() { _ = lock.Close() }()
	var was state
	if _, err = e.known(spec.ID); err == nil {
		was, err = e.lookLocked(spec.ID, dir)
	}
	switch {
	case err == nil && !was.ended():
		return e.public(spec.ID, dir, was), nil
	case err != nil && !errors.Is(err, gpu.ErrNoInstance):
		return gpu.State{}, fmt.Errorf("what was started before may still run: %w", err)
	}
	st, err := e.begin(ctx, dir, lock, spec)
	if err != nil {
		err = errors.Join(err, e.undo(dir, spec, fresh))
		return gpu.State{ID: spec.ID, Phase: gpu.PhaseExited, EndedAt: e.now(), Exit: gpu.Exit{Err: err.Error()}}, err
	}
	return st.public(spec.ID, spec.GPUs), nil
}

// check refuses what can't be meant, before anything is made.
func (e *Executor) check(s gpu.Spec) error {
	if s.CPUMillis < 0 || s.MemoryBytes < 0 || s.Pids < 0 || s.DiskBytes < 0 || s.LogBytes < 0 {
		return errors.New("a limit is not negative; 0 means none")
	}
	if s.Image != "" && e.enclosure == nil {
		return fmt.Errorf("image %q: instances run on the machine's own files, there are no images here: leave it empty", s.Image)
	}
	if len(s.Argv) > 0 && !filepath.IsAbs(s.Argv[0]) {
		return fmt.Errorf("the program %q is no absolute path", s.Argv[0])
	}
	if strings.ContainsRune(s.Command+strings.Join(s.Argv, ""), 0) {
		return errors.New("a command has no NUL character")
	}
	return nil
}

func (e *Executor) begin(ctx context.Context, dir string, lock *os.File, spec gpu.Spec) (state, error) {
	rec := record{Spec: spec, Level: e.level, Data: e.dir, Tools: e.tools, Cgroup: e.plan, Masked: slices.Clone(e.mask)}
	for _, r := range gpuDevices("/dev", "/proc", spec.GPUs) {
		if !r.allow {
			rec.Masked = append(rec.Masked, r.path)
		}
	}
	var err error
	if spec.Image == "" && e.level == levelRoot {
		_ = e.guardEgress() // what can't be refused here is said by Limits
	}
	if spec.Image != "" {
		rec.Enclosure = e.enclosure.Name()
		if rec.Enclosed, err = e.enclosure.Plan(ctx, spec); err != nil {
			return state{}, err
		}
	}
	if rec.UID, err = e.settle(dir, rec); err != nil {
		return state{}, err
	}
	if err := e.present(dir, &rec); err != nil {
		return state{}, err
	}
	if err := errors.Join(ignoreMissing(os.Remove(filepath.Join(dir, stateFile))), writeJSON(dir, specFile, rec)); err != nil {
		return state{}, err
	}
	return e.launch(ctx, dir, lock)
}

// launch starts the shim and hears its answer: first who the shim is, then that the instance runs, or why not. The shim shares
// the lock until then: where this console is killed, the next one waits for the shim that is starting, and starts no second.
func (e *Executor) launch(ctx context.Context, dir string, lock *os.File) (state, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return state{}, err
	}
	defer func() { _ = r.Close() }()
	complaints, err := os.OpenFile(filepath.Join(dir, complaintFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return state{}, errors.Join(err, w.Close())
	}
	// The shell ends at once, so that the shim is nobody's child: its end is not the console's to collect.
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", `"$0" "$@" &`, e.binary, "shim", "--dir", dir)
	cmd.Env = []string{}
	cmd.Stderr = complaints
	cmd.ExtraFiles = []*os.File{w, lock}
	err = cmd.Run()
	if err = errors.Join(err, w.Close(), complaints.Close()); err != nil {
		return state{}, fmt.Errorf("starting the shim: %w", errors.Join(err, complaint(dir)))
	}
	stop := context.AfterFunc(ctx, func() { _ = r.SetReadDeadline(e.now()) })
	defer stop()
	if err := r.SetReadDeadline(e.now().Add(startPatience)); err != nil {
		return state{}, err
	}
	var hello, answer reply
	answers := json.NewDecoder(r)
	if err = answers.Decode(&hello); err == nil {
		err = answers.Decode(&answer)
	}
	switch {
	case err == nil && answer.Error == "":
		return answer.State, nil
	case err == nil:
		err = errors.New(answer.Error)
	case errors.Is(err, io.EOF):
		err = errors.Join(errors.New("the shim ended while it was starting"), complaint(dir))
	case ctx.Err() != nil:
		err = ctx.Err()
	}
	e.endShim(hello.State)
	return state{}, err
}

// endShim waits for a shim that is giving up, or ends it.
func (e *Executor) endShim(s state) {
	for i := 0; s.Shim.alive(); i++ {
		if i == 300 {
			_ = syscall.Kill(s.Shim.PID, syscall.SIGKILL)
		}
		time.Sleep(lookPause)
	}
}

func complaint(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, complaintFile))
	if err != nil || len(b) == 0 {
		return err
	}
	return errors.New(strings.TrimSpace(string(b[:min(len(b), 2000)])))
}

// undo removes what a failed start has left. Processes that can't be ended keep their record, so that Clean goes on naming them.
func (e *Executor) undo(dir string, spec gpu.Spec, fresh bool) error {
	left, err := e.plan.kill(spec.ID, endPatience, 0)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("processes %v of the failed start can't be ended", left)
	}
	err = errors.Join(e.plan.remove(spec.ID), withdraw(dir), e.forget(dir))
	if fresh && spec.HomeOf != "" {
		if back := e.giveBack(dir, spec.HomeOf); back != nil {
			return errors.Join(err, back) // and nothing of it is lost
		}
	}
	if fresh {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// forget deletes all of an instance's directory but its home and log.
func (e *Executor) forget(dir string) error {
	var errs []error
	for _, f := range []string{stateFile, roomFile, heartbeatFile, socketFile, complaintFile, "passwd", "group", specFile} {
		errs = append(errs, ignoreMissing(os.Remove(filepath.Join(dir, f))))
	}
	errs = append(errs, os.RemoveAll(filepath.Join(dir, runDir)))
	old, err := filepath.Glob(filepath.Join(dir, tmpDir+"*"))
	errs = append(errs, err)
	for _, t := range old {
		errs = append(errs, os.RemoveAll(t))
	}
	if !e.plan.V2 {
		e.plan.tidy()
	}
	return errors.Join(errs...)
}
