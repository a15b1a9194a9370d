package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/link"
	"github.com/meterhouse/meterhouse/store"
)

// meetInterval is how often a line is looked at where nothing says that it has changed.
const meetInterval = time.Second

// noteRemoved says why nothing is known of what was on a node any more.
const noteRemoved = "its node was removed"

// Take makes another machine part of the fleet, by the line that its agent makes: it may have none yet. One that was taken
// before, and removed, is there again.
func (f *Fleet) Take(n store.Node, line *link.Node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.remote {
		if m.nodeID() == n.ID {
			m.setRemoved(false)
			return
		}
	}
	m := newMachine(f.common, n.Name)
	m.node, m.line, m.source, m.executor = n, line, line.Source(), line.Executor()
	f.remote = append(f.remote, m)
	f.machinesNow.wake()
}

// Remove gives up what is on a node that was removed: its instances end at their last proof of life.
func (f *Fleet) Remove(nodeID string) {
	if m := f.machine(nodeID); m != nil && m.line != nil {
		m.setRemoved(true)
		m.keepNow.wake()
	}
}

// machines runs the console's own machine and each that is taken.
func (f *Fleet) machines(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for running := 0; ; {
		all := f.all()
		for _, m := range all[running:] {
			group.Go(func() error { return m.run(ctx) })
		}
		running = len(all)
		select {
		case <-ctx.Done():
			return group.Wait()
		case <-f.machinesNow:
		}
	}
}

// all returns the machines, the console's own first, in the order in which they came.
func (f *Fleet) all() []*machine {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return append([]*machine{f.local}, f.remote...)
}

// machine returns the one that is a node; nil where none is.
func (f *Fleet) machine(nodeID string) *machine {
	for _, m := range f.all() {
		if nodeID != "" && m.nodeID() == nodeID {
			return m
		}
	}
	return nil
}

// of returns the machine on which an instance has its place.
func (f *Fleet) of(ctx context.Context, instanceID string) (*machine, error) {
	inst, err := f.store.Instance(ctx, instanceID)
	if store.KindOf(err) == store.NotFound || err == nil && inst.NodeID == "" {
		return nil, gpu.ErrNoInstance
	}
	if err != nil {
		return nil, err
	}
	m := f.machine(inst.NodeID)
	if m == nil {
		return nil, gpu.ErrUnreachable
	}
	return m, nil
}

func (m *machine) setRemoved(removed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.removed = removed
}

// cut reports whether a machine elsewhere has no line now.
func (m *machine) cut() bool { return m.line != nil && !m.line.Info().Connected }

// meet takes the machine in each time its agent has made a line.
func (m *machine) meet(ctx context.Context) error {
	var watching sync.WaitGroup
	defer watching.Wait()
	watching.Go(func() {
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-m.line.Changed():
				m.lineNow.wake()
			}
		}
	})
	var met time.Time // the line that was taken in last
	return m.loop(ctx, "line", meetInterval, m.lineNow, func(ctx context.Context) error {
		info := m.line.Info()
		if !info.Connected || !info.Since.Equal(met) {
			m.setHere(false)
		}
		if !info.Connected || m.reachable() {
			return nil
		}
		if err := m.takeIn(ctx); err != nil {
			if errors.Is(err, gpu.ErrUnreachable) {
				return nil // the next line
			}
			return err
		}
		met = info.Since
		m.setHere(true)
		for _, w := range []waker{m.readNow, m.keepNow, m.proofNow, m.checkNow} {
			w.wake()
		}
		return nil
	})
}

// takeIn finds out what is there. What was read while there was no line comes first: later readings would not let it in.
func (m *machine) takeIn(ctx context.Context) error {
	asked, cancel := context.WithTimeout(ctx, inventoryPatience)
	defer cancel()
	if err := m.takeInventory(asked); err != nil {
		return err
	}
	if err := m.catchUp(asked); err != nil {
		return err
	}
	return m.join(asked)
}

// catchUp takes in the readings of the time without a line, as far as they are kept here.
func (m *machine) catchUp(ctx context.Context) error {
	if !m.hasGPUs() {
		return nil
	}
	backlog, err := m.line.Backlog(ctx, m.now().Add(-ringLength*readInterval))
	if err != nil {
		return fmt.Errorf("ask for the readings since: %w", err)
	}
	for _, r := range backlog {
		m.history.add(r)
	}
	return nil
}

func (m *machine) setHere(here bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.here = here
}

// seen writes down that the machine answers, or that it is lost once it has not for too long.
func (m *machine) seen(ctx context.Context, at time.Time) error {
	if m.line == nil {
		return m.store.NodeSeen(ctx, m.nodeID(), at)
	}
	if m.reachable() {
		asked, cancel := context.WithTimeout(ctx, proofPatience)
		_, err := m.executor.List(asked)
		cancel()
		if err == nil {
			m.seenAt = at
			return m.store.NodeSeen(ctx, m.nodeID(), at)
		}
	}
	if at.Sub(later(m.seenAt, m.began)) < unprovenPatience {
		return nil
	}
	return m.store.NodeLost(ctx, m.nodeID(), at)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
