package store

import (
	"cmp"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store/calendar"
)

// priced is a plan with the rate that will be locked, and where it is placed.
type priced struct {
	plan        Plan
	rate        int64
	list        int64 // on demand and before any discount; 0: as the rate
	discount    int64 // what the team pays less on demand, in parts per million
	place       *place
	reclaim     []string // in place of a place: GPUs that spot instances hold
	reservation string   // that it waits in
}

// place is a node and the GPUs given there.
type place struct {
	nodeID string
	uuids  []string

	reservation string     // whose GPUs they are
	end         *time.Time // a reservation begins: what is rented without an end has it as its hard end
}

// ends is when what starts at a place has its hard end, NULL for none, and what sets it where that is not what was asked for.
func (t *tx) ends(p *place, duration *time.Duration, start time.Time) (at any, because string, err error) {
	switch {
	case p.reservation != "" && (duration == nil || p.end.Before(start.Add(*duration))):
		return micros(*p.end), "reservation_ends", nil
	case duration != nil:
		return micros(start.Add(*duration)), "", nil
	case p.end == nil:
		return nil, "", nil
	}
	window, err := t.number("SELECT count(*) FROM maintenance WHERE node_id = ? AND start_at = ? AND cancelled_at IS NULL", p.nodeID, micros(*p.end))
	return micros(*p.end), map[bool]string{true: "maintenance", false: "reservation"}[window > 0], err
}

// pricedFor is what a plan costs a team now; ok is false where it is not offered as that kind.
func (t *tx) pricedFor(p Plan, kind InstanceKind, teamID string) (o priced, ok bool, err error) {
	o.plan = p
	if kind == Spot {
		o.rate, o.list, ok, err = t.spotPrice(p.ID)
		return o, ok, err
	}
	if o.rate, ok, err = t.price(p.ID, kind); err == nil && ok && kind == OnDemand {
		err = t.discounted(&o, teamID)
	}
	return o, ok, err
}

// findPlace takes the cheapest of the plans that can start now. Without one that can, the cheapest is queued if that is
// wished. Nobody is served before those who wait for the same pool.
func (t *tx) findPlace(plans []Plan, r RentRequest) (priced, *place, error) {
	var offers []priced
	for _, p := range plans {
		o, ok, err := t.pricedFor(p, r.Kind, r.TeamID)
		if err != nil {
			return priced{}, nil, err
		}
		if ok {
			offers = append(offers, o)
		}
	}
	if len(offers) == 0 {
		return priced{}, nil, &Error{Kind: Invalid, Field: "kind", Message: "kind_not_offered", Args: map[string]string{"kind": string(r.Kind)}}
	}
	slices.SortStableFunc(offers, func(a, b priced) int { return cmp.Compare(a.rate, b.rate) })
	if len(r.GPUs) > 0 && len(r.GPUs) != offers[0].plan.GPUCount {
		return priced{}, nil, invalid("gpus", "gpu_count_wrong")
	}
	if err := t.wantedExist(r.GPUs, &offers); err != nil {
		return priced{}, nil, err
	}
	var nearest *supply
	for k, o := range offers {
		v, err := t.supply(o.plan.poolID)
		if err != nil {
			return priced{}, nil, err
		}
		v = v.as(r.Kind).on(r.Node)
		p, ok := v.place(o.plan, r.GPUs, false, r.Duration)
		switch {
		case ok && v.waiting:
			p, ok, err = t.inTurn(o.plan, &r)
		case ok && o.plan.poolID == "":
			p, ok, err = t.cpuPlace(r.Node, r.Kind, r.Duration, clickGap)
		}
		if err != nil {
			return priced{}, nil, err
		}
		if ok {
			offers[k].place = &p
			return offers[k], &p, nil
		}
		if r.Kind != Spot && offers[k].reclaim == nil {
			if offers[k].reclaim, _, err = t.makeRoom(v, o.plan, r.GPUs, r.Duration); err != nil {
				return priced{}, nil, err
			}
		}
		if nearest == nil || v.freeAt != nil && (nearest.freeAt == nil || v.freeAt.Before(*nearest.freeAt)) {
			nearest = v
		}
	}
	if k := slices.IndexFunc(offers, func(o priced) bool { return o.reclaim != nil }); k >= 0 {
		return offers[k], nil, nil
	}
	if r.Queue {
		return offers[0], nil, nil
	}
	return priced{}, nil, noCapacity(offers[0].plan, nearest)
}

// ReservedAfter is NoCapacity where something begins too soon, as Offer.HardEndBecause names it.
func ReservedAfter(because string, until time.Time) *Error {
	args := map[string]string{"until": until.Format(time.RFC3339)}
	if because == "maintenance" {
		return &Error{Kind: NoCapacity, Message: "maintenance_after", Args: args}
	}
	return &Error{Kind: NoCapacity, Message: "reserved_after", Args: args}
}

func noCapacity(p Plan, v *supply) error {
	if v.waiting { // what is free is for others
		v.free, v.timed, v.places = nil, nil, 0
	}
	e := &Error{Kind: NoCapacity, Message: "no_capacity", Args: map[string]string{"plan": p.ID, "free": strconv.Itoa(v.offer(p, 0).Free)}}
	if v.freeAt != nil {
		e.Args["free_at"] = v.freeAt.Format(time.RFC3339)
	}
	if start, ok := calendar.Longest(v.timed, calendar.Want{Count: p.GPUCount}, v.now); ok && start.End != nil {
		after := ReservedAfter(v.because(start), *start.End)
		e.Message, e.Args["until"] = after.Message, after.Args["until"]
	}
	return e
}

// wantedExist keeps the plans whose pool has all the wanted GPUs. Invalid if there is no such pool.
func (t *tx) wantedExist(wanted []string, offers *[]priced) error {
	for k, uuid := range wanted {
		if slices.Contains(wanted[:k], uuid) {
			return invalid("gpus", "gpu_named_twice")
		}
		var pool string
		if err := t.row("SELECT pool_id FROM gpu WHERE uuid = ?", uuid).Scan(&pool); err != nil {
			if errors.Is(err, sql.ErrNoRows) {
				return &Error{Kind: Invalid, Field: "gpus", Message: "gpu_not_found", Args: map[string]string{"id": uuid}}
			}
			return err
		}
		*offers = slices.DeleteFunc(*offers, func(o priced) bool { return o.plan.poolID != pool })
	}
	if len(*offers) == 0 {
		return invalid("gpus", "gpus_not_of_plan")
	}
	return nil
}

// place finds room for a plan: for its whole duration where it has one, else for as long as possible. waiting: others come
// first.
func (v *supply) place(p Plan, wanted []string, waiting bool, duration *time.Duration) (place, bool) {
	if waiting {
		return place{}, false
	}
	if p.poolID == "" {
		return place{}, v.places > 0 && v.cpuNodes > 0
	}
	want := calendar.Want{Count: p.GPUCount, Named: wanted}
	if duration != nil {
		i, err := calendar.New(v.now, v.now.Add(*duration))
		if err != nil {
			return place{}, false
		}
		found, ok := calendar.Fit(v.gaps, want, i)
		return place{nodeID: found.NodeID, uuids: found.UUIDs}, ok
	}
	found, ok := calendar.Longest(v.timed, want, v.now)
	return place{nodeID: found.NodeID, uuids: found.UUIDs, end: found.End}, ok
}
