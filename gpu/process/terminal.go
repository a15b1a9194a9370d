package process

import (
	"bytes"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

const (
	// replayBytes is how much of the terminal's past a newcomer sees; it must fit one frame.
	replayBytes = maxFrame
	// viewerQueue is how many chunks may wait for one viewer, viewerPatience how long the shell waits for it then before it is
	// sent away: others may watch, and it can come back and have the past replayed.
	viewerQueue    = 64
	viewerPatience = 2 * time.Second
	// lastWords is how long the terminal of a shell that has ended is read on: what it left behind may hold it open for ever.
	lastWords = 100 * time.Millisecond
)

// terminal is the instance's one shell on a PTY and those who watch it. The shell is started when somebody first looks, and
// again after it has ended.
type terminal struct {
	h *holder

	mu      sync.Mutex
	shell   *child
	master  *os.File // nil: no shell
	past    []byte
	viewers map[*viewer]bool
}

// viewer is one attached client. out is closed when it is over; exit says how the shell ended, where it did.
type viewer struct {
	out  chan []byte
	exit *gpu.Exit
}

// ensure starts the shell where none runs.
func (t *terminal) ensure(size gpu.Size) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.master != nil {
		return nil
	}
	shell, master, err := t.h.spawn(order{Shell: true, TTY: true, Cols: size.Cols, Rows: size.Rows})
	if err != nil {
		return err
	}
	t.shell, t.master, t.past = shell, master, nil
	t.h.work.Add(2)
	go t.pump(shell, master)
	go func() {
		defer t.h.work.Done()
		<-shell.exited
		_ = master.SetReadDeadline(t.h.now().Add(lastWords))
	}()
	return nil
}

// attach joins a client; what was on the screen comes first. The latest size counts for all.
func (t *terminal) attach(size gpu.Size) (*viewer, error) {
	if err := t.ensure(size); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.master == nil {
		return nil, errors.New("the shell ended at once")
	}
	if err := t.resizeLocked(size); err != nil {
		return nil, err
	}
	v := &viewer{out: make(chan []byte, viewerQueue)}
	if past := wholeLines(t.past); len(past) > 0 {
		v.out <- past
	}
	t.viewers[v] = true
	return v, nil
}

// wholeLines drops the first, cut line of a past that was cut: it could begin inside a character or an escape sequence.
func wholeLines(past []byte) []byte {
	if len(past) >= replayBytes {
		if i := bytes.IndexByte(past, '\n'); i >= 0 {
			past = past[i+1:]
		}
	}
	return bytes.Clone(past)
}

func (t *terminal) detach(v *viewer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(v)
}

func (t *terminal) drop(v *viewer) {
	if t.viewers[v] {
		delete(t.viewers, v)
		close(v.out)
	}
}

func (t *terminal) resize(size gpu.Size) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.resizeLocked(size)
}

func (t *terminal) resizeLocked(size gpu.Size) error {
	if t.master == nil {
		return nil
	}
	return resize(t.master, size)
}

func resize(master *os.File, size gpu.Size) error {
	raw, err := master.SyscallConn() // not Fd, which would make the file one that blocks
	if err != nil {
		return err
	}
	var set error
	err = raw.Control(func(fd uintptr) { set = setSize(int(fd), size.Cols, size.Rows) })
	return errors.Join(err, set)
}

func (t *terminal) input(p []byte) error {
	t.mu.Lock()
	master := t.master
	t.mu.Unlock()
	if master == nil {
		return os.ErrClosed
	}
	_, err := master.Write(p)
	return err
}

// pump hands the shell's output to all viewers until the shell is gone and its terminal closed.
func (t *terminal) pump(shell *child, master *os.File) {
	defer t.h.work.Done()
	buf := make([]byte, 32<<10)
	for {
		n, err := master.Read(buf)
		if n > 0 {
			t.show(bytes.Clone(buf[:n]))
		}
		if err == nil {
			continue
		}
		// EIO: nobody has the terminal open now. A shell that lives on without it is of no use to anyone.
		_ = t.h.crew.signal(shell, syscall.SIGHUP)
		select {
		case <-shell.exited:
		case <-time.After(viewerPatience):
			_ = t.h.crew.signal(shell, syscall.SIGKILL)
			<-shell.exited
		}
		break
	}
	exit := exitOf(shell.status)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.master, t.shell, t.past = nil, nil, nil
	for v := range t.viewers {
		v.exit = &exit
		t.drop(v)
	}
	_ = master.Close()
}

// show remembers a chunk and gives it to each viewer. With a full queue the shell waits, as it would for a slow terminal, but
// not for ever.
func (t *terminal) show(chunk []byte) {
	t.mu.Lock()
	t.past = append(t.past, chunk...)
	if extra := len(t.past) - replayBytes; extra > 0 {
		t.past = append(t.past[:0], t.past[extra:]...)
	}
	var slow []*viewer
	for v := range t.viewers {
		select {
		case v.out <- chunk:
		default:
			slow = append(slow, v)
		}
	}
	t.mu.Unlock()
	if len(slow) == 0 {
		return
	}
	patience := time.NewTimer(viewerPatience)
	defer patience.Stop()
	for _, v := range slow {
		if !t.wait(v, chunk, patience.C) {
			t.detach(v)
		}
	}
}

// wait offers the chunk again until the viewer takes it or patience ends. Only the pump closes or fills a queue under the
// lock, so a viewer that left meanwhile is seen here.
func (t *terminal) wait(v *viewer, chunk []byte, patience <-chan time.Time) bool {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		t.mu.Lock()
		if !t.viewers[v] {
			t.mu.Unlock()
			return true
		}
		select {
		case v.out <- chunk:
			t.mu.Unlock()
			return true
		default:
		}
		t.mu.Unlock()
		select {
		case <-look.C:
		case <-patience:
			return false
		}
	}
}

// hangUp tells the shell that its terminal is gone.
func (t *terminal) hangUp() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shell != nil {
		_ = t.h.crew.signal(t.shell, syscall.SIGHUP)
	}
}

// settle waits until the end of the shell was told to all viewers; everything in the instance has ended.
func (t *terminal) settle() {
	for range 500 {
		t.mu.Lock()
		over := t.master == nil
		t.mu.Unlock()
		if over {
			return
		}
		time.Sleep(lookPause)
	}
}
