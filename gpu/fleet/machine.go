package fleet

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/link"
	"github.com/meterhouse/meterhouse/gpu/volume"
	"github.com/meterhouse/meterhouse/store"
)

// machine is one node as the fleet works with it: its GPUs, its instances and what is known of both. The console's own is
// there from the start; one that is reached by a line comes with its agent and is the same over every line.
type machine struct {
	*common
	name     string
	line     *link.Node // nil: the console's own machine
	source   gpu.Source // nil: no GPUs
	executor gpu.Executor
	images   gpu.Images      // nil: no engine
	vols     *volume.Manager // nil: none

	loads      loads
	activities activities
	wake       wakers
	// checkRead wakes the check by way of the reader, once that has read again.
	checkRead waker
	// The loops' wake-up channels.
	readNow, listNow, checkNow, keepNow, lineNow, proofNow, imagesNow, volumesNow waker

	// When its loops began and when it answered last, for the proof of life alone; zero for the console's own.
	began, seenAt time.Time

	mu      sync.RWMutex // guards what follows
	node    store.Node
	devices map[string]gpu.Device
	limits  []gpu.Limit
	here    bool // the inventory is taken since the last line came
	removed bool // the node was removed: what was on it is gone
}

func newMachine(c *common, name string) *machine {
	m := &machine{common: c, name: name, checkRead: make(waker, 1), devices: make(map[string]gpu.Device)}
	m.readNow = m.wake.add()
	m.listNow = m.wake.add()
	m.checkNow = m.wake.add()
	m.lineNow = m.wake.add()
	m.proofNow = m.wake.add()
	m.keepNow = m.wake.add("instance", "gpu", "quota")
	m.imagesNow = m.wake.add("image")
	m.volumesNow = m.wake.add("volume")
	return m
}

// begin does what must be done before anything on the console's own machine is offered. A source that fails here is tried
// again each minute.
func (m *machine) begin(ctx context.Context) error {
	if err := m.join(ctx); err != nil {
		return err
	}
	if err := m.takeInventory(ctx); err != nil {
		if store.KindOf(err) != store.Internal {
			return err
		}
		m.log.Error("the GPUs can not be listed yet", "node", m.name, "error", err)
	}
	return m.adopt(ctx)
}

// run works until ctx ends, and returns when every loop has; instances go on.
func (m *machine) run(ctx context.Context) error {
	loops := []func(context.Context) error{m.read, m.hear, m.inventory, m.keep, m.proofs, m.check}
	if m.line == nil {
		loops = append(loops, m.tendImages, m.volumes)
	} else {
		m.began = m.now()
		loops = append(loops, m.meet)
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, loop := range loops {
		group.Go(func() error { return loop(ctx) })
	}
	return group.Wait()
}

// loop is common's, with the machine's name in what it logs.
func (m *machine) loop(ctx context.Context, name string, interval time.Duration, wake waker, look func(context.Context) error) error {
	if m.line != nil {
		name = fmt.Sprintf("%s of %s", name, m.name)
	}
	return m.common.loop(ctx, name, interval, wake, look)
}

func (m *machine) nodeID() string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.node.ID
}

// hasGPUs reports whether anything can tell of GPUs there.
func (m *machine) hasGPUs() bool {
	if m.line != nil {
		return m.line.Info().Source
	}
	return m.source != nil
}

// reachable reports whether the machine can be asked: the console's own can, another once its inventory is taken over the line
// that there is.
func (m *machine) reachable() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.line == nil || m.here
}

func (m *machine) isRemoved() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.removed
}

// state is what the executor knows of an instance. One that it does not know is gone, and so is what ran on a machine that was
// removed.
func (m *machine) state(ctx context.Context, id string) (gpu.State, error) {
	gone := gpu.State{ID: id, Phase: gpu.PhaseGone}
	if m.isRemoved() {
		return gone, nil
	}
	st, err := m.executor.State(ctx, id)
	if isUnknown(err) {
		return gone, nil
	}
	return st, err
}
