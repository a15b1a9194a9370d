package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
)

const (
	// defaultGrace is how long processes have after SIGTERM, where the instance does not say otherwise.
	defaultGrace = 10 * time.Second
	// stopTries is how often stopping may fail before the instance is given up and its GPUs are quarantined: a process that
	// can't be killed must not keep its instance stopping for ever.
	stopTries = 3
)

// stop ends the processes, proves that nothing is left, and only then says stopped.
func (k *keeper) stop(ctx context.Context, inst store.Instance) error {
	grace := inst.Grace
	if grace <= 0 {
		grace = defaultGrace
	}
	if at := inst.ReclaimsAt(); at != nil {
		grace = max(min(grace, at.Sub(k.m.now())), 0) // who needs the GPUs was told when
	}
	st, err := k.m.executor.Stop(ctx, k.id, grace)
	if isUnknown(err) || k.m.isRemoved() {
		st, err = gpu.State{ID: k.id, Phase: gpu.PhaseGone}, nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, gpu.ErrUnreachable) {
		return err // nothing is proven, and nobody gets its GPUs before that
	}
	if err != nil {
		k.failures++
		if k.failures < stopTries {
			return fmt.Errorf("stop the processes: %w", err)
		}
	}
	k.m.loads.release(k.id)
	proof := k.m.prove(ctx, k.id, inst.GPUs)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !proof.Clean && k.m.cut() && !k.m.isRemoved() {
		return gpu.ErrUnreachable
	}
	if err != nil && proof.Clean {
		proof = store.Proof{Notes: err.Error()}
	}
	if inst.ExitCode == nil && st.Phase == gpu.PhaseExited {
		code := st.Exit.Code
		end := store.End{At: between(st.EndedAt, inst.RequestedAt, k.m.now()), ExitCode: &code, Detail: exitDetail(st.Exit)}
		if err := k.m.store.MarkEnded(ctx, k.id, end); err != nil {
			return fmt.Errorf("write down how it ended: %w", err)
		}
		if inst, err = k.m.store.Instance(ctx, k.id); err != nil {
			return err
		}
	}
	if err := k.m.settleBenchmark(ctx, inst, ""); err != nil {
		return fmt.Errorf("write down the benchmark's outcome: %w", err)
	}
	if err := k.m.store.MarkStopped(ctx, k.id, proof); err != nil {
		return fmt.Errorf("write down that it stopped: %w", err)
	}
	k.m.forget(ctx, k.id, proof)
	return nil
}

// forget removes the executor's record of an ended instance. One that is not clean is kept, so that the check goes on
// looking for what is left of it.
func (m *machine) forget(ctx context.Context, id string, proof store.Proof) {
	if !proof.Clean {
		return
	}
	if err := m.executor.Remove(ctx, id); err != nil && !isUnknown(err) {
		m.log.Warn("the record of an ended instance stays", "instance", id, "error", err)
	}
}
