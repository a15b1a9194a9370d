package fleet

import (
	"context"
	"io"
	"net"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// Latest returns the last reading of a GPU and its age; false if it was never read.
func (f *Fleet) Latest(uuid string) (gpu.Reading, time.Duration, bool) {
	r, ok := f.history.latest(uuid)
	if !ok {
		return gpu.Reading{}, 0, false
	}
	return r, max(0, f.now().Sub(r.At)), true
}

// Samples returns the readings of the last 15 minutes in [from, to), oldest first. A missing second is missing.
func (f *Fleet) Samples(uuid string, from, to time.Time) []gpu.Reading {
	return f.history.between(uuid, from, to)
}

// Watch returns a channel of ticks, one a second, and a function that ends it. A slow reader gets the latest tick, not all.
func (f *Fleet) Watch() (<-chan Tick, func()) { return f.watchers.add() }

// Device returns what is known of a GPU from the last inventory.
func (f *Fleet) Device(uuid string) (gpu.Device, bool) {
	for _, m := range f.all() {
		if d, ok := m.device(uuid); ok {
			return d, true
		}
	}
	return gpu.Device{}, false
}

// Attach opens the terminal of a running instance: the same shell each time.
func (f *Fleet) Attach(ctx context.Context, instanceID string, size gpu.Size) (gpu.Terminal, error) {
	m, err := f.of(ctx, instanceID)
	if err != nil {
		return nil, err
	}
	return m.executor.Attach(ctx, instanceID, size)
}

// Exec runs a further command in a running instance.
func (f *Fleet) Exec(ctx context.Context, instanceID string, req gpu.ExecRequest) (gpu.Exit, error) {
	m, err := f.of(ctx, instanceID)
	if err != nil {
		return gpu.Exit{}, err
	}
	return m.executor.Exec(ctx, instanceID, req)
}

// Dial connects to a port on which a process of a running instance listens; else gpu.ErrNotItsPort.
func (f *Fleet) Dial(ctx context.Context, instanceID, network, address string) (net.Conn, error) {
	m, err := f.of(ctx, instanceID)
	if err != nil {
		return nil, err
	}
	return m.executor.Dial(ctx, instanceID, network, address)
}

// Log opens an instance's output from a byte offset, and returns the offset it really starts at. It works for ended
// instances as long as their log is on disk; gpu.ErrNoInstance when it is not.
func (f *Fleet) Log(ctx context.Context, instanceID string, offset int64, follow bool) (io.ReadCloser, int64, error) {
	m, err := f.of(ctx, instanceID)
	if err != nil {
		return nil, 0, err
	}
	return m.executor.Log(ctx, instanceID, offset, follow)
}

// Limits says which limits a node enforces, as found when it was last taken in; nil of one that never was. "" is the
// console's own machine.
func (f *Fleet) Limits(nodeID string) []gpu.Limit {
	m := f.local
	if nodeID != "" {
		m = f.machine(nodeID)
	}
	if m == nil {
		return nil
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.limits
}
