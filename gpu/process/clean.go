package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// Usage returns what the instance's processes use; after the end, the CPU time that they have used in all.
func (e *Executor) Usage(ctx context.Context, id string) (gpu.Usage, error) {
	dir, err := e.known(id)
	if err != nil {
		return gpu.Usage{}, err
	}
	s, err := e.look(id, dir)
	if err != nil || s.ended() {
		return gpu.Usage{CPU: s.CPU}, err
	}
	var rec record
	if err := readJSON(dir, specFile, &rec); err != nil {
		return gpu.Usage{}, err
	}
	u, err := rec.group(s).measure(s.Init.PID)
	// Its group is gone before its state says that it has ended.
	for i := 0; errors.Is(err, os.ErrNotExist) && i < 500; i++ {
		if s, lookErr := e.look(id, dir); lookErr != nil || s.ended() {
			return gpu.Usage{CPU: s.CPU}, lookErr
		}
		time.Sleep(lookPause)
	}
	if err != nil {
		return u, fmt.Errorf("usage of %s: %w", id, err)
	}
	return u, nil
}

// dyingPatience is how long a process that was killed may still show in /proc: on a busy machine it may not get to run its
// own end at once. What stays longer is left over.
const dyingPatience = 500 * time.Millisecond

// PIDs returns who runs in the instance.
func (e *Executor) PIDs(ctx context.Context, id string) ([]int, error) {
	dir, err := e.known(id)
	if err != nil {
		return nil, err
	}
	s, err := e.look(id, dir)
	if err != nil || s.ended() {
		return nil, err
	}
	var rec record
	if err := readJSON(dir, specFile, &rec); err != nil {
		return nil, err
	}
	return leftOver(rec, s)
}

// Clean looks for processes by cgroup, by user and by parentage, for mounts, and for cgroups.
func (e *Executor) Clean(ctx context.Context, id string) (gpu.Residue, error) {
	var r gpu.Residue
	dir, err := e.known(id)
	if err != nil {
		return r, err
	}
	s, err := e.look(id, dir)
	if err != nil {
		return r, err
	}
	var rec record
	if err := readJSON(dir, specFile, &rec); err != nil {
		return r, err
	}
	for end := time.Now().Add(dyingPatience); ; time.Sleep(lookPause) {
		if r.PIDs, err = leftOver(rec, s); err != nil {
			return r, fmt.Errorf("looking for processes of %s: %w", id, err)
		}
		if len(r.PIDs) == 0 || time.Now().After(end) {
			break
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return r, err
	}
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 4 && within(unescapeMount(f[4]), dir) {
			r.Mounts = append(r.Mounts, unescapeMount(f[4]))
		}
	}
	if rec.Enclosure != "" {
		if r.Notes, err = e.clearAway(ctx, rec, s); err != nil {
			return r, err
		}
	}
	for _, d := range rec.group(s).dirs() {
		if _, err := os.Stat(d); err == nil {
			r.Notes = append(r.Notes, "the cgroup "+d+" is still there")
		}
	}
	return r, nil
}

func within(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

func leftOver(rec record, s state) ([]int, error) {
	pids, err := rec.group(s).everyone()
	if err != nil {
		return nil, err
	}
	if s.Boot == bootID() && s.Init.alive() {
		below, err := descendants(s.Init.PID)
		if err != nil {
			return nil, err
		}
		pids = append(append(pids, s.Init.PID), below...)
	}
	if rec.plain() {
		marked, err := markedProcesses(rec.Spec.ID)
		if err != nil {
			return nil, err
		}
		pids = append(pids, marked...)
	}
	if rec.UID != 0 {
		all, err := allProcesses()
		if err != nil {
			return nil, err
		}
		for pid, st := range all {
			if st.state != 'Z' && rec.owns(owner(pid)) {
				pids = append(pids, pid)
			}
		}
	}
	slices.Sort(pids)
	return slices.Compact(pids), nil
}

// markedProcesses finds an instance's processes by the INSTANCE_ID that they were started with, where nothing better is there.
func markedProcesses(id string) ([]int, error) {
	all, err := allProcesses()
	if err != nil {
		return nil, err
	}
	var pids []int
	for pid, s := range all {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err == nil && s.state != 'Z' && strings.Contains("\x00"+string(b), "\x00INSTANCE_ID="+id+"\x00") {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

func killMarked(id string) ([]int, error) {
	for i := 0; ; i++ {
		pids, err := markedProcesses(id)
		if err != nil || len(pids) == 0 || i == 200 {
			return pids, err
		}
		for _, pid := range pids {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return pids, err
			}
		}
		time.Sleep(lookPause)
	}
}

// Remove forgets an ended instance. Its home and log stay.
func (e *Executor) Remove(ctx context.Context, id string) error {
	dir, err := e.known(id)
	if err != nil {
		return err
	}
	unlock, err := lockDir(dir)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := e.lookLocked(id, dir)
	if err != nil {
		return err
	}
	if !s.ended() {
		return fmt.Errorf("instance %q still runs: stop it first", id)
	}
	var rec record
	if err := readJSON(dir, specFile, &rec); err != nil {
		return err
	}
	e.machine(ctx)
	for i := 0; s.Shim.alive() && i < 100; i++ { // it is only deleting /tmp, but still sits in the shims' cgroup
		time.Sleep(lookPause)
	}
	s.Shim.reap()
	if err := errors.Join(e.discard(ctx, rec, s), e.forget(dir)); err != nil {
		return fmt.Errorf("removing %s: %w", filepath.Base(dir), err)
	}
	return nil
}
