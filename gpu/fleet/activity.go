package fleet

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/idle"
)

const (
	// idleInterval is how often what instances did is written down, and looked at: a restart forgets no more than that.
	idleInterval = time.Minute
	// unwritten is how long what could not be written down is kept.
	unwritten = time.Hour
)

// activities sums up what instances do, tick by tick, until it is written down.
type activities struct {
	mu   sync.Mutex
	last time.Time                // of the last tick
	cpu  map[string]time.Duration // instance → what it had used by then, where that is known
	sums map[spanOf]*store.Activity
}

// spanOf is one instance's five minutes.
type spanOf struct {
	instance string
	at       int64 // microseconds
}

// add counts the time since the last tick, of those instances of which all is known: each GPU's activity and memory, and what
// processors worked for it. A tick that comes late tells nothing of the time before it.
func (a *activities) add(t Tick, held map[string][]string, usage map[string]gpu.Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	since, before := t.At.Sub(a.last), a.cpu
	a.last, a.cpu = t.At, make(map[string]time.Duration, len(usage))
	for id, u := range usage {
		a.cpu[id] = u.CPU
	}
	if since <= 0 || since > freshness {
		return
	}
	for id, gpus := range held {
		was, one := before[id]
		is, two := a.cpu[id]
		busiest, sum, memory, known := t.activity(gpus)
		if !one || !two || is < was || !known {
			continue
		}
		part := func(permille int64) time.Duration { return since * time.Duration(permille) / 1000 }
		at := t.At.Add(-since).Truncate(idle.Span)
		a.count(store.Activity{InstanceID: id, At: at, Known: since, Busy: part(busiest), Used: part(sum) / time.Duration(len(gpus)), CPU: is - was, Memory: memory})
	}
}

// activity returns what a tick says of some GPUs: how active the busiest was, and all together, per mille, and what they hold.
func (t Tick) activity(gpus []string) (busiest, sum, memory int64, known bool) {
	for _, uuid := range gpus {
		r := t.Readings[uuid]
		active, one := r.Values[gpu.Utilization].Get()
		holds, two := r.Values[gpu.MemoryUsed].Get()
		if !one || !two || t.At.Sub(r.At) > freshness {
			return 0, 0, 0, false
		}
		active = min(max(active, 0), 1000)
		busiest, sum, memory = max(busiest, active), sum+active, memory+holds
	}
	return busiest, sum, memory, len(gpus) > 0
}

func (a *activities) count(one store.Activity) {
	key := spanOf{one.InstanceID, one.At.UnixMicro()}
	have := a.sums[key]
	if have == nil {
		if a.sums == nil {
			a.sums = make(map[spanOf]*store.Activity)
		}
		a.sums[key] = &one
		return
	}
	have.Known, have.Busy, have.Used, have.CPU = have.Known+one.Known, have.Busy+one.Busy, have.Used+one.Used, have.CPU+one.CPU
	have.Memory = max(have.Memory, one.Memory)
}

// take hands over what was summed up.
func (a *activities) take() (all []store.Activity) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range a.sums {
		all = append(all, *one)
	}
	clear(a.sums)
	return all
}

// giveBack takes in again what could not be written down.
func (a *activities) giveBack(all []store.Activity) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range all {
		if a.last.Sub(one.At) < unwritten {
			a.count(one)
		}
	}
}

// held returns the GPUs of each instance that has some, and what it used at the last tick.
func (l *loads) held() (gpus map[string][]string, usage map[string]gpu.Usage) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	gpus = make(map[string][]string, len(l.holders))
	for uuid, id := range l.holders {
		gpus[id] = append(gpus[id], uuid)
	}
	return gpus, maps.Clone(l.usage)
}

// idle writes down what instances did, and takes the steps that are due with those that do nothing. What was counted last is
// written when it ends.
func (f *Fleet) idle(ctx context.Context) error {
	err := f.loop(ctx, "idle", idleInterval, f.idleNow, func(ctx context.Context) error {
		if err := f.writeActivity(ctx); err != nil {
			return err
		}
		_, err := f.store.TendIdle(ctx)
		return err
	})
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := f.writeActivity(last); err != nil {
		f.log.Warn("the last minute of activity is lost", "error", err)
	}
	return err
}

func (f *Fleet) writeActivity(ctx context.Context) error {
	for _, m := range f.all() {
		some := m.activities.take()
		if err := f.store.AddActivity(ctx, some); err != nil {
			m.activities.giveBack(some)
			return err
		}
	}
	return nil
}
