package gpu

import (
	"context"
	"io"
	"net"
	"syscall"
	"time"
)

// Spec is what an Executor needs to run an instance. Limits of 0 mean "none asked".
type Spec struct {
	ID          string   // of the instance; [a-z0-9-]{1,40}, also a directory's and a cgroup's name
	Name        string   // the person's name for it; shown as the host name where namespaces allow
	Image       string   // "" for the machine's own files
	Command     string   // run by /bin/sh -c; "" for an instance that is only worked in by terminal
	Argv        []string // used instead of Command where not empty (benchmarks); Argv[0] is an absolute path
	Env         []string // KEY=value
	GPUs        []string // UUIDs granted; empty: every GPU is hidden
	CPUMillis   int64    // thousandths of a core
	MemoryBytes int64
	Pids        int64
	DiskBytes   int64
	HomeOf      string // the ended instance whose home it goes on with, which that then has no more; "": a home of its own
	LogBytes    int64  // the log is rotated so that it never takes more; 0: DefaultLogBytes
	Mounts      []Mount
}

// Mount is a directory of the node that an instance finds at a place of its own. It is no part of the instance: nothing that
// happens to the instance deletes it.
type Mount struct {
	Source   string // absolute, on the node
	Target   string // absolute, in the instance
	ReadOnly bool
}

// DefaultLogBytes is what an instance's log may take on disk, old and new part together.
const DefaultLogBytes = 16 << 20

// NoticeFile is where an instance finds that it is being reclaimed.
const NoticeFile = "/run/meterhouse/notice.json"

// Phase is where an instance's processes stand, as its Executor sees it.
type Phase string

const (
	PhaseRunning   Phase = "running"   // started, and its command (if any) has not ended
	PhaseSuspended Phase = "suspended" // frozen
	PhaseExited    Phase = "exited"    // its command ended or it was stopped; Exit says how
	PhaseGone      Phase = "gone"      // nothing runs and nothing says how it ended: the machine went down
	PhaseUnknown   Phase = "unknown"   // its record is broken: it may run or not, and Exit.Err says what is wrong
)

// Exit is how an instance's command ended.
type Exit struct {
	Code   int    // exit status; 128+n after signal n
	Signal string // "" if it ended by itself
	OOM    bool   // the memory limit killed it
	Err    string // why it never started, in words for people
}

// State is what an Executor knows about one instance.
type State struct {
	ID        string
	Phase     Phase
	Node      string    // where it was placed; "" for this machine
	GPUs      []string  // what it was given: an executor with a scheduler of its own answers here
	StartedAt time.Time // its processes exist since then
	LastProof time.Time // last moment at which it is known to have lived
	EndedAt   time.Time // zero while it lives
	Exit      Exit
}

// Usage is what an instance's processes have used, from its cgroup.
type Usage struct {
	CPU    time.Duration // since it started
	Memory int64         // bytes now
	Pids   int64
}

// Limit says whether this machine can enforce one limit, and why not. The doctor and the instance page show it.
type Limit struct {
	Name     string // "cpu", "memory", "pids", "disk", "devices", "namespaces", "user", "sockets", "egress"
	Enforced bool
	Detail   string // how, or why not and what to do
}

// Residue is what was found of an instance after its end; empty is the proof that its GPUs can be offered again.
type Residue struct {
	PIDs   []int
	Mounts []string
	Notes  []string // anything else, in words
}

// Clean reports whether nothing is left.
func (r Residue) Clean() bool { return len(r.PIDs) == 0 && len(r.Mounts) == 0 && len(r.Notes) == 0 }

// Size is a terminal's size in characters.
type Size struct{ Cols, Rows uint16 }

// Terminal is an attached PTY. Closing it detaches; what runs in it goes on. Read returns io.EOF when the program in the
// terminal ended.
type Terminal interface {
	io.ReadWriteCloser
	Resize(Size) error
}

// ExecRequest is a further command in a running instance.
type ExecRequest struct {
	Argv   []string
	Shell  bool      // Argv is what the instance's own shell is given, whichever is there; none: an interactive one
	SFTP   bool      // instead of Argv: a server of SFTP (version 3) as the instance's user, which needs no program of its image
	Env    []string  // KEY=value, besides what everything in the instance has
	Stdin  io.Reader // nil: empty
	Stdout io.Writer // both streams may be nil: thrown away
	Stderr io.Writer

	// TTY gives it a terminal of its own, of this size: all its output is Stdout's, the end of Stdin is not passed on, and it
	// gets SIGHUP when the context ends. nil: none.
	TTY *Size
	// Resize and Signals are read while it runs; either may be nil. A signal reaches its process group.
	Resize  <-chan Size
	Signals <-chan syscall.Signal
}

// Executor runs instances. All calls are idempotent where that makes sense: Start of what runs returns its State, Stop of
// what ended does nothing. An instance outlives the process that started it; a new process finds it with List.
// gputest.Executor is the suite that each implementation passes. An unknown id is ErrNoInstance.
type Executor interface {
	Name() string
	// Limits says what this machine can enforce.
	Limits(ctx context.Context) []Limit
	// Start prepares and starts an instance and returns when its processes exist. A failure leaves nothing behind.
	Start(ctx context.Context, spec Spec) (State, error)
	// State returns what is known now.
	State(ctx context.Context, id string) (State, error)
	// List returns every instance of ours on this node, running or ended and not yet removed: what a restart adopts. One whose
	// record is broken is PhaseUnknown; the error says that nothing can be listed at all.
	List(ctx context.Context) ([]State, error)
	// Wait returns when the instance has exited or is gone, or ctx ends.
	Wait(ctx context.Context, id string) (State, error)
	Signal(ctx context.Context, id string, sig syscall.Signal) error
	// Notice tells an instance that it is being reclaimed: NoticeFile inside it, or the file that METERHOUSE_NOTICE in its
	// environment names where it sees no files of its own, has the content in one step, and then SIGUSR1 reaches those of the
	// processes that Signal reaches which catch it. The others work on.
	Notice(ctx context.Context, id string, content []byte) error
	Suspend(ctx context.Context, id string) error
	Resume(ctx context.Context, id string) error
	// Stop sends SIGTERM to every process, SIGKILL to what is left after grace, and returns when none is left.
	Stop(ctx context.Context, id string, grace time.Duration) (State, error)
	// Attach opens the instance's shell: the same one each time while it lives, with the last screenful replayed first.
	Attach(ctx context.Context, id string, size Size) (Terminal, error)
	// Exec runs a further command inside and returns its exit status.
	Exec(ctx context.Context, id string, req ExecRequest) (Exit, error)
	// Dial connects to a TCP port of the instance's own: network is "tcp", address a loopback address and a port on which a process
	// of the instance listens. Everything else is ErrNotItsPort, whatever would answer there. ctx bounds the connecting alone.
	Dial(ctx context.Context, id, network, address string) (net.Conn, error)
	// Log opens the command's output from a byte offset (counted from the very first byte; what rotation dropped is skipped
	// and the real offset returned). With follow it goes on until the command ended.
	Log(ctx context.Context, id string, offset int64, follow bool) (r io.ReadCloser, at int64, err error)
	Usage(ctx context.Context, id string) (Usage, error)
	// PIDs returns the processes of a living instance as the node numbers them, its init included; none of an ended one. An
	// error means unknown, never "none".
	PIDs(ctx context.Context, id string) ([]int, error)
	// Clean looks for what is left of an ended instance.
	Clean(ctx context.Context, id string) (Residue, error)
	// Remove deletes an ended instance's record, but neither its home nor its log.
	Remove(ctx context.Context, id string) error
}
