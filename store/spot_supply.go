package store

import (
	"time"

	"github.com/meterhouse/meterhouse/store/calendar"
	"github.com/meterhouse/meterhouse/store/plan"
	"github.com/meterhouse/meterhouse/store/spot"
	"github.com/meterhouse/meterhouse/store/topology"
)

// spotAhead is the time before a reservation in which nothing is started as spot on its GPUs: what starts can't be given
// notice at first.
const spotAhead = spot.Safe + spot.Notice

// spotSupply is what of a pool can be rented as spot: what is free, and what was reserved and nobody came for.
type spotSupply struct {
	reserved map[string]calendar.Busy // that will be claimed, or are
	free     []plan.Node
	timed    []calendar.Node
	waiting  bool // someone is queued, of whatever kind
}

func (f *spotSupply) add(n plan.Node, g plan.GPU, where topology.Where, now time.Time) {
	ahead, err := calendar.New(now, now.Add(spotAhead))
	if err != nil || !f.reserved[g.UUID].Free(ahead) {
		return
	}
	f.free = addTo(f.free, n, g)
	f.timed = addTimed(f.timed, n, calendar.GPU{UUID: g.UUID, Index: g.Index, Where: where}) // no hard end: it yields with notice
}

// as returns the supply as an instance of a kind finds it.
func (v *supply) as(kind InstanceKind) *supply {
	if kind != Spot {
		return v
	}
	w := *v
	w.free, w.timed, w.gaps, w.waiting = v.spot.free, v.spot.timed, v.spot.timed, v.spot.waiting
	return &w
}

// waiting looks for who waits: what is rented as spot yields to all others, and so comes after them.
func (t *tx) waiting(v *supply, pool string) error {
	return t.row(`SELECT count(*) > 0, coalesce(sum(kind <> 'spot'), 0) > 0 FROM instance
		WHERE state = 'queued' AND pool_id IS ? AND NOT EXISTS (SELECT 1 FROM promise WHERE instance_id = instance.id)`, nullIfEmpty(pool)).Scan(&v.spot.waiting, &v.waiting)
}

// unclaimed is the condition on a reservation r that has begun by now (?2) and was never claimed: its GPUs are lent as spot.
const unclaimed = "coalesce(r.start_at <= ?2 AND r.claimed_at IS NULL, 0)"

// reservedFromSpot returns when a pool's GPUs are reserved and not to be had as spot: not where a reservation has begun
// and was never claimed.
func (t *tx) reservedFromSpot(pool string) (map[string]calendar.Busy, error) {
	return t.busy(`SELECT h.gpu_uuid, h.from_at, h.to_at FROM gpu_planned h JOIN gpu g ON g.uuid = h.gpu_uuid LEFT JOIN reservation r ON r.id = h.reservation_id
		WHERE g.pool_id = ?1 AND h.to_at > ?2 AND NOT `+unclaimed, pool, micros(t.now))
}

// offerSpot adds to an offer what it is as spot, and whether spot instances would yield to it.
func (t *tx) offerSpot(v *supply, o *Offer) error {
	price, _, ok, err := t.spotPrice(o.Plan.ID)
	if err != nil || !ok {
		return err
	}
	o.SpotMicrosPerHour = &price
	if !v.spot.waiting {
		o.SpotFree = plan.Fits(v.spot.free, o.Plan.GPUCount)
	}
	if o.Free == 0 {
		_, o.AfterNotice, err = t.makeRoom(v, o.Plan, nil, nil)
	}
	return err
}
