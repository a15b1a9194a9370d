package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/calendar"
	"github.com/meterhouse/meterhouse/store/plan"
	"github.com/meterhouse/meterhouse/store/topology"
)

// Offer is a plan with its price and what is free of it now.
type Offer struct {
	Plan                  Plan
	Free, Total           int // instances of the plan: that could start now, that would fit if all were free
	OnDemandMicrosPerHour int64
	SpotMicrosPerHour     *int64         // nil: not offered
	SpotFree              int            // instances of the plan that could start as spot now
	AfterNotice           bool           // none is free, and one can be had on demand once spot instances have given theirs back
	HardEnd               *time.Time     // nil: none
	HardEndBecause        string         // "reservation" or "maintenance"; "": there is none
	FreeAt                *time.Time     // the earliest known end of what holds its GPUs, while none is free; nil: not known
	Blocked               []string       // why GPUs that exist can't be rented, sorted: "in_use", "watch", "quarantined", "fenced", "lost", "node_lost", "node_cordoned", "node_draining", "node_maintenance", "reserved", "promised" (to one who waits), "waiting" (free, but others wait for them)
	BlockedCounts         map[string]int // GPUs by those keys
}

// Offers returns every plan that has a price, in the order of Plans.
func (s *Store) Offers(ctx context.Context) (offers []Offer, err error) {
	err = s.read(ctx, func(t *tx) error {
		plans, err := t.plans()
		if err != nil {
			return err
		}
		pools := map[string]*supply{}
		for _, p := range plans {
			price, ok, err := t.price(p.ID, OnDemand)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			if pools[p.poolID] == nil {
				if pools[p.poolID], err = t.supply(p.poolID); err != nil {
					return err
				}
				if err := t.leaveToWaiting(pools[p.poolID], p.poolID); err != nil {
					return err
				}
			}
			o := pools[p.poolID].offer(p, price)
			if err := t.offerSpot(pools[p.poolID], &o); err != nil {
				return err
			}
			offers = append(offers, o)
		}
		return nil
	})
	return offers, err
}

// supply is what a pool has: which GPUs are free, and why the others are not.
type supply struct {
	free     []plan.Node     // nodes that are up
	timed    []calendar.Node // the same GPUs, with the reservations of them
	gaps     []calendar.Node // and those that are free too short for who has no term: a short enough term fits
	reserved map[string]calendar.Busy
	spot     spotSupply
	promised map[string]string // GPU → the queued instance that it is kept for
	all      []plan.Node       // whatever their state, but for the lost
	blocked  map[string]int
	why      map[string]string // GPU → why it is blocked
	freeAt   *time.Time
	places   int // CPU-only: that are free
	cpuNodes int
	waiting  bool // someone is queued for it who does not yield to others
	now      time.Time
	windows  []Maintenance
	only     string // the node on which alone it is; "": all
}

func (v *supply) offer(p Plan, price int64) Offer {
	o := Offer{Plan: p, OnDemandMicrosPerHour: price, FreeAt: v.freeAt, BlockedCounts: maps.Clone(v.blocked)}
	if p.poolID == "" {
		if v.cpuNodes > 0 {
			o.Free, o.Total = max(v.places, 0), cpuPlanPlaces
		}
	} else {
		o.Free, o.Total = plan.Fits(v.free, p.GPUCount), plan.Fits(v.all, p.GPUCount)
	}
	if o.Free > 0 {
		o.FreeAt = nil
	}
	if start, ok := calendar.Longest(v.timed, calendar.Want{Count: p.GPUCount}, v.now); ok {
		o.HardEnd, o.HardEndBecause = start.End, v.because(start)
	}
	o.Blocked = slices.Sorted(maps.Keys(o.BlockedCounts))
	return o
}

// because says what begins where something would have its hard end.
func (v *supply) because(start calendar.Start) string {
	switch {
	case start.End == nil:
		return ""
	case slices.ContainsFunc(v.windows, func(m Maintenance) bool { return m.NodeID == start.NodeID && m.Start.Equal(*start.End) }):
		return "maintenance"
	}
	return "reservation"
}

// supply looks a pool up; "" is the CPU-only work.
func (t *tx) supply(pool string) (*supply, error) {
	v := &supply{blocked: map[string]int{}, why: map[string]string{}, now: t.now}
	if err := t.waiting(v, pool); err != nil {
		return nil, err
	}
	if pool == "" {
		return v, t.cpuSupply(v)
	}
	var err error
	if v.spot.reserved, err = t.reservedFromSpot(pool); err != nil {
		return nil, err
	}
	if v.promised, err = t.promises(pool); err != nil {
		return nil, err
	}
	if v.reserved, err = t.reservedBusy(pool); err != nil {
		return nil, err
	}
	if v.windows, err = t.windows("WHERE m.cancelled_at IS NULL AND m.start_at > ?", micros(t.now)); err != nil {
		return nil, err
	}
	err = t.each(func(r scanner) error {
		var g pooledGPU
		err := r.Scan(&g.node.ID, &g.node.Name, &g.nodeUse, &g.UUID, &g.Index, &g.where.Island, &g.where.NUMA, &g.state, &g.held, &g.usable, &g.ends)
		v.add(&g)
		return err
	}, `SELECT g.node_id, n.name, `+nodeUse+`, g.uuid, g.idx, g.island, g.numa, g.state, h.instance_id IS NOT NULL, `+usable+`, i.ends_at
		FROM gpu g JOIN node n ON n.id = g.node_id
		LEFT JOIN instance_gpu h ON h.gpu_uuid = g.uuid AND h.released_at IS NULL LEFT JOIN instance i ON i.id = h.instance_id
		WHERE g.pool_id = ?1 ORDER BY g.node_id, g.idx, g.uuid`, pool, micros(t.now))
	return v, err
}

