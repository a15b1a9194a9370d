package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// Enclosure sets instances that start from an image apart from the machine, by other means than our own namespaces: in
// containers of an engine. The shim, the terminal, the log and the rules of ending are the same; PID 1 in there is ours too
// (RunInside). An executor asks it to plan, to name and to discard; the shim, another process, asks it to enclose: all that
// passes between them is the plan.
type Enclosure interface {
	// Name is the word for it in an instance's record.
	Name() string
	// Limits says what it can enforce, by the names of Executor.Limits.
	Limits(ctx context.Context) []gpu.Limit
	// Plan refuses what can't be started and returns what Enclose needs to know.
	Plan(ctx context.Context, spec gpu.Spec) (plan json.RawMessage, err error)
	// Enclose starts RunInside in there and returns when it has been started. What fails leaves nothing.
	Enclose(ctx context.Context, plan json.RawMessage, o Order) (Enclosed, error)
	// Residue names in words what is left of an instance.
	Residue(ctx context.Context, plan json.RawMessage, id string) ([]string, error)
	// Discard ends and removes what is left of an instance. That there is nothing is no error.
	Discard(ctx context.Context, plan json.RawMessage, id string) error
}

// Order is what an Enclosure works from.
type Order struct {
	Spec      gpu.Spec
	Dir       string   // the instance's directory, absolute: HomeDir and RunDir in it are to be shown
	FirstUser int      // the first of the usersEach users of this machine that are the instance's alone
	Tools     []string // programs, by absolute path on the machine, that the instance is to find in its PATH
}

// Home is the person's directory. It belongs to FirstUser.
func (o Order) Home() string { return filepath.Join(o.Dir, homeDir) }

// Run is shown at the directory of gpu.NoticeFile, closed to changes. The socket that RunInside connects to lies in it.
func (o Order) Run() string { return filepath.Join(o.Dir, runDir) }

// Users is how many users there are from FirstUser on.
func (o Order) Users() int { return usersEach }

// Enclosed is what was started.
type Enclosed struct {
	PID        int      // of RunInside, as this machine numbers it
	Scratch    []string // directories of the machine that hold what the instance writes besides its home
	Furnishing Furnishing
}

// Furnishing is what the init inside has to know; it can't read the instance's record.
type Furnishing struct {
	ID      string   `json:"id"`
	Env     []string `json:"env"`
	Dir     string   `json:"dir"`               // where programs start
	User    string   `json:"user"`              // as which user, as an image says it: "", "name", "1000:100"
	Program string   `json:"program,omitempty"` // where Spec.Argv[0] is found
	Devices []string `json:"devices,omitempty"` // files that have to be there
}

// initSocket is where the init inside finds its shim.
const initSocket = "init.sock"

// enclose makes the body of an instance that starts from an image.
func (h *holder) enclose() (*body, error) {
	var enc Enclosure
	for _, e := range h.enclosures {
		if e.Name() == h.rec.Enclosure {
			enc = e
		}
	}
	if enc == nil {
		return nil, fmt.Errorf("this program knows no enclosure %q", h.rec.Enclosure)
	}
	ctx, cancel := context.WithTimeout(context.Background(), startPatience)
	defer cancel()
	b, err := h.meetInit(ctx, enc)
	if err != nil {
		err = errors.Join(err, enc.Discard(ctx, h.rec.Enclosed, h.rec.Spec.ID))
	}
	return b, err
}

