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

// Load returns what the instance that has this GPU has used, as of the last tick; false where none has it, or its use is
// not known. It never waits for hardware.
func (f *Fleet) Load(uuid string) (cpu time.Duration, memory int64, ok bool) {
	f.loads.mu.RLock()
	defer f.loads.mu.RUnlock()
	id, held := f.loads.holders[uuid]
	if !held {
		return 0, 0, false
	}
	u, known := f.loads.usage[id]
	return u.CPU, u.Memory, known
}

// read is the only loop that reads the hardware: once a second, and when a proof wants a fresh value.
func (f *Fleet) read(ctx context.Context) error {
	if f.source == nil {
		return nil
	}
	return f.loop(ctx, "reader", readInterval, f.readNow, func(ctx context.Context) error {
		f.readLoads(ctx)
		readings, err := f.readAll(ctx)
		if err != nil {
			return err
		}
		tick := Tick{At: f.now(), Readings: make(map[string]gpu.Reading, len(readings))}
		for _, r := range readings {
			f.history.add(r)
			tick.Readings[r.UUID] = r
		}
		held, usage := f.loads.held()
		f.activities.add(tick, held, usage)
		f.watchers.send(tick)
		select {
		case <-f.checkRead:
			f.checkNow.wake()
		default:
		}
		return nil
	})
}

func (f *Fleet) readAll(ctx context.Context) ([]gpu.Reading, error) {
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	return f.source.Read(ctx)
}

// readLoads asks for each holder's usage once. One that can't be read is left out: unknown, not idle.
func (f *Fleet) readLoads(ctx context.Context) {
	ids := f.loads.instances()
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
			u, err := f.executor.Usage(ctx, id)
			if err == nil {
				mu.Lock()
				usage[id] = u
				mu.Unlock()
			}
			return nil
		})
	}
	_ = group.Wait() // no member returns an error
	f.loads.set(usage)
}
