package link

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// Source reads the node's GPUs, gpu.ErrUnreachable while there is no line. Closing it closes nothing on the node.
func (n *Node) Source() gpu.Source { return &source{n: n} }

type source struct {
	n      *Node
	closed atomic.Bool
}

// eventMark is up to where a node's events have been taken in. Asking on from there tells the agent that they have.
type eventMark struct {
	mu   sync.Mutex
	boot string
	last int64
}

func (s *source) call(ctx context.Context, name, id string, args, result any) (*session, error) {
	if s.closed.Load() {
		return nil, gpu.ErrClosed
	}
	return s.n.call(ctx, name, id, args, result)
}

func (s *source) Devices(ctx context.Context) ([]gpu.Device, error) {
	var all []wireDevice
	if _, err := s.call(ctx, "devices", "", nil, &all); err != nil {
		return nil, err
	}
	return unpackDevices(all), nil
}

func (s *source) Read(ctx context.Context) ([]gpu.Reading, error) {
	var all []wireReading
	line, err := s.call(ctx, "read", "", nil, &all)
	if err != nil {
		return nil, err
	}
	return unpackReadings(all, line.clock.get()), nil
}

func (s *source) Processes(ctx context.Context, uuid string) ([]gpu.Process, error) {
	var all []wireProcess
	if _, err := s.call(ctx, "processes", uuid, nil, &all); err != nil {
		return nil, err
	}
	return unpackProcesses(all), nil
}

// Events asks from where the last answer that arrived ended: an answer that was lost on the way is told again.
func (s *source) Events(ctx context.Context) ([]gpu.Event, error) {
	mark := &s.n.events
	mark.mu.Lock()
	defer mark.mu.Unlock()
	var r eventResult
	line, err := s.call(ctx, "events", "", eventArgs{Boot: mark.boot, After: mark.last}, &r)
	if err != nil {
		return nil, err
	}
	mark.boot, mark.last = r.Boot, r.Last
	for i := range r.Events {
		r.Events[i].At = r.Events[i].At.Add(line.clock.get())
	}
	return r.Events, nil
}

func (s *source) Close() error {
	s.closed.Store(true)
	return nil
}

// Backlog returns the readings that the agent made since a moment while no console asked, oldest first, as far as it kept
// them: see recorder.
func (n *Node) Backlog(ctx context.Context, after time.Time) ([]gpu.Reading, error) {
	s, err := n.line()
	if err != nil {
		return nil, err
	}
	by := s.clock.get()
	var all []wireReading
	if _, err := n.call(ctx, "backlog", "", backlogArgs{After: after.Add(-by).UnixMicro()}, &all); err != nil {
		return nil, err
	}
	return unpackReadings(all, by), nil
}
