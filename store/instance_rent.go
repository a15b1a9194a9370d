package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"

	"github.com/meterhouse/meterhouse/store/life"
)

// Rent rents an instance, all in one transaction: it is starting and has its GPUs, or, with Queue and nothing free, it is
// queued; without Queue too where spot instances hold what it needs: then they were given notice. created is false if the
// idempotency key was used before: then it is the instance of that time. Invalid names the
// Field that is wrong; Forbidden for viewers; BudgetBlocks with Args budget, spent and limit; QuotaBlocks as
// quotaRefusal has it; NoCapacity with Args plan,
// free and, where known, free_at; Conflict for a key that was used for something else.
func (s *Store) Rent(ctx context.Context, r RentRequest) (i Instance, created bool, err error) {
	if r, err = cleanRequest(r); err != nil {
		return Instance{}, false, err
	}
	err = s.write(ctx, func(t *tx) error {
		i, created, err = t.rent(r)
		return err
	})
	if err != nil {
		return Instance{}, false, err
	}
	return i, created, nil
}

func (t *tx) rent(r RentRequest) (i Instance, created bool, err error) {
	p, err := t.activePerson(r.PersonID)
	if err != nil {
		return i, false, err
	}
	if r.TeamID == "" {
		r.TeamID = p.TeamID
	}
	if err := t.mayRent(r); err != nil {
		return i, false, err
	}
	hash, err := requestHash(r)
	if err != nil {
		return i, false, err
	}
	if known, err := t.rentedBefore(r, hash); err != nil || known != "" {
		if err != nil {
			return i, false, err
		}
		i, err = t.instance(known)
		return i, false, err
	}
	if r.Node, err = t.wantedNode(r.Node); err != nil {
		return i, false, err
	}
	if r.Node, err = t.nodeOfVolumes(r); err != nil {
		return i, false, err
	}
	chosen, place, err := t.choose(r)
	if err != nil {
		return i, false, err
	}
	if place, err = t.quotaLetsRent(&r, &chosen, place); err != nil {
		return i, false, err
	}
	from, err := t.imageFor(r, chosen.plan.poolID, place)
	if err != nil {
		return i, false, err
	}
	id, err := t.insertInstance(r, chosen, hash)
	if err != nil {
		return i, false, err
	}
	if err := errors.Join(t.pinImage(id, from), t.insertEnv(id, r), t.attach(id, r)); err != nil {
		return i, false, err
	}
	kind := "queued"
	if place != nil {
		kind = "starting"
		if err := t.give(id, place.uuids); err != nil {
			return i, false, err
		}
	}
	if err := t.instanceEvent(id, "rented", r.PersonID, map[string]string{"plan": chosen.plan.ID, "state": kind}); err != nil {
		return i, false, err
	}
	if err := t.audit(AuditRecord{PersonID: r.PersonID, Action: "instance_rented", Target: id, Detail: chosen.plan.ID}); err != nil {
		return i, false, err
	}
	if chosen.reclaim != nil {
		if err := t.promise(id, chosen.reclaim); err != nil {
			return i, false, err
		}
		if err := t.noticeForPromised(); err != nil {
			return i, false, err
		}
	}
	t.emit("instance", id)
	i, err = t.instance(id)
	return i, true, err
}

// choose finds the plan, its rate and its place. What is reserved is paid for already: no budget is in its way.
func (t *tx) choose(r RentRequest) (priced, *place, error) {
	if r.Kind == Reserved {
		found, err := t.claim(r)
		return found, found.place, err
	}
	plans, err := t.findPlan(r)
	if err != nil {
		return priced{}, nil, err
	}
	if err := t.budgetsRefuse(r.PersonID, r.TeamID, r.Labels, r.Kind == Spot); err != nil {
		return priced{}, nil, err
	}
	return t.findPlace(plans, r)
}

// mayRent refuses who may not spend the team's money.
func (t *tx) mayRent(r RentRequest) error {
	role, err := t.roleIn(r.PersonID, r.TeamID)
	if err != nil {
		return err
	}
	switch {
	case !role.Sees():
		return &Error{Kind: NotFound, Field: "team", Message: "team_not_found", Args: map[string]string{"id": r.TeamID}}
	case !role.AtLeast(Member):
		return &Error{Kind: Forbidden, Message: "viewer_cannot_rent"}
	}
	_, err = scanTeam(t.row("SELECT "+teamColumns+" FROM team WHERE id = ?", r.TeamID)) // an admin may name any
	return orNotFound(err, "team", r.TeamID)
}

// rentedBefore returns the instance that the idempotency key made, "" if there is none.
func (t *tx) rentedBefore(r RentRequest, hash []byte) (id string, err error) {
	if r.IdempotencyKey == "" {
		return "", nil
	}
	var before []byte
	err = t.row("SELECT id, request_hash FROM instance WHERE person_id = ? AND idempotency_key = ?", r.PersonID, r.IdempotencyKey).Scan(&id, &before)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", nil
	case err == nil && !slices.Equal(before, hash):
		return "", &Error{Kind: Conflict, Field: "idempotency_key", Message: "idempotency_key_reused"}
	}
	return id, err
}

func (t *tx) insertInstance(r RentRequest, c priced, hash []byte) (id string, err error) {
	id = newID("i-")
	if r.Name == "" {
		r.Name = c.plan.ID + "-" + id[2:6]
	}
	lists := [3]string{}
	for k, v := range []any{orEmpty(r.Argv), r.Labels, orEmpty(r.GPUs)} {
		text, err := json.Marshal(v)
		if err != nil {
			return "", err
		}
		lists[k] = string(text)
	}
	state, node, ends, placed, because, reservation, list := life.Queued, any(nil), any(nil), any(nil), "", nullIfEmpty(c.reservation), any(nil)
	if c.list > 0 {
		list = c.list
	}
	var duration any
	if r.Duration != nil {
		duration = r.Duration.Microseconds()
	}
	if c.place != nil {
		state, node, placed = life.Starting, c.place.nodeID, micros(t.now)
		reservation = nullIfEmpty(c.place.reservation)
		if ends, because, err = t.ends(c.place, r.Duration, t.now); err != nil {
			return "", err
		}
	}
	_, err = t.exec(`INSERT INTO instance (id, name, state, kind, plan_id, pool_id, gpu_model, gpu_count, simulated, node_id, team_id, person_id,
		image, command, argv, labels, wanted_gpus, cpu_millis, memory_bytes, pids, disk_bytes, rate, duration, requeue, benchmark_id,
		idempotency_key, request_hash, requested_at, ends_at, placed_at, ends_because, reservation_id, list_rate, checkpoint_command, discount_ppm, wanted_node, port)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, r.Name, string(state), string(r.Kind), c.plan.ID, nullIfEmpty(c.plan.poolID), c.plan.GPUModel, c.plan.GPUCount, c.plan.Simulated, node, r.TeamID, r.PersonID,
		r.Image, r.Command, lists[0], lists[1], lists[2], c.plan.CPUMillis, c.plan.MemoryBytes, c.plan.Pids, c.plan.DiskBytes, c.rate, duration, r.Requeue,
		nullIfEmpty(r.BenchmarkID), nullIfEmpty(r.IdempotencyKey), hash, micros(t.now), ends, placed, because, reservation, list, r.CheckpointCommand, c.discount, nullIfEmpty(r.Node), r.Port)
	if err != nil {
		return "", err
	}
	for key, value := range r.Labels {
		if _, err := t.exec("INSERT INTO instance_label (key, value, instance_id) VALUES (?, ?, ?)", key, value, id); err != nil {
			return "", err
		}
	}
	return id, nil
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
