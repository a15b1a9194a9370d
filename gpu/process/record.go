package process

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// The files of an instance's directory.
const (
	specFile      = "spec.json"
	stateFile     = "state.json"
	roomFile      = "state.room" // kept for the end's state, see keepRoom
	heartbeatFile = "heartbeat"
	socketFile    = "shim.sock"
	logFile       = "log"
	oldLogFile    = "log.1"
	logIndexFile  = "log.index"
	complaintFile = "shim.err" // what the shim itself had to say; empty unless it crashed
	homeDir       = "home"
	tmpDir        = "tmp"
	runDir        = "run" // what is /run/meterhouse inside
)

// record is an instance's order, from the executor to its shim.
type record struct {
	Spec   gpu.Spec
	Level  level
	UID    int // the instance's own user and group; 0: the console's
	Data   string
	Tools  []string
	Cgroup cgroupPlan
	Masked []string // device files that are covered

	Enclosure string          // what sets it apart in place of namespaces of our own; "": they do
	Enclosed  json.RawMessage // what that enclosure needs to know
}

// owns reports whether a user of this machine is one of the instance's.
func (r record) owns(uid int) bool {
	if r.Enclosure != "" {
		return uid/usersEach == r.UID/usersEach
	}
	return uid == r.UID
}

// plain reports whether nothing but their parentage and their environment tells the instance's processes from others.
func (r record) plain() bool { return r.Enclosure == "" && len(r.Cgroup.Parents) == 0 }

// group is the cgroup of an instance in state s: ours, or the one that its enclosure made.
func (r record) group(s state) group {
	switch {
	case s.Group != nil:
		return *s.Group
	case r.Enclosure != "":
		return group{}
	}
	return group{Plan: r.Cgroup, Name: r.Spec.ID}
}

// state is what the shim writes down. The executor reads it, and writes it only after the shim's death.
type state struct {
	Phase     gpu.Phase     `json:"phase"`
	Boot      string        `json:"boot"` // the boot in which Shim means something
	Shim      processID     `json:"shim"`
	Init      processID     `json:"init"`
	Group     *group        `json:"group,omitempty"` // where it is not one of ours
	StartedAt time.Time     `json:"started_at"`
	LastProof time.Time     `json:"last_proof"`
	EndedAt   time.Time     `json:"ended_at"`
	Exit      gpu.Exit      `json:"exit"`
	CPU       time.Duration `json:"cpu_ns"` // used in all, known at the end
}

func (s state) ended() bool { return s.Phase == gpu.PhaseExited || s.Phase == gpu.PhaseGone }

func (s state) public(id string, gpus []string) gpu.State {
	return gpu.State{ID: id, Phase: s.Phase, GPUs: gpus, StartedAt: s.StartedAt, LastProof: s.LastProof, EndedAt: s.EndedAt, Exit: s.Exit}
}

// writeJSON replaces a file in one step: a reader, or a machine that loses its power, sees the old or the new one.
func writeJSON(dir, name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, name), append(b, '\n'), 0o600)
}

// roomBytes is more than a state has.
const roomBytes = 4096

// keepRoom takes the room that writing down the end needs while there is any: a full disk is just when much ends, and must not
// keep it from being known.
func keepRoom(dir string) error {
	return replaceFile(filepath.Join(dir, roomFile), bytes.Repeat([]byte(" "), roomBytes), 0o600)
}

// writeLast is writeJSON of the state that says how it ended, into the room that was kept for it if that is still there.
func writeLast(dir string, s state) error {
	if writeIntoRoom(dir, s) == nil {
		return nil
	}
	return writeJSON(dir, stateFile, s)
}

func writeIntoRoom(dir string, s state) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	room := filepath.Join(dir, roomFile)
	f, err := os.OpenFile(room, os.O_WRONLY, 0) // not truncated: that would give the room away
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%-*s", roomBytes, b)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(room, filepath.Join(dir, stateFile))
}

func replaceFile(path string, b []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path+".new"))
	}
	return nil
}

func readJSON(dir, name string, v any) error {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
	}
	return nil
}

// lockDir keeps two consoles from starting, mourning or removing one instance at once. The lock lies on the directory
// itself and goes with the process that holds it.
func lockDir(dir string) (unlock func(), err error) {
	f, err := lockFile(dir)
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// lockFile is lockDir for who passes the lock on: it goes when the last who has the file closes it.
func lockFile(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", dir, err), f.Close())
	}
	return f, nil
}
