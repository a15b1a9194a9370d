package fleet

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
)

// keeper does the work of one instance, one thing at a time, in a goroutine of its own: one that is slow holds up no other.
// It remembers nothing that a restart could not find out again.
type keeper struct {
	m  *machine
	id string
	// news has room for one: the latest that the lifecycle loop saw. Closed when the instance is not this node's any more.
	news chan store.Instance
	// ended has room for one: how the instance's processes ended, from the watcher.
	ended chan gpu.State

	mu          sync.Mutex
	cancelStart context.CancelFunc // while a start is under way

	// What follows belongs to the keeper's goroutine.
	watching   bool
	reclaiming bool // its reclaim's steps are being taken
	watchers   sync.WaitGroup
	aliveAt    time.Time // last moment at which this console knew it to live
	suspended  bool      // what the executor was last told
	failures   int       // of stopping, one after another
	said       string    // the last error that was logged
}

func newKeeper(m *machine, id string) *keeper {
	return &keeper{m: m, id: id, news: make(chan store.Instance, 1), ended: make(chan gpu.State, 1)}
}

// tell gives the keeper the newest there is. A start under way is given up when the person has stopped the instance.
func (k *keeper) tell(inst store.Instance) {
	select {
	case <-k.news:
	default:
	}
	k.news <- inst
	if inst.State != life.Stopping {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cancelStart != nil {
		k.cancelStart()
	}
}

func (k *keeper) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer k.watchers.Wait()
	defer cancel()
	defer k.m.loads.release(k.id)
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case inst, open := <-k.news:
			if !open {
				return
			}
			if k.settled(inst) {
				continue
			}
			err = k.step(ctx)
		case st := <-k.ended:
			k.watching = false
			err = k.end(ctx, st)
		}
		k.complain(ctx, err)
	}
}

// settled reports whether there is nothing to do for what the loop saw, so that a quiet instance costs no query.
func (k *keeper) settled(inst store.Instance) bool {
	switch inst.State {
	case life.Running:
		return k.watching && !k.suspended
	case life.Reclaiming:
		return k.watching && !k.suspended && k.reclaiming
	case life.Suspended:
		return k.watching && k.suspended
	}
	return false
}

// step does the one thing that is due by what the database says now: what the loop saw may be older than what this keeper
// has done since.
func (k *keeper) step(ctx context.Context) error {
	inst, err := k.m.store.Instance(ctx, k.id)
	if err != nil {
		return err
	}
	switch inst.State {
	case life.Starting:
		return k.start(ctx, inst)
	case life.Running, life.Suspended, life.Reclaiming, life.Unreachable:
		return k.tend(ctx, inst)
	case life.Stopping:
		return k.stop(ctx, inst)
	}
	return nil
}

// complain logs an error when it is a new one; the loop's next news are the next try.
func (k *keeper) complain(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
	case err == nil:
		k.said = ""
	case err.Error() != k.said:
		k.said = err.Error()
		k.m.log.Error("instance will be tried again", "instance", k.id, "error", err)
	}
}

// watch waits for the end of the instance's processes, in a goroutine that run waits for.
func (k *keeper) watch(ctx context.Context) {
	if k.watching {
		return
	}
	k.watching = true
	k.watchers.Go(func() {
		for {
			st, err := k.m.executor.Wait(ctx, k.id)
			if isUnknown(err) || k.m.isRemoved() {
				st, err = gpu.State{ID: k.id, Phase: gpu.PhaseGone}, nil
			}
			if ctx.Err() != nil {
				return
			}
			if err == nil && !lives(st) {
				k.ended <- st // room for one, and there is one watcher
				return
			}
			if !sleep(ctx, time.Second) {
				return
			}
		}
	})
}

// lives reports whether processes of the instance are there.
func lives(st gpu.State) bool { return st.Phase == gpu.PhaseRunning || st.Phase == gpu.PhaseSuspended }

// isUnknown reports whether the executor does not know the instance.
func isUnknown(err error) bool { return errors.Is(err, gpu.ErrNoInstance) }
