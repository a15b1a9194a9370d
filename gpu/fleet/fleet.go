// Package fleet joins the two halves that don't know each other: what the database says of instances and GPUs (store), and
// what really runs and is really there (gpu). It is a set of loops that look at the database for what is due, do it, and
// write down what they have seen; doing anything twice has one effect, so that a kill at any moment loses nothing.
//
// It may import gpu, its subpackages and store, and nothing above them. The rule it keeps: the database says running only
// when processes exist, and stopped only after proof that none is left.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
)

// Config is what a Fleet works with. All but Source, Images and Log is needed.
type Config struct {
	Store    *store.Store
	Source   gpu.Source // nil: no GPUs, CPU-only instances still run
	Executor gpu.Executor
	Images   gpu.Images // nil: instances start from the node's own files alone
	Node     string     // the console's own machine's name in the database
	Now      func() time.Time
	Log      *slog.Logger
	Volumes  string // the directory in which this node keeps volumes; "": none
}

// common is what the fleet and its machines share.
type common struct {
	store    *store.Store
	now      func() time.Time
	log      *slog.Logger
	history  history
	watchers watchers
	beat     beat
}

// Fleet runs the console's own machine and those that Take gives it. Its exported methods may be called by many goroutines,
// before, while and after Run.
type Fleet struct {
	*common
	local *machine
	ready atomic.Bool
	wake  wakers

	// The loops' wake-up channels.
	dueNow, benchmarksNow, budgetsNow, noticesNow, spotNow, jobsNow, idleNow, machinesNow waker

	mu     sync.RWMutex // guards what follows
	remote []*machine
}

// New makes a Fleet; it touches nothing but the directory of volumes until Run.
func New(c Config) (*Fleet, error) {
	switch {
	case c.Store == nil:
		return nil, errors.New("fleet: no store")
	case c.Executor == nil:
		return nil, errors.New("fleet: no executor")
	case c.Node == "":
		return nil, errors.New("fleet: the node has no name")
	case c.Now == nil:
		return nil, errors.New("fleet: no clock")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	vols, err := openVolumes(c.Volumes)
	if err != nil {
		return nil, fmt.Errorf("fleet: volumes: %w", err)
	}
	f := &Fleet{common: &common{store: c.Store, now: c.Now, log: c.Log}}
	f.local = newMachine(f.common, c.Node)
	f.local.source, f.local.executor, f.local.images, f.local.vols = c.Source, c.Executor, c.Images, vols
	f.dueNow = f.wake.add("instance", "gpu", "quota", "node")
	f.machinesNow = f.wake.add()
	f.benchmarksNow = f.wake.add("instance", "benchmark")
	f.jobsNow = f.wake.add("job")
	f.noticesNow = f.wake.add("instance", "reservation")
	f.budgetsNow = f.wake.add("instance", "budget", "ledger")
	f.spotNow = f.wake.add("instance", "gpu", "node")
	f.idleNow = f.wake.add("idle")
	return f, nil
}

// Ready reports whether the inventory is taken and everything that ran before the start is adopted.
func (f *Fleet) Ready() bool { return f.ready.Load() }

// Kick makes the loops look at the database now, where there may be something to do.
func (f *Fleet) Kick() { f.event(missed) }

// Run works until ctx ends, and returns when every loop has; instances go on. It fails only when the start does: the
// database can't be reached, or what runs can't be listed. It may be called once.
func (f *Fleet) Run(ctx context.Context) error {
	if err := f.local.begin(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, loop := range []func(context.Context) error{
		f.forward, f.machines, f.due, f.spotMarkets, f.meter, f.jobs, f.budgets, f.notices, f.benchmarks, f.idle,
	} {
		group.Go(func() error { return loop(ctx) })
	}
	f.ready.Store(ctx.Err() == nil)
	return group.Wait()
}
