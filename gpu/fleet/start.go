package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
)

// start brings a starting instance to running. A start that a console began before it was killed is taken over: the
// executor knows it already.
func (k *keeper) start(ctx context.Context, inst store.Instance) error {
	st, err := k.f.executor.State(ctx, k.id)
	if err == nil && st.Phase == gpu.PhaseGone {
		// The machine went down in between. Nothing of it was ever used or billed: begin again.
		if err := k.f.executor.Remove(ctx, k.id); err != nil {
			return fmt.Errorf("remove what is left of the first start: %w", err)
		}
		err = gpu.ErrNoInstance
	}
	if err != nil {
		st, err = k.launch(ctx, inst)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // the next console goes on from here
	case errors.Is(err, context.Canceled):
		return nil // stopped by the person meanwhile: the next step stops it
	case err != nil:
		return k.startFailed(ctx, inst, err.Error())
	case !lives(st) && st.Exit.Err != "":
		return k.startFailed(ctx, inst, st.Exit.Err)
	}
	at := between(st.StartedAt, inst.RequestedAt, k.f.now())
	if err := k.f.store.MarkRunning(ctx, k.id, at); err != nil {
		if store.KindOf(err) == store.Conflict {
			return nil // stopped meanwhile
		}
		return err
	}
	k.aliveAt = at
	k.f.loads.hold(k.id, inst.GPUs)
	k.watch(ctx)
	return nil
}

// launch starts the processes; tell cancels it when the person stops the instance meanwhile.
func (k *keeper) launch(ctx context.Context, inst store.Instance) (gpu.State, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	k.mu.Lock()
	k.cancelStart = cancel
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		k.cancelStart = nil
		k.mu.Unlock()
	}()
	pin, err := k.f.store.ImagePin(ctx, inst.ID)
	if err != nil {
		return gpu.State{}, err
	}
	asked := spec(inst)
	asked.Image = cmp.Or(pin.EngineID, inst.Image) // the name may mean another image by now
	st, err := k.f.executor.Start(ctx, asked)
	if err != nil && ctx.Err() != nil {
		err = context.Canceled
	}
	return st, err
}

// startFailed ends an instance that never ran. Its GPUs are kept back if something is left on them.
func (k *keeper) startFailed(ctx context.Context, inst store.Instance, why string) error {
	proof := k.f.prove(ctx, k.id, inst.GPUs)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := k.f.settleBenchmark(ctx, inst, why); err != nil {
		return err
	}
	if err := k.f.store.MarkStartFailed(ctx, k.id, why, k.f.now(), proof); err != nil && store.KindOf(err) != store.Conflict {
		return err
	}
	k.f.forget(ctx, k.id, proof)
	return nil
}

// spec is what the executor is asked for.
func spec(inst store.Instance) gpu.Spec {
	return gpu.Spec{ID: inst.ID, Name: inst.Name, Image: inst.Image, Command: inst.Command, Argv: inst.Argv, GPUs: inst.GPUs,
		CPUMillis: inst.CPUMillis, MemoryBytes: inst.MemoryBytes, Pids: inst.Pids, DiskBytes: inst.DiskBytes, HomeOf: inst.EarlierID,
		Env: []string{
			"METERHOUSE_INSTANCE=" + inst.ID,
			"METERHOUSE_NAME=" + inst.Name,
			"METERHOUSE_GPUS=" + strings.Join(inst.GPUs, ","),
			"METERHOUSE_RUN=" + strconv.Itoa(inst.Run),
		}}
}

// between moves t into [from, to]: the clock of an instance's shim is not the billing clock, and where they differ the
// billing clock decides.
func between(t, from, to time.Time) time.Time {
	if t.Before(from) {
		t = from
	}
	if t.After(to) {
		t = to
	}
	return t
}
