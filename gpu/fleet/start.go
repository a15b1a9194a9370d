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
	if k.m.isRemoved() {
		return k.startFailed(ctx, inst, noteRemoved)
	}
	st, err := k.m.executor.State(ctx, k.id)
	if err == nil && st.Phase == gpu.PhaseGone {
		// The machine went down in between. Nothing of it was ever used or billed: begin again.
		if err := k.m.executor.Remove(ctx, k.id); err != nil {
			return fmt.Errorf("remove what is left of the first start: %w", err)
		}
		err = gpu.ErrNoInstance
	}
	if err != nil && !errors.Is(err, gpu.ErrUnreachable) {
		asked, refused := k.m.order(ctx, inst)
		if refused != nil && store.KindOf(refused) != store.Conflict {
			return refused // it is tried again
		}
		if err = refused; err == nil {
			st, err = k.launch(ctx, asked)
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // the next console goes on from here
	case errors.Is(err, context.Canceled):
		return nil // stopped by the person meanwhile: the next step stops it
	case errors.Is(err, gpu.ErrUnreachable):
		return err // it may have started: its machine tells once it is back
	case err != nil:
		return k.startFailed(ctx, inst, startWords(err))
	case !lives(st) && st.Exit.Err != "":
		return k.startFailed(ctx, inst, st.Exit.Err)
	}
	at := between(st.StartedAt, inst.RequestedAt, k.m.now())
	if err := k.m.store.MarkRunning(ctx, k.id, at); err != nil {
		if store.KindOf(err) == store.Conflict {
			return nil // stopped meanwhile
		}
		return err
	}
	k.aliveAt = at
	k.m.loads.hold(k.id, inst.GPUs)
	k.watch(ctx)
	return nil
}

// launch starts the processes; tell cancels it when the person stops the instance meanwhile.
func (k *keeper) launch(ctx context.Context, asked gpu.Spec) (gpu.State, error) {
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
	st, err := k.m.executor.Start(ctx, asked)
	if err != nil && ctx.Err() != nil {
		err = context.Canceled
	}
	return st, err
}

// startFailed ends an instance that never ran. Its GPUs are kept back if something is left on them.
func (k *keeper) startFailed(ctx context.Context, inst store.Instance, why string) error {
	proof := k.m.prove(ctx, k.id, inst.GPUs)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := k.m.settleBenchmark(ctx, inst, why); err != nil {
		return err
	}
	if err := k.m.store.MarkStartFailed(ctx, k.id, why, k.m.now(), proof); err != nil && store.KindOf(err) != store.Conflict {
		return err
	}
	k.m.forget(ctx, k.id, proof)
	return nil
}

// order is what the executor is asked for, with what only it may know. The image is the one that was rented: its name may mean
// another by now. Conflict where a secret is not there any more.
func (m *machine) order(ctx context.Context, inst store.Instance) (gpu.Spec, error) {
	asked := spec(inst)
	pin, err := m.store.ImagePin(ctx, inst.ID)
	if err != nil {
		return asked, err
	}
	asked.Image = cmp.Or(pin.EngineID, asked.Image)
	if asked.Mounts, err = m.mounts(ctx, inst.ID); err != nil {
		return asked, err
	}
	env, err := m.store.Environment(ctx, inst.ID)
	asked.Env = append(env, asked.Env...) // of one name, the console's counts
	return asked, err
}

// startWords says why an instance did not start.
func startWords(err error) string {
	var e *store.Error
	if errors.As(err, &e) && e.Message == "secret_removed" {
		return fmt.Sprintf("The secret %s, which it was to be given, was removed meanwhile.", e.Args["name"])
	}
	return err.Error()
}

// spec is what the executor is asked for without that.
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
