package store

import (
	"context"
	"slices"

	"github.com/meterhouse/meterhouse/store/calendar"
	"github.com/meterhouse/meterhouse/store/plan"
	"github.com/meterhouse/meterhouse/store/queue"
)

// GPUBlocks says by UUID why a GPU can't be rented on demand now: each that exists is in it, or can be rented. The reasons
// are those of Offer.Blocked, and "no_price".
func (s *Store) GPUBlocks(ctx context.Context) (why map[string]string, err error) {
	err = s.read(ctx, func(t *tx) error {
		why = map[string]string{}
		pools, err := list(t, func(r scanner) (pool string, err error) { return pool, r.Scan(&pool) }, "SELECT id FROM pool ORDER BY id")
		if err != nil {
			return err
		}
		priced, err := t.pricedPools()
		if err != nil {
			return err
		}
		for _, pool := range pools {
			v, err := t.supply(pool)
			if err != nil {
				return err
			}
			if err := t.leaveToWaiting(v, pool); err != nil {
				return err
			}
			for _, n := range v.free {
				for _, g := range n.Free {
					if !priced[pool] {
						v.block(g.UUID, "no_price")
					}
				}
			}
			for uuid, reason := range v.why {
				why[uuid] = reason
			}
		}
		return nil
	})
	return why, err
}

// pricedPools are those with a plan that is offered on demand.
func (t *tx) pricedPools() (map[string]bool, error) {
	pools := map[string]bool{}
	plans, err := t.plans()
	for _, p := range plans {
		if pools[p.poolID] {
			continue
		}
		if _, pools[p.poolID], err = t.price(p.ID, OnDemand); err != nil {
			return nil, err
		}
	}
	return pools, err
}

// block counts a GPU that can't be rented, and says why.
func (v *supply) block(uuid, why string) {
	v.blocked[why]++
	v.why[uuid] = why
}

// leaveToWaiting takes out of a supply what is free and for those who wait already: somebody new, without a hard end,
// would not get it.
func (t *tx) leaveToWaiting(v *supply, pool string) error {
	if !v.waiting {
		return nil
	}
	l, err := t.line(pool)
	if err != nil {
		return err
	}
	comes := queuedJob{id: newcomer, kind: OnDemand, gpuCount: 1, since: t.now, gap: clickGap}
	left := queue.Left(t.now, l.ranks, l.in, comes.job(""))
	if pool == "" {
		v.places = min(v.places, len(left))
		return nil
	}
	for k := range v.free {
		n := &v.free[k]
		n.Free = slices.DeleteFunc(n.Free, func(g plan.GPU) bool {
			if slices.Contains(left, g.UUID) {
				return false
			}
			v.block(g.UUID, "waiting")
			return true
		})
		v.timed[k].GPUs = slices.DeleteFunc(v.timed[k].GPUs, func(g calendar.GPU) bool { return !slices.Contains(left, g.UUID) })
	}
	return nil
}
