package gpu

import (
	"errors"
	"fmt"
)

var (
	// ErrNoInstance: the executor knows no instance of that id.
	ErrNoInstance = errors.New("no such instance on this node")
	// ErrNotRunning: the instance has ended.
	ErrNotRunning = errors.New("the instance is not running")
	// ErrNotItsPort: no process of the instance listens there.
	ErrNotItsPort = errors.New("no process of the instance listens there")
	// ErrNoDevice: the source knows no device of that UUID.
	ErrNoDevice = errors.New("no such GPU on this node")
	// ErrUnreachable: the node can't be asked. What runs there may run or have ended: unknown, never "ended" or "empty".
	ErrUnreachable = errors.New("the node can't be reached")
	// ErrClosed: the source was closed.
	ErrClosed = errors.New("the source of GPU readings is closed")
)

// NotStarted is a program that an instance could not start for a reason that lies with the program, and that its person can
// mend. An executor on another machine passes it on as it is.
type NotStarted struct {
	Program string      `json:"program"`
	Why     StartReason `json:"why"`
}

// StartReason is why a program could not be started.
type StartReason string

const (
	ProgramNotInPath     StartReason = "not_in_path"    // no file of that name that can be executed
	ProgramMissing       StartReason = "missing"        // nor is the interpreter that its first line may name
	ProgramNotExecutable StartReason = "not_executable" // by the instance's user
	ProgramForeign       StartReason = "foreign"        // made for another kind of machine, or no program at all
	TooManyProcesses     StartReason = "too_many_processes"
)

func (e *NotStarted) Error() string {
	switch e.Why {
	case ProgramNotInPath:
		return fmt.Sprintf("there is no program %q in the instance's PATH", e.Program)
	case ProgramMissing:
		return e.Program + " can't be started: it, or the interpreter that its first line names, is not here"
	case ProgramNotExecutable:
		return e.Program + " can't be started: it may not be executed by the instance's user"
	case ProgramForeign:
		return e.Program + " can't be started: it is no program for this machine"
	case TooManyProcesses:
		return e.Program + " can't be started: the instance's limit of processes is reached"
	}
	return e.Program + " can't be started"
}
