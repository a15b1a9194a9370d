package link

import (
	"context"
	"encoding/json"
	"fmt"
	"syscall"
	"time"

	"github.com/hashicorp/yamux"

	"github.com/meterhouse/meterhouse/gpu"
)

// incoming is one call at the agent's end.
type incoming struct {
	request
	a      *Agent
	stream *yamux.Stream
	out    *frameWriter
}

// answer serves one call. The console's leaving ends the call's context.
func (a *Agent) answer(ctx context.Context, raw *yamux.Stream) {
	defer func() { _ = raw.Close() }() // who has left needs no word of it
	c := &incoming{a: a, stream: raw, out: &frameWriter{w: raw}}
	if readJSON(raw, frameRequest, maxFrame, &c.request) != nil {
		return // the console has left already
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if with, known := streaming[c.Call]; known {
		with(c, ctx, cancel)
		return
	}
	if c.Left > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, time.Duration(c.Left)*time.Millisecond)
		defer end()
	}
	gone := make(chan struct{})
	go func() { // waited for below
		defer close(gone)
		c.listen(cancel, func(frame) error { return nil })
	}()
	result, err := c.do(ctx)
	_ = c.reply(frameReply, result, err) // who has left needs no answer
	_ = raw.SetReadDeadline(time.Unix(1, 0))
	<-gone
}

// listen takes what the console sends until it leaves; then the call's context ends. Frames of kinds that are not known are
// a newer console's, and do no harm.
func (c *incoming) listen(left func(), take func(frame) error) {
	defer left()
	for {
		f, err := readFrame(c.stream, maxFrame)
		if err != nil || take(f) != nil {
			return
		}
	}
}

func (c *incoming) reply(kind byte, result any, err error) error {
	r := reply{Error: failureOf(err), Now: c.a.Now().UnixMicro()}
	if result != nil {
		text, broken := json.Marshal(result)
		if broken != nil {
			r.Error = failureOf(broken)
		}
		r.Result = text
	}
	return c.out.sendJSON(kind, r)
}

// do carries out a call without streams.
func (c *incoming) do(ctx context.Context) (any, error) {
	x := c.a.Executor
	switch c.Call {
	case "limits":
		return x.Limits(ctx), nil
	case "start":
		var spec gpu.Spec
		if err := c.understand(&spec); err != nil {
			return nil, err
		}
		return x.Start(ctx, spec)
	case "state":
		return x.State(ctx, c.ID)
	case "list":
		return x.List(ctx)
	case "wait":
		return x.Wait(ctx, c.ID)
	case "stop":
		var args stopArgs
		if err := c.understand(&args); err != nil {
			return nil, err
		}
		return x.Stop(ctx, c.ID, time.Duration(args.GraceMillis)*time.Millisecond)
	case "usage":
		return x.Usage(ctx, c.ID)
	case "pids":
		return x.PIDs(ctx, c.ID)
	case "clean":
		return x.Clean(ctx, c.ID)
	case "signal", "notice", "suspend", "resume", "remove":
		return nil, c.act(ctx, x)
	case "devices", "read", "processes", "events", "backlog":
		if c.a.Source == nil {
			return nil, gpu.ErrClosed
		}
		return c.look(ctx, c.a.Source)
	}
	return nil, fmt.Errorf("this agent is too old: it does not know the call %q", c.Call)
}

func (c *incoming) act(ctx context.Context, x gpu.Executor) error {
	switch c.Call {
	case "signal":
		var args signalArgs
		if err := c.understand(&args); err != nil {
			return err
		}
		return x.Signal(ctx, c.ID, syscall.Signal(args.Signal))
	case "notice":
		var args noticeArgs
		if err := c.understand(&args); err != nil {
			return err
		}
		return x.Notice(ctx, c.ID, args.Content)
	case "suspend":
		return x.Suspend(ctx, c.ID)
	case "resume":
		return x.Resume(ctx, c.ID)
	}
	return x.Remove(ctx, c.ID)
}

// look carries out a call on the source.
func (c *incoming) look(ctx context.Context, s gpu.Source) (any, error) {
	switch c.Call {
	case "devices":
		all, err := s.Devices(ctx)
		return packDevices(all), err
	case "read":
		all, err := s.Read(ctx)
		c.a.record.asked(all)
		return packReadings(all), err
	case "processes":
		all, err := s.Processes(ctx, c.ID)
		return packProcesses(all), err
	case "events":
		var args eventArgs
		if err := c.understand(&args); err != nil {
			return nil, err
		}
		return c.a.record.eventsAfter(ctx, args)
	}
	var args backlogArgs
	if err := c.understand(&args); err != nil {
		return nil, err
	}
	return packReadings(c.a.record.readingsAfter(args.After)), nil
}