// pooledGPU is a GPU as a supply finds it.
type pooledGPU struct {
	plan.GPU
	node           plan.Node
	where          topology.Where
	nodeUse, state string
	held, usable   bool
	ends           *int64 // the hard end of who has it
}

// blocked says why a GPU can't be given to anybody, "" if it can: as Offer.Blocked has it.
func (g *pooledGPU) blocked() string {
	switch {
	case g.usable && !g.held && g.nodeUse == NodeUp:
		return ""
	case g.state == GPULost:
		return GPULost
	case g.nodeUse != NodeUp:
		return "node_" + g.nodeUse
	case g.held:
		return "in_use"
	}
	return g.state
}

func (v *supply) add(g *pooledGPU) {
	if g.state != GPULost {
		v.all = addTo(v.all, g.node, g.GPU)
	}
	why := g.blocked()
	if why == "in_use" && g.ends != nil {
		if at := fromMicros(*g.ends); v.freeAt == nil || at.Before(*v.freeAt) {
			v.freeAt = &at
		}
	}
	switch {
	case why != "":
		v.block(g.UUID, why)
	case v.promised[g.UUID] != "":
		v.block(g.UUID, "promised")
	default:
		v.spot.add(g.node, g.GPU, g.where, v.now)
		timed := calendar.GPU{UUID: g.UUID, Index: g.Index, Where: g.where, Busy: v.reserved[g.UUID]}
		v.gaps = addTimed(v.gaps, g.node, timed)
		if !timed.Busy.Free(v.leastGap()) {
			v.block(g.UUID, "reserved")
			return
		}
		v.free = addTo(v.free, g.node, g.GPU)
		v.timed = addTimed(v.timed, g.node, timed)
	}
}

// leastGap is clickGap from now on.
func (v *supply) leastGap() calendar.Interval {
	i, _ := calendar.New(v.now, v.now.Add(clickGap)) // never empty
	return i
}

// addTimed is addTo for GPUs with their times.
func addTimed(nodes []calendar.Node, n plan.Node, g calendar.GPU) []calendar.Node {
	if len(nodes) == 0 || nodes[len(nodes)-1].ID != n.ID {
		nodes = append(nodes, calendar.Node{ID: n.ID, Name: n.Name})
	}
	last := &nodes[len(nodes)-1]
	last.GPUs = append(last.GPUs, g)
	return nodes
}

// reservedBusy returns the times in which a pool's GPUs are reserved from now on, or their node is in maintenance.
func (t *tx) reservedBusy(pool string) (map[string]calendar.Busy, error) {
	return t.busy("SELECT h.gpu_uuid, h.from_at, h.to_at FROM gpu_planned h JOIN gpu g ON g.uuid = h.gpu_uuid WHERE g.pool_id = ? AND h.to_at > ?", pool, micros(t.now))
}

// busy collects rows of a GPU and a time in which it is taken.
func (t *tx) busy(query string, args ...any) (map[string]calendar.Busy, error) {
	times := map[string]calendar.Busy{}
	err := t.each(func(r scanner) error {
		var uuid string
		var from, to int64
		if err := r.Scan(&uuid, &from, &to); err != nil {
			return err
		}
		i, err := calendar.New(fromMicros(from), fromMicros(to))
		if err != nil {
			return err
		}
		times[uuid] = times[uuid].Cover(i)
		return nil
	}, query, args...)
	return times, err
}

// addTo adds a GPU to its node; they come node by node.
func addTo(nodes []plan.Node, n plan.Node, g plan.GPU) []plan.Node {
	if len(nodes) == 0 || nodes[len(nodes)-1].ID != n.ID {
		nodes = append(nodes, n)
	}
	last := &nodes[len(nodes)-1]
	last.Free = append(last.Free, g)
	return nodes
}

func (t *tx) cpuSupply(v *supply) error {
	used, err := t.number("SELECT count(*) FROM instance WHERE pool_id IS NULL AND " + alive + " AND state <> 'queued'")
	if err != nil {
		return err
	}
	v.places = cpuPlanPlaces - int(used)
	nodes, err := t.number("SELECT count(*) FROM node WHERE state = 'up' AND service = 'open'")
	v.cpuNodes = int(nodes)
	return err
}
