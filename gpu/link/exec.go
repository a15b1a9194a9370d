package link

import (
	"context"
	"io"

	"github.com/meterhouse/meterhouse/gpu"
)

// Exec passes the streams that are there. When the program ends while Stdin still waits in a Read, that Read is left to end
// by itself.
func (e executor) Exec(ctx context.Context, id string, req gpu.ExecRequest) (exit gpu.Exit, err error) {
	wanted := execArgs{Argv: req.Argv, Shell: req.Shell, SFTP: req.SFTP, Env: req.Env, Signals: req.Signals != nil,
		Stdin: req.Stdin != nil, Stdout: req.Stdout != nil, Stderr: req.Stderr != nil}
	if req.TTY != nil {
		wanted.TTY = &attachArgs{req.TTY.Cols, req.TTY.Rows}
	}
	args, err := compact(wanted)
	if err != nil {
		return exit, err
	}
	q := request{Call: "exec", ID: id, Args: args}
	_, st, err := e.n.open(ctx, q)
	if err != nil {
		return exit, err
	}
	defer st.leave()
	stop := context.AfterFunc(ctx, st.leave)
	defer stop()
	if req.Stdin != nil {
		go func() { // ends with Stdin or with the first write after the stream closed
			if _, err := io.Copy(chunks{st.out, frameInput}, req.Stdin); err == nil {
				_ = st.out.send(frameEnd, nil)
			}
		}()
	}
	over := make(chan struct{})
	defer close(over)
	if req.Resize != nil || req.Signals != nil {
		go st.steer(req, over) // ends with the call
	}
	for {
		f, err := readFrame(st, maxFrame)
		switch {
		case ctx.Err() != nil:
			return exit, ctx.Err()
		case err != nil:
			return exit, e.n.down(q, err)
		case f.kind == frameDone:
			return exit, doneOf(f.payload, &exit)
		case f.kind == frameOutput:
			err = deliver(req.Stdout, f.payload)
		case f.kind == frameErrors:
			err = deliver(req.Stderr, f.payload)
		}
		if err != nil {
			return exit, err
		}
	}
}

// steer passes on what a program is told besides its input.
func (st *stream) steer(req gpu.ExecRequest, over <-chan struct{}) {
	resize, signals := req.Resize, req.Signals
	for {
		var err error
		select {
		case <-over:
			return
		case size, more := <-resize:
			if !more {
				resize = nil
				continue
			}
			err = st.out.sendJSON(frameResize, attachArgs{size.Cols, size.Rows})
		case sig, more := <-signals:
			if !more {
				signals = nil
				continue
			}
			err = st.out.sendJSON(frameSignal, signalArgs{int(sig)})
		}
		if err != nil {
			return // the call's reader learns why
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
