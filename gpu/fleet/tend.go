package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
)

// tend makes what runs match what the database says, and notices an end that nobody told of.
func (k *keeper) tend(ctx context.Context, inst store.Instance) error {
	st, err := k.m.state(ctx, k.id)
	if err != nil {
		return fmt.Errorf("look at the instance: %w", err)
	}
	if inst.State == life.Unreachable && inst.StartedAt == nil && !k.m.isRemoved() {
		return k.m.store.MarkReachable(ctx, k.id, true, k.m.now()) // it is still to be started
	}
	if !lives(st) {
		return k.end(ctx, st)
	}
	if inst.State == life.Unreachable {
		return k.m.store.MarkReachable(ctx, k.id, true, k.m.now())
	}
	k.aliveAt = k.m.now()
	k.m.loads.hold(k.id, inst.GPUs)
	k.watch(ctx)
	k.suspended = st.Phase == gpu.PhaseSuspended
	switch {
	case inst.State == life.Suspended && !k.suspended:
		if err := k.m.executor.Suspend(ctx, k.id); err != nil {
			return fmt.Errorf("suspend: %w", err)
		}
		k.suspended = true
	case inst.State != life.Suspended && k.suspended:
		if err := k.m.executor.Resume(ctx, k.id); err != nil {
			return fmt.Errorf("resume: %w", err)
		}
		k.suspended = false
	}
	if inst.State == life.Reclaiming {
		k.reclaim(ctx)
	}
	return nil
}

// end writes down that the instance's processes have ended by themselves, and goes on to the proof.
func (k *keeper) end(ctx context.Context, st gpu.State) error {
	inst, err := k.m.store.Instance(ctx, k.id)
	if err != nil {
		return err
	}
	switch inst.State {
	case life.Running, life.Suspended, life.Reclaiming, life.Unreachable:
		if err := k.m.markEnded(ctx, inst, st, k.aliveAt); err != nil {
			return fmt.Errorf("write down the end: %w", err)
		}
	case life.Stopping:
	default:
		return nil
	}
	return k.step(ctx)
}

// markEnded writes down the end of an instance whose processes are not there. What was out of reach and left no word of its
// end is billed no further than before.
func (m *machine) markEnded(ctx context.Context, inst store.Instance, st gpu.State, aliveAt time.Time) error {
	if inst.State == life.Unreachable && st.LastProof.IsZero() {
		return m.store.MarkReachable(ctx, inst.ID, false, m.now())
	}
	return m.store.MarkEnded(ctx, inst.ID, m.howItEnded(inst, st, aliveAt))
}

// howItEnded is the true end: the shim's, but not before the last moment at which a console saw it alive, by its own clock.
func (m *machine) howItEnded(inst store.Instance, st gpu.State, aliveAt time.Time) store.End {
	now, from := m.now(), aliveAt
	for _, known := range []*time.Time{inst.StartedAt, inst.ProofAt, &inst.RequestedAt} {
		if known != nil && known.After(from) {
			from = *known
		}
	}
	if st.Phase != gpu.PhaseExited {
		return store.End{At: between(st.LastProof, from, now), Failed: true, HostFault: true, Reason: "node_lost",
			Detail: "The machine went down, or the instance's own keeper process was killed."}
	}
	code := st.Exit.Code
	return store.End{At: between(st.EndedAt, from, now), ExitCode: &code, Detail: exitDetail(st.Exit),
		Failed: code != 0 || st.Exit.OOM || st.Exit.Err != "", Reason: "command_ended"}
}

// outOfMemory is the detail of what the memory limit has killed.
const outOfMemory = "out of memory"

func exitDetail(e gpu.Exit) string {
	switch {
	case e.Err != "":
		return e.Err
	case e.OOM:
		return outOfMemory
	case e.Signal != "":
		return e.Signal
	}
	return ""
}
