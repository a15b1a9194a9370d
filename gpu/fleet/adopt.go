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
func (f *Fleet) adopt(ctx context.Context) error {
	known, err := f.executor.List(ctx)
	if err != nil {
		return fmt.Errorf("list what runs: %w", err)
	}
	states := make(map[string]gpu.State, len(known))
	for _, st := range known {
		states[st.ID] = st
	}
	instances, err := f.store.InstancesOnNode(ctx, f.nodeID(), heldStates...)
	if err != nil {
		return fmt.Errorf("look for instances: %w", err)
	}
	for _, inst := range instances {
		if err := f.adoptOne(ctx, inst, states); err != nil {
			return fmt.Errorf("adopt %s: %w", inst.ID, err)
		}
	}
	return nil
}

func (f *Fleet) adoptOne(ctx context.Context, inst store.Instance, states map[string]gpu.State) error {
	st, known := states[inst.ID]
	if !known {
		st = gpu.State{ID: inst.ID, Phase: gpu.PhaseGone}
	}
	if st.Phase == gpu.PhaseUnknown {
		f.log.Error("the record of an instance is broken: it is left as it is", "instance", inst.ID, "error", st.Exit.Err)
		return nil
	}
	switch inst.State {
	case life.Running, life.Suspended, life.Reclaiming, life.Unreachable:
	default:
		return nil
	}
	if !lives(st) {
		f.log.Warn("instance ended while no console ran", "instance", inst.ID, "phase", st.Phase)
		return f.markEnded(ctx, inst, st, time.Time{})
	}
	if inst.State == life.Unreachable {
		if err := f.store.MarkReachable(ctx, inst.ID, true, f.now()); err != nil {
			return err
		}
	}
	f.log.Info("instance adopted", "instance", inst.ID)
	f.loads.hold(inst.ID, inst.GPUs)
	if err := f.store.ProofOfLife(ctx, []string{inst.ID}, f.now()); err != nil {
		return err
	}
	return f.store.AddInstanceEvent(ctx, inst.ID, "adopted", nil)
}

// sweep deals with what the executor knows and the database does not count as live: it ends what still runs, and forgets
// what is proven clean. It returns the GPUs on which something is left.
func (f *Fleet) sweep(ctx context.Context) (dirty map[string]bool, err error) {
	known, err := f.executor.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what runs: %w", err)
	}
	dirty = make(map[string]bool)
	for _, st := range known {
		// Asked after the list was made: an instance is in the database before its processes exist.
		inst, err := f.store.Instance(ctx, st.ID)
		switch {
		case store.KindOf(err) == store.NotFound:
		case err != nil:
			return nil, err
		case inst.State.Live():
			continue
		}
		if err := f.clearAway(ctx, st); err != nil {
			f.log.Warn("something is left of an ended instance", "instance", st.ID, "error", err)
			for _, uuid := range append(inst.GPUs, st.GPUs...) {
				dirty[uuid] = true
			}
		}
	}
	return dirty, nil
}

// clearAway ends an orphan and removes its record once nothing is left.
func (f *Fleet) clearAway(ctx context.Context, st gpu.State) error {
	if lives(st) {
		f.log.Warn("ending an instance that the database does not count as live", "instance", st.ID)
		if _, err := f.executor.Stop(ctx, st.ID, defaultGrace); err != nil && !isUnknown(err) {
			return err
		}
		record := store.AuditRecord{Action: "orphan_ended", Target: st.ID}
		if err := f.store.Audit(ctx, record); err != nil {
			return err
		}
	}
	if notes := f.residue(ctx, st.ID); len(notes) > 0 {
		return fmt.Errorf("%s", notes[0])
	}
	if err := f.executor.Remove(ctx, st.ID); err != nil && !isUnknown(err) {
		return err
	}
	return nil
}
