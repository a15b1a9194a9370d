package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
)

// adopt takes over what ran before this console started: what lives goes on without a gap in its bill, what ended while
// nobody looked is ended at its true time. What remains to be stopped is left to the keepers.
func (m *machine) adopt(ctx context.Context) error {
	known, err := m.executor.List(ctx)
	if err != nil {
		return fmt.Errorf("list what runs: %w", err)
	}
	states := make(map[string]gpu.State, len(known))
	for _, st := range known {
		states[st.ID] = st
	}
	instances, err := m.store.InstancesOnNode(ctx, m.nodeID(), heldStates...)
	if err != nil {
		return fmt.Errorf("look for instances: %w", err)
	}
	for _, inst := range instances {
		if err := m.adoptOne(ctx, inst, states); err != nil {
			return fmt.Errorf("adopt %s: %w", inst.ID, err)
		}
	}
	return nil
}

func (m *machine) adoptOne(ctx context.Context, inst store.Instance, states map[string]gpu.State) error {
	st, known := states[inst.ID]
	if !known {
		st = gpu.State{ID: inst.ID, Phase: gpu.PhaseGone}
	}
	if st.Phase == gpu.PhaseUnknown {
		m.log.Error("the record of an instance is broken: it is left as it is", "instance", inst.ID, "error", st.Exit.Err)
		return nil
	}
	switch inst.State {
	case life.Running, life.Suspended, life.Reclaiming, life.Unreachable:
	default:
		return nil
	}
	if !lives(st) {
		m.log.Warn("instance ended while no console ran", "instance", inst.ID, "phase", st.Phase)
		return m.markEnded(ctx, inst, st, time.Time{})
	}
	if inst.State == life.Unreachable {
		if err := m.store.MarkReachable(ctx, inst.ID, true, m.now()); err != nil {
			return err
		}
	}
	m.log.Info("instance adopted", "instance", inst.ID)
	m.loads.hold(inst.ID, inst.GPUs)
	if err := m.store.ProofOfLife(ctx, []string{inst.ID}, m.now()); err != nil {
		return err
	}
	return m.store.AddInstanceEvent(ctx, inst.ID, "adopted", nil)
}

// sweep deals with what the executor knows and the database does not count as live: it ends what still runs, and forgets
// what is proven clean. It returns the GPUs on which something is left.
func (m *machine) sweep(ctx context.Context) (dirty map[string]bool, err error) {
	known, err := m.executor.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what runs: %w", err)
	}
	dirty = make(map[string]bool)
	for _, st := range known {
		// Asked after the list was made: an instance is in the database before its processes exist.
		inst, err := m.store.Instance(ctx, st.ID)
		switch {
		case store.KindOf(err) == store.NotFound:
		case err != nil:
			return nil, err
		case inst.State.Live():
			continue
		}
		if err := m.clearAway(ctx, st); err != nil {
			m.log.Warn("something is left of an ended instance", "instance", st.ID, "error", err)
			for _, uuid := range append(inst.GPUs, st.GPUs...) {
				dirty[uuid] = true
			}
		}
	}
	return dirty, nil
}

// clearAway ends an orphan and removes its record once nothing is left.
func (m *machine) clearAway(ctx context.Context, st gpu.State) error {
	if lives(st) {
		m.log.Warn("ending an instance that the database does not count as live", "instance", st.ID)
		if _, err := m.executor.Stop(ctx, st.ID, defaultGrace); err != nil && !isUnknown(err) {
			return err
		}
		record := store.AuditRecord{Action: "orphan_ended", Target: st.ID}
		if err := m.store.Audit(ctx, record); err != nil {
			return err
		}
	}
	if notes := m.residue(ctx, st.ID); len(notes) > 0 {
		return fmt.Errorf("%s", notes[0])
	}
	if err := m.executor.Remove(ctx, st.ID); err != nil && !isUnknown(err) {
		return err
	}
	return nil
}
