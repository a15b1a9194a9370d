// Package process is the Executor that needs nothing but Linux: each instance runs under a small detached shim of the same
// binary, in its own cgroup, and in its own namespaces and under its own user where the machine allows that. It may import
// gpu, the standard library and golang.org/x/sys. Its rule: what runs is owned by exactly one shim, the truth lies on disk
// beside it, and the console holds nothing that a restart could lose.
//
// Everything about an instance lies in <Dir>/instances/<id>: spec.json (its order), state.json (written by the shim), state.room,
// heartbeat (touched each second), shim.sock (PROTOCOL.md), log, log.1 and log.index (its output), tmp and home.
//
// Inside, home is /home/work on an otherwise empty /home, tmp is /tmp, the console's data is not there, and the device files
// of GPUs that were not granted can't be opened. Where the machine allows less, Limits says so and the work runs all the same.
package process

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// Config is what the executor needs to know.
type Config struct {
	Dir    string           // the data directory; instances lie in Dir/instances and see none of it but their own home
	Binary string           // the binary that has the shim verb; "": the one that runs
	Tools  []string         // programs, by absolute path, that every instance finds in its PATH
	Now    func() time.Time // nil: the machine's clock
	// Images starts what asks for an image; nil: that is refused.
	Images Enclosure
}

// Executor runs instances as processes of this machine. It keeps no state: any number of them may look at one directory.
type Executor struct {
	dir    string
	binary string
	tools  []string
	now    func() time.Time
	// enclosure takes instances that start from an image; nil: there is none
	enclosure Enclosure
	mask      []string // device files to cover besides those of GPUs that are not granted
	// silence is how long a shim may not answer; tests don't wait for it.
	silence time.Duration

	probe sync.Once
	level level
	why   string // why level is not the best there is
	plan  cgroupPlan
}

var _ gpu.Executor = (*Executor)(nil)

// New makes the directory where it is missing; it starts nothing and adopts nothing: List does.
func New(c Config) (*Executor, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("data directory %q: %w", c.Dir, err)
	}
	if dir, err = resolve(dir); err != nil {
		return nil, fmt.Errorf("data directory %q: %w", c.Dir, err)
	}
	if c.Binary == "" {
		if c.Binary, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("finding this program's own file: %w", err)
		}
	}
	for _, t := range c.Tools {
		if st, err := os.Stat(t); err != nil || !filepath.IsAbs(t) || !st.Mode().IsRegular() {
			return nil, fmt.Errorf("the tool %q is no program: its absolute path is needed", t)
		}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Executor{dir: dir, binary: c.Binary, tools: c.Tools, now: c.Now, enclosure: c.Images, silence: silence}, nil
}

// resolve makes dir/instances and returns dir without symbolic links: what is hidden from instances is the real place.
func resolve(dir string) (string, error) {
	if err := os.MkdirAll(filepath.Join(dir, "instances"), 0o700); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// Name returns "process".
func (e *Executor) Name() string { return "process" }

var validID = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)

// path returns the instance's directory; an id that can't be one is an unknown instance, never a path elsewhere.
func (e *Executor) path(id string) (string, error) {
	if !validID.MatchString(id) {
		return "", fmt.Errorf("instance %q: %w", id, gpu.ErrNoInstance)
	}
	return filepath.Join(e.dir, "instances", id), nil
}

// known returns the directory of an instance that has a record. One that has lost its order is not unknown while its shim
// lives: its GPUs are in use.
func (e *Executor) known(id string) (string, error) {
	dir, err := e.path(id)
	if err != nil {
		return "", err
	}
	_, err = os.Stat(filepath.Join(dir, specFile))
	switch {
	case err == nil:
		return dir, nil
	case !os.IsNotExist(err):
		return "", fmt.Errorf("instance %q: %w", id, err)
	}
	var s state
	if readJSON(dir, stateFile, &s) == nil && !s.ended() && s.Boot == bootID() && s.Shim.alive() {
		return "", fmt.Errorf("instance %q runs under process %d and its %s is lost: end that process by hand", id, s.Shim.PID, filepath.Join(dir, specFile))
	}
	return "", fmt.Errorf("instance %q: %w", id, gpu.ErrNoInstance)
}

// machine finds out, once, what this machine allows.
func (e *Executor) machine(ctx context.Context) {
	e.probe.Do(func() {
		e.level, e.why = probeLevel(context.WithoutCancel(ctx), e.binary) // it has a limit of its own, and its result stays
		e.plan = detectCgroups()
	})
}
