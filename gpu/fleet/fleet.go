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
	"github.com/meterhouse/meterhouse/gpu/volume"
	"github.com/meterhouse/meterhouse/store"
)

// Config is what a Fleet works with. All but Source, Images and Log is needed.
type Config struct {
	Store    *store.Store
	Source   gpu.Source // nil: no GPUs, CPU-only instances still run
	Executor gpu.Executor
	Images   gpu.Images // nil: instances start from the node's own files alone
	Node     string     // this machine's name in the database
	Now      func() time.Time
	Log      *slog.Logger
	Volumes  string // the directory in which this node keeps volumes; "": none
}

// Fleet runs one node. Its exported methods may be called by many goroutines, before, while and after Run.
type Fleet struct {
	store    *store.Store
	source   gpu.Source
	executor gpu.Executor
	images   gpu.Images
	nodeName string
	vols     *volume.Manager // nil: none
	now      func() time.Time
	log      *slog.Logger

	history    history
	watchers   watchers
	loads      loads
	activities activities
	ready      atomic.Bool
	wake       wakers
	// checkRead wakes the check by way of the reader, once that has read again.
	checkRead waker

	// The loops' wake-up channels.
	readNow, listNow, checkNow, lifecycleNow, benchmarksNow, budgetsNow, noticesNow, spotNow, jobsNow, imagesNow, volumesNow, idleNow waker

	mu      sync.RWMutex // guards what follows
	node    store.Node
	devices map[string]gpu.Device
	limits  []gpu.Limit
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
	f := &Fleet{store: c.Store, source: c.Source, executor: c.Executor, images: c.Images, nodeName: c.Node,
		now: c.Now, log: c.Log, devices: make(map[string]gpu.Device)}
	var err error
	if f.vols, err = openVolumes(c.Volumes); err != nil {
		return nil, fmt.Errorf("fleet: volumes: %w", err)
	}
	f.checkRead = make(waker, 1)
	f.readNow = f.wake.add()
	f.listNow = f.wake.add()
	f.checkNow = f.wake.add()
	f.lifecycleNow = f.wake.add("instance", "gpu", "quota")
	f.benchmarksNow = f.wake.add("instance", "benchmark")
	f.jobsNow = f.wake.add("job")
	f.imagesNow = f.wake.add("image")
	f.noticesNow = f.wake.add("instance", "reservation")
	f.budgetsNow = f.wake.add("instance", "budget", "ledger")
	f.volumesNow = f.wake.add("volume")
	f.spotNow = f.wake.add("instance", "gpu", "node")
	f.idleNow = f.wake.add("idle")
	return f, nil
}

// Ready reports whether the inventory is taken and everything that ran before the start is adopted.
func (f *Fleet) Ready() bool { return f.ready.Load() }

// Kick makes the loops look at the database now, where there may be something to do.
func (f *Fleet) Kick() { f.wake.event(missed) }

// Run works until ctx ends, and returns when every loop has; instances go on. It fails only when the start does: the
// database can't be reached, or what runs can't be listed. It may be called once.
func (f *Fleet) Run(ctx context.Context) error {
	if err := f.begin(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, loop := range []func(context.Context) error{
		f.forward, f.read, f.hear, f.inventory, f.lifecycle, f.spotMarkets, f.proofs, f.meter, f.jobs, f.budgets, f.notices, f.check, f.benchmarks, f.tendImages,
		f.volumes, f.idle,
	} {
		group.Go(func() error { return loop(ctx) })
	}
	f.ready.Store(ctx.Err() == nil)
	return group.Wait()
}

// begin does what must be done before anything is offered. A source that fails here is tried again each minute.
func (f *Fleet) begin(ctx context.Context) error {
	if err := f.join(ctx); err != nil {
		return err
	}
	if err := f.takeInventory(ctx); err != nil {
		if store.KindOf(err) != store.Internal {
			return err
		}
		f.log.Error("the GPUs can not be listed yet", "error", err)
	}
	return f.adopt(ctx)
}
