package process

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/meterhouse/meterhouse/gpu"
)

// remoteTerminal is the client's end of an attached terminal. One goroutine may read while others write or close.
type remoteTerminal struct {
	conn net.Conn
	out  *frameWriter
	rest []byte
	err  error
	once sync.Once
	fail error // of Close
}

// Attach opens the shell. What it has shown before comes first, up to 64 KiB of it.
func (e *Executor) Attach(ctx context.Context, id string, size gpu.Size) (gpu.Terminal, error) {
	c, err := e.open(ctx, id, request{Verb: "attach", Cols: size.Cols, Rows: size.Rows})
	if err != nil {
		return nil, err
	}
	return &remoteTerminal{conn: c, out: &frameWriter{w: c}}, nil
}

// Read returns io.EOF when the shell has ended, and an error when the connection was lost or closed.
func (t *remoteTerminal) Read(p []byte) (int, error) {
	for len(t.rest) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		f, err := readFrame(t.conn)
		switch {
		case errors.Is(err, io.EOF):
			t.err = io.ErrUnexpectedEOF // the shim says when it is the shell's end
		case err != nil:
			t.err = err
		case f.kind == frameDone:
			t.err = io.EOF
		case f.kind == frameOutput:
			t.rest = f.payload
		default:
			t.err = errFrame
		}
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

// Write types into the shell.
func (t *remoteTerminal) Write(p []byte) (int, error) {
	return stream{t.out, frameInput}.Write(p)
}

// Resize tells the shell the new size. Where several watch, the latest counts.
func (t *remoteTerminal) Resize(s gpu.Size) error {
	return t.out.send(frameResize, sizePayload(s))
}

// Close detaches; the shell goes on.
func (t *remoteTerminal) Close() error {
	t.once.Do(func() { t.fail = t.conn.Close() })
	return t.fail
}

// Exec runs a further program. When it ends while Stdin still waits in a Read, that Read is left to end by itself.
func (e *Executor) Exec(ctx context.Context, id string, req gpu.ExecRequest) (gpu.Exit, error) {
	q := request{Verb: "exec", Argv: req.Argv, Shell: req.Shell, SFTP: req.SFTP, Env: req.Env}
	if req.TTY != nil {
		q.TTY, q.Cols, q.Rows = true, req.TTY.Cols, req.TTY.Rows
	}
	c, err := e.open(ctx, id, q)
	if err != nil {
		return gpu.Exit{}, err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	out := &frameWriter{w: c}
	if req.Stdin == nil {
		err = out.send(frameEnd, nil)
	} else {
		go func() { // ends with Stdin or with the first write after the connection closed
			if _, err := io.Copy(stream{out, frameInput}, req.Stdin); err == nil {
				_ = out.send(frameEnd, nil)
			}
		}()
	}
	done := make(chan struct{})
	var controls sync.WaitGroup
	controls.Go(func() { control(out, req, done) })
	exit, runErr := readExec(c, req)
	close(done)
	controls.Wait()
	if ctx.Err() != nil {
		runErr = ctx.Err()
	}
	if err = errors.Join(err, runErr); runErr == nil {
		err = nil // the program did not want its input, which is its right
	}
	if closeErr := c.Close(); err == nil && !errors.Is(closeErr, net.ErrClosed) {
		err = closeErr
	}
	return exit, err
}

// control passes sizes and signals on until the program is over. What can't be sent is lost with the connection.
func control(out *frameWriter, req gpu.ExecRequest, done <-chan struct{}) {
	sizes, signals := req.Resize, req.Signals
	for {
		select {
		case <-done:
			return
		case s, ok := <-sizes:
			if !ok {
				sizes = nil
				continue
			}
			_ = out.send(frameResize, sizePayload(s))
		case sig, ok := <-signals:
			if !ok {
				signals = nil
				continue
			}
			_ = out.send(frameSignal, []byte{byte(sig)})
		}
	}
}

func sizePayload(s gpu.Size) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, s.Cols), s.Rows)
}

func readExec(c net.Conn, req gpu.ExecRequest) (exit gpu.Exit, err error) {
	for {
		f, err := readFrame(c)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return exit, err
		}
		switch f.kind {
		case frameOutput:
			err = deliver(req.Stdout, f.payload)
		case frameErrors:
			err = deliver(req.Stderr, f.payload)
		case frameDone:
			return exit, json.Unmarshal(f.payload, &exit)
		default:
			err = errFrame
		}
		if err != nil {
			return exit, err
		}
	}
}

func deliver(w io.Writer, p []byte) error {
	if w == nil {
		return nil
	}
	_, err := w.Write(p)
	return err
}
