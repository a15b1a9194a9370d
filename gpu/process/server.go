package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// server answers on shim.sock, see PROTOCOL.md. Who may open the socket may do everything: it lies in a directory of mode 0700.
type server struct {
	h        *holder
	listener net.Listener

	mu    sync.Mutex
	conns map[net.Conn]bool
	over  bool
}

// run accepts until the listener is closed.
func (s *server) run() {
	defer s.h.work.Done()
	for {
		c, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of descriptors: the next one may be luckier
			time.Sleep(lookPause)
			continue
		}
		s.mu.Lock()
		if s.over {
			s.mu.Unlock()
			_ = c.Close()
			continue
		}
		s.conns[c] = true
		s.h.work.Add(1)
		s.mu.Unlock()
		go s.serve(c)
	}
}

// close lets clients hear the end, but waits for none that does not listen.
func (s *server) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for c := range s.conns {
		_ = c.SetDeadline(s.h.now().Add(time.Second))
	}
	return s.listener.Close()
}

func (s *server) serve(c net.Conn) {
	defer s.h.work.Done()
	defer func() {
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
		_ = c.Close()
	}()
	f, err := readFrame(c)
	if err != nil {
		return
	}
	var q request
	out := &frameWriter{w: c}
	if f.kind != frameRequest || json.Unmarshal(f.payload, &q) != nil {
		_ = out.sendJSON(frameReply, reply{Error: "the first frame is no request"})
		return
	}
	h := s.h
	switch q.Verb {
	case "attach":
		h.serveAttach(c, out, gpu.Size{Cols: q.Cols, Rows: q.Rows})
		return
	case "exec":
		h.serveExec(c, out, q)
		return
	case "dial":
		h.serveDial(c, out, q.Port)
		return
	case "status":
		_ = out.sendJSON(frameReply, h.status())
		return
	case "wait":
		h.awaitEnd(c)
	case "signal":
		err = h.signal(syscall.Signal(q.Signal))
	case "tell":
		err = h.tell(syscall.Signal(q.Signal))
	case "suspend":
		err = h.freeze(true)
	case "resume":
		err = h.freeze(false)
	case "stop":
		err = h.stop(time.Duration(q.Grace) * time.Millisecond)
	default:
		err = fmt.Errorf("unknown verb %q", q.Verb)
	}
	_ = out.sendJSON(frameReply, h.reply(err))
}

func (h *holder) reply(err error) reply {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := reply{State: h.st}
	if err != nil {
		r.Error = err.Error()
		r.Ended = errors.Is(err, gpu.ErrNotRunning) || errors.Is(err, errInitGone)
		errors.As(err, &r.NotStarted)
		r.NotItsPort = errors.Is(err, gpu.ErrNotItsPort)
	}
	return r
}

// status is the reply that waits for nothing, so that a shim that works is told from one that hangs: while it is suspending
// or resuming it has no state.
func (h *holder) status() (r reply) {
	if h.mu.TryLock() {
		defer h.mu.Unlock()
		r.State = h.st
	}
	return r
}

// awaitEnd returns when the instance has ended or the client has left.
func (h *holder) awaitEnd(c net.Conn) {
	left := make(chan struct{})
	h.work.Add(1)
	go func() {
		defer h.work.Done()
		_, _ = readFrame(c) // a client that waits says nothing
		close(left)
	}()
	select {
	case <-h.ended:
	case <-left:
	}
}

// stop asks the main goroutine for the end and waits for it, a little longer than it can take where all is well.
func (h *holder) stop(grace time.Duration) error {
	grace = max(grace, 0)
	limit := time.NewTimer(grace + 2*endPatience)
	defer limit.Stop()
	asked := h.stops
	for {
		select {
		case asked <- grace:
			asked = nil
		case <-h.ended:
			return nil
		case <-limit.C:
			pids, err := h.living()
			return errors.Join(err, fmt.Errorf("processes %v of the instance can't be ended: the kernel keeps them", pids))
		}
	}
}

// signal reaches the command's process group, or everyone where there is no command.
func (h *holder) signal(sig syscall.Signal) error {
	if sig < 0 || sig > 64 {
		return fmt.Errorf("there is no signal %d", sig)
	}
	if h.command != nil {
		return h.crew.signal(h.command, sig)
	}
	return h.crew.everyone(sig)
}

// spawn starts a program unless the instance is suspended: it would be the only one that runs.
func (h *holder) spawn(o order, files ...*os.File) (*child, *os.File, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.st.Phase == gpu.PhaseSuspended {
		return nil, nil, errors.New("the instance is suspended: resume it first")
	}
	return h.crew.spawn(o, files...)
}
