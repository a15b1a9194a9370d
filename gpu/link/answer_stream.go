package link

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// streaming are the calls that have streams. Each ends its context when the console leaves.
var streaming = map[string]func(c *incoming, ctx context.Context, cancel context.CancelFunc){
	"attach": (*incoming).attach, "exec": (*incoming).exec, "log": (*incoming).log, "dial": (*incoming).dial,
}

// finish sends the last frame and ends who listens, whom it waits for.
func (c *incoming) finish(result any, err error, listening <-chan struct{}) {
	_ = c.reply(frameDone, result, err) // who has left needs no answer
	_ = c.stream.SetReadDeadline(time.Unix(1, 0))
	<-listening
}

// opening bounds what a call may take until its reply; what follows lasts as long as it lasts.
func (c *incoming) opening(cancel context.CancelFunc) (done func()) {
	if c.Left <= 0 {
		return func() {}
	}
	timer := time.AfterFunc(time.Duration(c.Left)*time.Millisecond, cancel)
	return func() { timer.Stop() }
}

func (c *incoming) attach(ctx context.Context, cancel context.CancelFunc) {
	var args attachArgs
	if err := c.understand(&args); err != nil {
		_ = c.reply(frameReply, nil, err)
		return
	}
	opened := c.opening(cancel)
	term, err := c.a.Executor.Attach(ctx, c.ID, gpu.Size{Cols: args.Cols, Rows: args.Rows})
	opened()
	if c.reply(frameReply, nil, err) != nil || err != nil {
		if term != nil {
			_ = term.Close()
		}
		return
	}
	listening := make(chan struct{})
	go func() { // waited for by finish
		defer close(listening)
		c.listen(func() { _ = term.Close() }, func(f frame) error { return typed(term, f) })
	}()
	stop := context.AfterFunc(ctx, func() { _ = term.Close() })
	defer stop()
	_, err = io.Copy(chunks{c.out, frameOutput}, plainReader{term})
	c.finish(nil, err, listening)
	_ = term.Close()
}

// plainReader hides what else a reader can do, so that io.Copy asks for pieces.
type plainReader struct{ io.Reader }

func typed(term gpu.Terminal, f frame) error {
	switch f.kind {
	case frameInput:
		_, err := term.Write(f.payload)
		return err
	case frameResize:
		var size attachArgs
		if err := json.Unmarshal(f.payload, &size); err != nil {
			return err
		}
		return term.Resize(gpu.Size{Cols: size.Cols, Rows: size.Rows})
	}
	return nil
}

func (c *incoming) exec(ctx context.Context, cancel context.CancelFunc) {
	var args execArgs
	if err := c.understand(&args); err != nil {
		_ = c.reply(frameDone, nil, err)
		return
	}
	req := gpu.ExecRequest{Argv: args.Argv, Shell: args.Shell, SFTP: args.SFTP, Env: args.Env}
	resize, signals := make(chan gpu.Size), make(chan syscall.Signal)
	if args.TTY != nil {
		req.TTY, req.Resize = &gpu.Size{Cols: args.TTY.Cols, Rows: args.TTY.Rows}, resize
	}
	if args.Signals {
		req.Signals = signals
	}
	steering, over := context.WithCancel(ctx)
	defer over()
	if args.Stdout {
		req.Stdout = chunks{c.out, frameOutput}
	}
	if args.Stderr {
		req.Stderr = chunks{c.out, frameErrors}
	}
	stdin, keys := io.Pipe()
	if args.Stdin {
		req.Stdin = stdin
	}
	listening := make(chan struct{})
	go func() { // waited for by finish
		defer close(listening)
		c.listen(cancel, func(f frame) error {
			switch f.kind {
			case frameInput:
				_, _ = keys.Write(f.payload) // a program that reads no more is not the console's mistake
			case frameEnd:
				_ = keys.Close()
			case frameResize:
				var size attachArgs
				return errors.Join(json.Unmarshal(f.payload, &size), pass(steering, req.Resize != nil, resize, gpu.Size{Cols: size.Cols, Rows: size.Rows}))
			case frameSignal:
				var sig signalArgs
				return errors.Join(json.Unmarshal(f.payload, &sig), pass(steering, req.Signals != nil, signals, syscall.Signal(sig.Signal)))
			}
			return nil
		})
		_ = keys.CloseWithError(io.ErrUnexpectedEOF)
	}()
	exit, err := c.a.Executor.Exec(ctx, c.ID, req)
	over()
	_ = stdin.Close()
	c.finish(exit, err, listening)
}

// pass hands v to who reads ch, unless nobody will.
func pass[T any](ctx context.Context, wanted bool, ch chan<- T, v T) error {
	if !wanted {
		return nil
	}
	select {
	case ch <- v:
	case <-ctx.Done():
	}
	return nil
}

func (c *incoming) log(ctx context.Context, cancel context.CancelFunc) {
	var args logArgs
	if err := c.understand(&args); err != nil {
		_ = c.reply(frameReply, nil, err)
		return
	}
	opened := c.opening(cancel)
	r, at, err := c.a.Executor.Log(ctx, c.ID, args.Offset, args.Follow)
	opened()
	if c.reply(frameReply, logResult{at}, err) != nil || err != nil {
		if r != nil {
			_ = r.Close()
		}
		return
	}
	listening := make(chan struct{})
	go func() { // waited for by finish
		defer close(listening)
		c.listen(cancel, func(frame) error { return nil })
	}()
	_, err = io.Copy(chunks{c.out, frameOutput}, plainReader{r})
	err = errors.Join(err, r.Close())
	c.finish(nil, err, listening)
}