func (h *holder) meetInit(ctx context.Context, enc Enclosure) (*body, error) {
	socket := filepath.Join(runDir, initSocket)
	listener, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: socket, Net: "unixpacket"})
	if err != nil {
		return nil, fmt.Errorf("listening for the instance's init: %w", err)
	}
	defer func() { _ = listener.Close() }()
	if err := os.Chmod(socket, 0o666); err != nil { // its user is another one
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	made, err := enc.Enclose(ctx, h.rec.Enclosed, Order{Spec: h.rec.Spec, Dir: dir, FirstUser: h.rec.UID / usersEach * usersEach, Tools: h.rec.Tools})
	if err != nil {
		return nil, err
	}
	init := identify(made.PID)
	conn, err := acceptInit(listener, init, h.now)
	if err != nil {
		return nil, err
	}
	link := &initLink{conn: conn, buf: make([]byte, maxPacket), wake: true}
	if err = link.send(order{Op: "furnish", Furnish: &made.Furnishing}); err == nil {
		err = link.ready()
	}
	var g group
	if err == nil {
		g, err = groupOf(made.PID)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	gone := make(chan struct{})
	go func() { // the holder waits for gone
		init.awaitEnd()
		close(gone)
	}()
	return &body{
		link: link, init: init, group: g, scratch: made.Scratch, gone: gone,
		kill: func() error { return syscall.Kill(init.PID, syscall.SIGKILL) },
		remove: func() {
			ctx, cancel := context.WithTimeout(context.Background(), startPatience)
			defer cancel()
			_ = errors.Join(enc.Discard(ctx, h.rec.Enclosed, h.rec.Spec.ID), g.remove()) // what stays is named by Clean
		},
	}, nil
}

// acceptInit waits for the init to connect, as long as it lives. Nobody else is listened to.
func acceptInit(l *net.UnixListener, init processID, now func() time.Time) (*net.UnixConn, error) {
	for {
		if err := l.SetDeadline(now().Add(100 * time.Millisecond)); err != nil {
			return nil, err
		}
		conn, err := l.AcceptUnix()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			if init.alive() {
				continue
			}
			return nil, errors.New("the instance's init ended before it was ready")
		}
		if err != nil {
			return nil, err
		}
		peer, err := peerOf(conn)
		if err == nil && peer == init.PID {
			return conn, nil
		}
		_ = conn.Close()
	}
}

// peerOf returns the PID of the process at the other end (unix(7)).
func peerOf(c *net.UnixConn) (pid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	if ctl := raw.Control(func(fd uintptr) { cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); ctl != nil {
		return 0, ctl
	}
	if err != nil {
		return 0, err
	}
	return int(cred.Pid), nil
}

// discard removes what is left of an instance besides its directory.
func (e *Executor) discard(ctx context.Context, rec record, s state) error {
	presented := withdraw(filepath.Join(e.dir, "instances", rec.Spec.ID))
	if rec.Enclosure == "" {
		return errors.Join(presented, rec.group(s).remove())
	}
	enc, err := e.enclosureOf(rec)
	if err != nil {
		return err
	}
	// An engine whose own keeper was killed leaves the group behind.
	return errors.Join(presented, enc.Discard(ctx, rec.Enclosed, rec.Spec.ID), rec.group(s).remove())
}

// clearAway names what is left of an instance in its enclosure. What an engine could not remove when the instance ended, it is
// asked to remove now.
func (e *Executor) clearAway(ctx context.Context, rec record, s state) ([]string, error) {
	notes, err := e.residue(ctx, rec)
	if err != nil || !s.ended() {
		return notes, err
	}
	if len(notes) == 0 {
		_ = rec.group(s).remove() // what stays is named by its directory
		return nil, nil
	}
	if err := e.discard(ctx, rec, s); err != nil {
		return append(notes, err.Error()), nil
	}
	return e.residue(ctx, rec)
}

func (e *Executor) residue(ctx context.Context, rec record) ([]string, error) {
	enc, err := e.enclosureOf(rec)
	if err != nil {
		return nil, err
	}
	return enc.Residue(ctx, rec.Enclosed, rec.Spec.ID)
}

// enclosureOf is what an instance that is not in namespaces of ours is in.
func (e *Executor) enclosureOf(rec record) (Enclosure, error) {
	if e.enclosure == nil || e.enclosure.Name() != rec.Enclosure {
		return nil, fmt.Errorf("instance %s is in %s, which this console was not given", rec.Spec.ID, rec.Enclosure)
	}
	return e.enclosure, nil
}
