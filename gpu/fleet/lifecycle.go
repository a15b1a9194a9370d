package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
)

const lifecycleInterval = time.Second

// heldStates are the states in which an instance has a place on a node and something may have to be done for it.
var heldStates = []life.State{life.Starting, life.Running, life.Suspended, life.Stopping, life.Unreachable, life.Reclaiming}

// due takes the steps that time alone asks for: it reclaims, places and ends.
func (f *Fleet) due(ctx context.Context) error {
	return f.loop(ctx, "lifecycle", lifecycleInterval, f.dueNow, func(ctx context.Context) error {
		return errors.Join(f.reclaimDue(ctx), f.placeQueued(ctx), f.endDue(ctx))
	})
}

// keep gives every instance of this machine a keeper, and tells each what the database now says of it.
func (m *machine) keep(ctx context.Context) error {
	keepers := make(map[string]*keeper)
	var work sync.WaitGroup
	defer work.Wait()
	return m.loop(ctx, "instances", lifecycleInterval, m.keepNow, func(ctx context.Context) error {
		instances, err := m.store.InstancesOnNode(ctx, m.nodeID(), heldStates...)
		if err != nil {
			return err
		}
		listed := make(map[string]bool, len(instances))
		for _, inst := range instances {
			listed[inst.ID] = true
			k := keepers[inst.ID]
			if k == nil {
				k = newKeeper(m, inst.ID)
				keepers[inst.ID] = k
				work.Go(func() { k.run(ctx) })
			}
			k.tell(inst)
		}
		for id, k := range keepers {
			if !listed[id] {
				close(k.news)
				delete(keepers, id)
			}
		}
		return nil
	})
}

func (f *Fleet) placeQueued(ctx context.Context) error {
	if _, err := f.store.PlaceQueued(ctx); err != nil {
		return fmt.Errorf("place what is queued: %w", err)
	}
	return nil
}

// endDue asks for the stop of what has reached its hard end.
func (f *Fleet) endDue(ctx context.Context) error {
	due, err := f.store.DueEnds(ctx)
	if err != nil {
		return fmt.Errorf("look for hard ends: %w", err)
	}
	for _, inst := range due {
		if _, err := f.store.RequestStop(ctx, inst.ID, "", cmp.Or(inst.EndsBecause, "hard_end")); err != nil {
			return fmt.Errorf("end %s at its hard end: %w", inst.ID, err)
		}
	}
	return nil
}
