package process

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// holder is the shim of one instance: it owns the init, the log, the terminal, the socket and state.json. Its working
// directory is the instance's.
type holder struct {
	rec  record
	now  func() time.Time
	body *body

	enclosures []Enclosure
	command    *child // nil where there is none
	log        *logWriter
	crew       *crew
	term       *terminal
	stops      chan time.Duration // graces of those who ask for the end
	still      chan struct{}      // closed when nothing is left that a heartbeat could be of
	ended      chan struct{}      // closed when state.json says how it ended
	piped      chan struct{}      // closed when all of the command's output is in the log; nil without a command
	work       sync.WaitGroup     // every goroutine but the main one

	mu sync.Mutex // guards what follows, and is held while freezing, so that nothing is started meanwhile
	st state
}

// runHold is the hold stage: it reports to file 3 when the instance runs or why it does not, and returns when it has ended.
func runHold(dir string, now func() time.Time, enclosures []Enclosure) error {
	runtime.LockOSThread() // for startInit
	answer, lock := os.NewFile(3, "answer"), os.NewFile(4, "lock")
	// A console that was killed ends no start that hangs, and the next one waits for the lock.
	hangs := time.AfterFunc(startPatience+startPatience/10, func() { os.Exit(1) })
	// Handlers that do nothing: an ignored signal would be inherited. SIGTERM is a machine that shuts down.
	caught := make(chan os.Signal, 16)
	signal.Notify(caught, unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGPIPE, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU, unix.SIGUSR1, unix.SIGUSR2)
	down := make(chan os.Signal, 1)
	signal.Notify(down, unix.SIGTERM)

	h := &holder{now: now, enclosures: enclosures, stops: make(chan time.Duration), still: make(chan struct{}), ended: make(chan struct{})}
	h.st = state{Phase: gpu.PhaseRunning, Boot: bootID(), Shim: identify(os.Getpid())}
	err := os.Chdir(dir)
	if err == nil {
		err = tell(answer, reply{State: h.st})
	}
	if err != nil {
		return err
	}
	listener, err := h.start()
	if err != nil {
		h.abandon(listener)
		return tell(answer, reply{Error: err.Error()})
	}
	// Nobody may hear it: the console was killed while it waited. The state is written, so the next console finds the instance
	// and takes it over. Giving up now would end what that console may have seen running already.
	hangs.Stop()
	_ = errors.Join(tell(answer, reply{State: h.st}), answer.Close(), lock.Close())
	h.work.Add(2)
	go h.beat()
	full := make(chan string)
	if h.rec.Spec.DiskBytes > 0 {
		h.work.Add(1)
		go h.watchDisk(full)
	}
	server := &server{h: h, listener: listener, conns: map[net.Conn]bool{}}
	go server.run()
	h.finish(h.untilEnd(down, caught, full))
	err = server.close()
	h.work.Wait()
	return errors.Join(err, os.RemoveAll(h.oldTmp()))
}

// start prepares everything and starts the command, or the shell where there is none.
func (h *holder) start() (net.Listener, error) {
	if err := readJSON(".", specFile, &h.rec); err != nil {
		return nil, err
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("becoming a sub-reaper: %w", err)
	}
	if err := h.rec.Cgroup.join(); err != nil {
		return nil, fmt.Errorf("joining the shims' cgroup: %w", err)
	}
	limit := h.rec.Spec.LogBytes
	if limit <= 0 {
		limit = gpu.DefaultLogBytes
	}
	var err error
	if h.log, err = openLog(".", limit); err != nil {
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	if err := errors.Join(keepRoom("."), os.WriteFile(heartbeatFile, nil, 0o600), ignoreMissing(os.Remove(socketFile))); err != nil {
		return nil, err
	}
	listener, err := net.Listen("unix", socketFile) // relative: a socket's path has at most 108 bytes (unix(7))
	if err != nil {
		return nil, err
	}
	if u, ok := listener.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(false) // by then the name may be that of this instance's next shim
	}
	if h.body, err = h.embody(); err != nil {
		return listener, err
	}
	h.crew = newCrew(h.body.link)
	h.st.Init = h.body.init
	if h.rec.Enclosure != "" {
		h.st.Group = &h.body.group
	}
	h.work.Add(2)
	go func() { defer h.work.Done(); h.crew.listen() }()
	go func() { defer h.work.Done(); <-h.body.gone }()
	h.term = &terminal{h: h, viewers: map[*viewer]bool{}}
	if h.command, err = h.startWork(); err != nil {
		return listener, err
	}
	h.st.StartedAt = h.now()
	h.st.LastProof = h.st.StartedAt
	return listener, writeJSON(".", stateFile, h.st)
}

// oldTmp is what /tmp is called once it is only to be deleted, which may take long: the next start makes a new one.
func (h *holder) oldTmp() string { return tmpDir + "." + strconv.Itoa(os.Getpid()) }

// startWork starts the command with its output going to the log. Without a command it starts the shell, so that the prompt is
// there before anyone looks.
func (h *holder) startWork() (*child, error) {
	argv := h.rec.Spec.Argv
	if len(argv) == 0 && h.rec.Spec.Command != "" {
		argv = []string{"/bin/sh", "-c", h.rec.Spec.Command}
	}
	if len(argv) == 0 {
		return nil, h.term.ensure(gpu.Size{})
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, null.Close())
	}
	c, _, err := h.crew.spawn(order{Argv: argv, Main: len(h.rec.Spec.Argv) > 0}, null, w, w)
	if err = errors.Join(err, null.Close(), w.Close()); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	h.work.Add(1)
	h.piped = make(chan struct{})
	go func() {
		defer h.work.Done()
		_, _ = io.Copy(h.log, r) // the log never fails, and the pipe ends when its last writer does
		_ = r.Close()
		close(h.piped)
	}()
	return c, nil
}

// abandon leaves nothing of an instance that could not be started.
func (h *holder) abandon(listener net.Listener) {
	if h.body != nil {
		h.body.end()
		_, _ = h.body.group.kill(endPatience)
		h.body.remove()
	}
	if listener != nil {
		_ = listener.Close()
	}
	_ = os.Remove(stateFile)
}

// beat touches the heartbeat each second. Only the file's time changes, which costs the disk next to nothing.
func (h *holder) beat() {
	defer h.work.Done()
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-h.still:
			return
		case <-t.C:
			now := h.now()
			_ = os.Chtimes(heartbeatFile, now, now) // a full disk is no reason to stop: the last proof is then older
		}
	}
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
