package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// dial connects to an instance's shim. The path leads over a descriptor of the directory: a socket's own path may have no
// more than 108 bytes (unix(7)), a data directory's may.
func dial(ctx context.Context, dir string) (net.Conn, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", "/proc/self/fd/"+strconv.Itoa(fd)+"/"+socketFile)
	return c, errors.Join(err, unix.Close(fd))
}

// open sends a request to a living instance and returns the connection after a good reply.
func (e *Executor) open(ctx context.Context, id string, q request) (net.Conn, error) {
	dir, err := e.known(id)
	if err != nil {
		return nil, err
	}
	s, err := e.look(id, dir)
	if err != nil {
		return nil, err
	}
	if s.ended() {
		return nil, fmt.Errorf("instance %q: %w", id, gpu.ErrNotRunning)
	}
	if q.Verb != "wait" && s.Shim.halted() {
		return nil, fmt.Errorf("instance %q: its shim, process %d, was stopped by a signal: %w", id, s.Shim.PID, errMute)
	}
	c, err := dial(ctx, dir)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("instance %q is ending: %w", id, gpu.ErrNotRunning)
	}
	if err != nil {
		return nil, fmt.Errorf("reaching the shim of %s: %w", id, err)
	}
	if patience := e.patienceFor(q); patience > 0 {
		if err := c.SetDeadline(e.now().Add(patience)); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(e.now()) })
	err = exchange(c, q)
	switch intime := stop(); {
	case !intime && err == nil:
		err = ctx.Err()
	case intime && err == nil:
		err = c.SetDeadline(time.Time{})
	}
	if err == nil {
		return c, nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return nil, errors.Join(fmt.Errorf("instance %q: %w", id, err), c.Close())
}

// silence is how long a shim may take to answer beyond what the request itself takes: one that hangs must hold nobody up.
const silence = 3 * endPatience

// patienceFor is how long a request may wait for its reply; 0 is without end.
func (e *Executor) patienceFor(q request) time.Duration {
	switch q.Verb {
	case "wait":
		return 0
	case "status": // nothing to be done first
		return e.silence / 3
	}
	return e.silence + time.Duration(max(q.Grace, 0))*time.Millisecond
}

func exchange(c net.Conn, q request) error {
	if err := (&frameWriter{w: c}).sendJSON(frameRequest, q); err != nil {
		return err
	}
	f, err := readFrame(c)
	if err != nil {
		return fmt.Errorf("its shim did not answer: %w", err)
	}
	if f.kind != frameReply {
		return fmt.Errorf("%w: %q in place of a reply", errFrame, f.kind)
	}
	var r reply
	if err := json.Unmarshal(f.payload, &r); err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	if r.Ended {
		return fmt.Errorf("%s: %w", r.Error, gpu.ErrNotRunning)
	}
	if r.NotItsPort {
		return gpu.ErrNotItsPort
	}
	if r.Error != "" {
		return errorOf(r.Error, r.NotStarted)
	}
	return nil
}

// ask is open for requests that end with their reply.
func (e *Executor) ask(ctx context.Context, id string, q request) error {
	c, err := e.open(ctx, id, q)
	if err != nil {
		return err
	}
	return c.Close()
}

// Signal reaches the process group of the command, or every process of an instance without one.
func (e *Executor) Signal(ctx context.Context, id string, sig syscall.Signal) error {
	return e.ask(ctx, id, request{Verb: "signal", Signal: int(sig)})
}

// Suspend freezes every process and returns when none runs any more.
func (e *Executor) Suspend(ctx context.Context, id string) error {
	return e.ask(ctx, id, request{Verb: "suspend"})
}

// Resume lets them run on.
func (e *Executor) Resume(ctx context.Context, id string) error {
	return e.ask(ctx, id, request{Verb: "resume"})
}

// Stop ends the instance; a second call may shorten the grace of the first. An error names processes that the kernel keeps.
func (e *Executor) Stop(ctx context.Context, id string, grace time.Duration) (gpu.State, error) {
	dir, err := e.known(id)
	if err != nil {
		return gpu.State{}, err
	}
	if err := e.awaken(id, dir); err != nil {
		return gpu.State{}, err
	}
	// Asked first for something that takes no time: who does not answer that is not waited for as long as the grace.
	asked := grace
	if err = e.ask(ctx, id, request{Verb: "status"}); err == nil {
		asked = 0
		err = e.ask(ctx, id, request{Verb: "stop", Grace: grace.Milliseconds()})
	}
	if mute(err) && ctx.Err() == nil {
		return e.endSilent(ctx, id, dir, asked)
	}
	if err != nil && !errors.Is(err, gpu.ErrNotRunning) {
		// The shim may have been killed while it stopped; then the instance has ended all the same.
		if s, lookErr := e.State(ctx, id); lookErr == nil && (s.Phase == gpu.PhaseExited || s.Phase == gpu.PhaseGone) {
			return s, nil
		}
		return gpu.State{}, err
	}
	if err != nil {
		return e.Wait(ctx, id) // it has ended, or is about to
	}
	s, err := e.look(id, dir)
	return e.public(id, dir, s), err
}
