package link

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"github.com/meterhouse/meterhouse/gpu"
)

// tail is what a terminal or a log shows. One goroutine may read while others write or close.
type tail struct {
	n      *Node
	q      request
	st     *stream
	rest   []byte
	err    error
	once   sync.Once
	closed atomic.Bool
	stop   func() bool
}

// Read returns io.EOF where the other end says that it is the end, gpu.ErrUnreachable where the line was cut.
func (t *tail) Read(p []byte) (int, error) {
	for len(t.rest) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		f, err := readFrame(t.st, maxFrame)
		switch {
		case t.closed.Load():
			t.err = io.ErrClosedPipe
		case err != nil:
			t.err = t.n.down(t.q, err)
		case f.kind == frameOutput:
			t.rest = f.payload
		case f.kind == frameDone:
			if t.err = doneOf(f.payload, nil); t.err == nil {
				t.err = io.EOF
			}
		}
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

func (t *tail) Close() error {
	t.once.Do(func() {
		t.closed.Store(true)
		if t.stop != nil {
			t.stop()
		}
		t.st.leave()
	})
	return nil
}

type remoteTerminal struct{ *tail }

// Attach opens the shell. Its context ends with the opening.
func (e executor) Attach(ctx context.Context, id string, size gpu.Size) (gpu.Terminal, error) {
	t, err := e.watch(ctx, "attach", id, attachArgs{size.Cols, size.Rows}, nil)
	if err != nil {
		return nil, err
	}
	return remoteTerminal{t}, nil
}

// watch opens what sends a reply and then output.
func (e executor) watch(ctx context.Context, call, id string, args, result any) (*tail, error) {
	packed, err := compact(args)
	if err != nil {
		return nil, err
	}
	q := request{Call: call, ID: id, Args: packed}
	s, st, err := e.n.open(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := failed(ctx, e.n.answer(ctx, s, st, q, frameReply, result)); err != nil {
		st.leave()
		return nil, err
	}
	return &tail{n: e.n, q: q, st: st}, nil
}

// Write types into the shell.
func (t remoteTerminal) Write(p []byte) (int, error) {
	n, err := chunks{t.st.out, frameInput}.Write(p)
	if err != nil && !t.closed.Load() {
		err = t.n.down(t.q, err)
	}
	return n, err
}

// Resize tells the shell the new size.
func (t remoteTerminal) Resize(s gpu.Size) error {
	return t.st.out.sendJSON(frameResize, attachArgs{s.Cols, s.Rows})
}

// Log opens the output; the context's end closes it.
func (e executor) Log(ctx context.Context, id string, offset int64, follow bool) (io.ReadCloser, int64, error) {
	var at logResult
	t, err := e.watch(ctx, "log", id, logArgs{offset, follow}, &at)
	if err != nil {
		return nil, 0, err
	}
	t.stop = context.AfterFunc(ctx, func() {
		t.closed.Store(true)
		t.st.leave()
	})
	return t, at.At, nil
}
