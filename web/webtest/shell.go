package webtest

import (
	"io"
	"sync"

	"github.com/meterhouse/meterhouse/gpu"
)

// shell is what a terminal shows: all that was typed, to all who are attached, what came before first. The line "exit"
// ends it.
type shell struct {
	mu       sync.Mutex
	size     gpu.Size
	screen   []byte
	ended    bool
	attached map[*terminal]bool
}

func (s *shell) attach() *terminal {
	t := &terminal{shell: s}
	t.ready = sync.NewCond(&s.mu)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attached == nil {
		s.attached = make(map[*terminal]bool)
	}
	s.attached[t] = true
	return t
}

// terminal is one attachment; it reads the screen from its beginning.
type terminal struct {
	shell  *shell
	ready  *sync.Cond
	seen   int
	closed bool
}

func (t *terminal) Read(p []byte) (int, error) {
	t.shell.mu.Lock()
	defer t.shell.mu.Unlock()
	for {
		switch {
		case t.closed:
			return 0, io.ErrClosedPipe
		case t.seen < len(t.shell.screen):
			n := copy(p, t.shell.screen[t.seen:])
			t.seen += n
			return n, nil
		case t.shell.ended:
			return 0, io.EOF
		}
		t.ready.Wait()
	}
}

func (t *terminal) Write(p []byte) (int, error) {
	t.shell.mu.Lock()
	defer t.shell.mu.Unlock()
	if t.closed {
		return 0, io.ErrClosedPipe
	}
	t.shell.screen = append(t.shell.screen, p...)
	t.shell.ended = t.shell.ended || string(p) == "exit\n"
	t.shell.wake()
	return len(p), nil
}

func (s *shell) wake() {
	for t := range s.attached {
		t.ready.Broadcast()
	}
}

func (t *terminal) Resize(size gpu.Size) error {
	t.shell.mu.Lock()
	defer t.shell.mu.Unlock()
	t.shell.size = size
	return nil
}

func (t *terminal) Close() error {
	t.shell.mu.Lock()
	defer t.shell.mu.Unlock()
	t.closed = true
	delete(t.shell.attached, t)
	t.ready.Broadcast()
	return nil
}

// log is an instance's output.
type log struct {
	mu    sync.Mutex
	more  *sync.Cond
	text  []byte
	ended bool
}

func newLog() *log {
	l := &log{}
	l.more = sync.NewCond(&l.mu)
	return l
}

func (l *log) write(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, text...)
	l.more.Broadcast()
}

func (l *log) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.more.Broadcast()
}

func (l *log) open(offset int64, follow bool) (io.ReadCloser, int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := min(int(offset), len(l.text))
	return &logReader{log: l, at: at, follow: follow}, int64(at), nil
}

type logReader struct {
	log    *log
	at     int
	follow bool
	closed bool
}

func (r *logReader) Read(p []byte) (int, error) {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	for {
		switch {
		case r.closed:
			return 0, io.ErrClosedPipe
		case r.at < len(r.log.text):
			n := copy(p, r.log.text[r.at:])
			r.at += n
			return n, nil
		case !r.follow || r.log.ended:
			return 0, io.EOF
		}
		r.log.more.Wait()
	}
}

func (r *logReader) Close() error {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	r.closed = true
	r.log.more.Broadcast()
	return nil
}
