package fleet

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/meterhouse/meterhouse/gpu"
)

const (
	readInterval = time.Second
	// readPatience is how long one round of reading may take: a device that hangs costs readings, not the loop.
	readPatience = 3 * time.Second
	// usagePatience is how long one look at an instance's cgroup may take.
	usagePatience = 500 * time.Millisecond
	usageAtOnce   = 8
)

// loads is what the instances that hold GPUs use, as of the last tick. The simulator asks for it while it reads.
type loads struct {
	mu      sync.RWMutex
	holders map[string]string    // GPU → the instance whose processes run on it
	usage   map[string]gpu.Usage // instance → what it used at the last tick
}

func (l *loads) hold(instanceID string, gpus []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holders == nil {
		l.holders, l.usage = make(map[string]string), make(map[string]gpu.Usage)
	}
	for _, uuid := range gpus {
		l.holders[uuid] = instanceID
	}
}

func (l *loads) release(instanceID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for uuid, id := range l.holders {
		if id == instanceID {
			delete(l.holders, uuid)
		}
	}
	delete(l.usage, instanceID)
}

func (l *loads) instances() []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	seen := make(map[string]bool)
	var ids []string
	for _, id := range l.holders {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

func (l *loads) set(usage map[string]gpu.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.usage = usage
}

// Load returns what the instance that has this GPU of the console's own machine has used, as of the last tick; false where none has it, or its use is
// not known. It never waits for hardware.
func (f *Fleet) Load(uuid string) (cpu time.Duration, memory int64, ok bool) {
	l := &f.local.loads
	l.mu.RLock()
	defer l.mu.RUnlock()
	id, held := l.holders[uuid]
	if !held {
		return 0, 0, false
	}
	u, known := l.usage[id]
	return u.CPU, u.Memory, known
}

// read is the only loop that reads the machine's GPUs: once a second, and when a proof wants a fresh value.
func (m *machine) read(ctx context.Context) error {
	return m.loop(ctx, "reader", readInterval, m.readNow, func(ctx context.Context) error {
		tick, err := m.readOnce(ctx)
		if err != nil {
			return err
		}
		if m.line != nil {
			m.beat.add(tick)
			return nil
		}
		if tick = m.beat.with(tick); len(tick.Readings) > 0 || m.hasGPUs() {
			m.watchers.send(tick)
		}
		return nil
	})
}

// readOnce reads every GPU, and what those who hold them use; nothing where there are none, or no line to them.
func (m *machine) readOnce(ctx context.Context) (Tick, error) {
	tick := Tick{At: m.now(), Readings: make(map[string]gpu.Reading)}
	if !m.hasGPUs() || !m.reachable() {
		return tick, nil
	}
	m.readLoads(ctx)
	readings, err := m.readAll(ctx)
	if err != nil {
		return tick, err
	}
	tick.At = m.now()
	for _, r := range readings {
		m.history.add(r)
		tick.Readings[r.UUID] = r
	}
	held, usage := m.loads.held()
	m.activities.add(tick, held, usage)
	select {
	case <-m.checkRead:
		m.checkNow.wake()
	default:
	}
	return tick, nil
}

func (m *machine) readAll(ctx context.Context) ([]gpu.Reading, error) {
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	return m.source.Read(ctx)
}

// readLoads asks for each holder's usage once. One that can't be read is left out: unknown, not idle.
func (m *machine) readLoads(ctx context.Context) {
	ids := m.loads.instances()
	if len(ids) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, usagePatience)
	defer cancel()
	var mu sync.Mutex
	usage := make(map[string]gpu.Usage, len(ids))
	var group errgroup.Group
	group.SetLimit(usageAtOnce)
	for _, id := range ids {
		group.Go(func() error {
			u, err := m.executor.Usage(ctx, id)
			if err == nil {
				mu.Lock()
				usage[id] = u
				mu.Unlock()
			}
			return nil
		})
	}
	_ = group.Wait() // no member returns an error
	m.loads.set(usage)
}
