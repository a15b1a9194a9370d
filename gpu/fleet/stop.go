package fleet

import (
	"context"
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
		grace = max(min(grace, at.Sub(k.f.now())), 0) // who needs the GPUs was told when
	}
	st, err := k.f.executor.Stop(ctx, k.id, grace)
	if isUnknown(err) {
		st, err = gpu.State{ID: k.id, Phase: gpu.PhaseGone}, nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		k.failures++
		if k.failures < stopTries {
			return fmt.Errorf("stop the processes: %w", err)
		}
	}
	k.f.loads.release(k.id)
	proof := k.f.prove(ctx, k.id, inst.GPUs)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && proof.Clean {
		proof = store.Proof{Notes: err.Error()}
	}
	if inst.ExitCode == nil && st.Phase == gpu.PhaseExited {
		code := st.Exit.Code
		end := store.End{At: between(st.EndedAt, inst.RequestedAt, k.f.now()), ExitCode: &code, Detail: exitDetail(st.Exit)}
		if err := k.f.store.MarkEnded(ctx, k.id, end); err != nil {
			return fmt.Errorf("write down how it ended: %w", err)
		}
		if inst, err = k.f.store.Instance(ctx, k.id); err != nil {
			return err
		}
	}
	if err := k.f.settleBenchmark(ctx, inst, ""); err != nil {
		return fmt.Errorf("write down the benchmark's outcome: %w", err)
	}
	if err := k.f.store.MarkStopped(ctx, k.id, proof); err != nil {
		return fmt.Errorf("write down that it stopped: %w", err)
	}
	k.f.forget(ctx, k.id, proof)
	return nil
}

// forget removes the executor's record of an ended instance. One that is not clean is kept, so that the check goes on
// looking for what is left of it.
func (f *Fleet) forget(ctx context.Context, id string, proof store.Proof) {
	if !proof.Clean {
		return
	}
	if err := f.executor.Remove(ctx, id); err != nil && !isUnknown(err) {
		f.log.Warn("the record of an ended instance stays", "instance", id, "error", err)
	}
}
