package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/queue"
)

// WaitReason says why an instance waits.
type WaitReason string

// The reasons that store/queue knows, and one more.
const (
	WaitsForGPUs        = WaitReason(queue.NoGPUs)
	WaitsBehind         = WaitReason(queue.Behind)
	WaitsForReservation = WaitReason(queue.ReservedSoon)
	WaitsForPromised    = WaitReason(queue.Promised) // what is free is kept for somebody else
	WaitsForBudget      = WaitReason(queue.Budget)
	WaitsForQuota       = WaitReason(queue.Quota)
	WaitsForNode        = WaitReason(queue.NodeDown)
	WaitsForReclaim     = WaitReason("reclaim") // spot instances are giving it their GPUs
)

// WaitReasons are all of them.
var WaitReasons = []WaitReason{WaitsForGPUs, WaitsBehind, WaitsForReservation, WaitsForPromised, WaitsForBudget, WaitsForQuota, WaitsForNode, WaitsForReclaim}

// Waiting is an instance in the queue and what is said of it.
type Waiting struct {
	ID, Name, PlanID                       string
	TeamID, TeamName, PersonID, PersonName string
	Kind                                   InstanceKind
	GPUCount                               int
	Since                                  time.Time
	Place                                  int        // from 1
	Reason                                 WaitReason // "": it starts at the next look
	Behind                                 []int      // with WaitsBehind: the places of those whom the free GPUs are for, in order
	// StartsAt is when it starts if all hard ends that are known now last that long; nil: that depends on something without
	// a hard end. EndsAt is its hard end if it starts then, nil for none.
	StartsAt, EndsAt *time.Time
	Aged             bool // waited 24 hours: before all who did not
}

// Share is a team's fair share of a pool.
type Share struct {
	TeamID, TeamName string
	Weight           int64
	SharePPM         int64         // its weight as a part of the weights of all teams here
	UsedPPM          int64         // its part of what all of them used
	Used             time.Duration // GPU time, in which what was used a week ago counts half
}

// Queue is what waits for one pool, in the order in which it is served.
type Queue struct {
	PoolID, GPUModel string // "": CPU-only work
	Simulated        bool
	Waiting          []Waiting
	Shares           []Share // of those who used its GPUs lately or wait for them, by name
}

// Queues returns the queues in which somebody waits, CPU-only work last.
func (s *Store) Queues(ctx context.Context) (all []Queue, err error) {
	err = s.read(ctx, func(t *tx) error {
		pools, err := t.queuedPools()
		if err != nil {
			return err
		}
		for _, pool := range pools {
			q, err := t.queueShown(pool)
			if err != nil {
				return err
			}
			all = append(all, q)
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b Queue) int {
		return cmp.Or(cmp.Compare(boolNumber(a.PoolID == ""), boolNumber(b.PoolID == "")), cmp.Compare(a.GPUModel, b.GPUModel))
	})
	return all, err
}

// QueueOf returns the queue that an instance waits in, and where in its list. NotFound if it doesn't wait.
func (s *Store) QueueOf(ctx context.Context, id string) (q Queue, at int, err error) {
	err = s.read(ctx, func(t *tx) error {
		var pool string
		if err := t.row("SELECT coalesce(pool_id, '') FROM instance WHERE id = ? AND state = 'queued' AND kind <> 'reserved'", id).Scan(&pool); err != nil {
			return orNotFound(err, "instance", id)
		}
		if q, err = t.queueShown(pool); err != nil {
			return err
		}
		at = slices.IndexFunc(q.Waiting, func(w Waiting) bool { return w.ID == id })
		return nil
	})
	return q, at, err
}

// Outlook says what becomes of a request for a plan if it is made now and waits where it has to: its Place, its Reason, "" if
// it starts at once, and StartsAt. Who asks needs a TeamID; a budget or a quota in the way is not looked at.
func (s *Store) Outlook(ctx context.Context, r RentRequest) (w Waiting, err error) {
	err = s.read(ctx, func(t *tx) error {
		p, err := scanPlan(t.row(planQuery+"WHERE l.id = ?", r.PlanID))
		if err != nil {
			return orNotFound(err, "plan", r.PlanID)
		}
		l, err := t.line(p.poolID, &queuedJob{id: newcomer, teamID: r.TeamID, personID: r.PersonID, kind: r.Kind, gpuCount: p.GPUCount, since: t.now,
			duration: r.Duration, wanted: r.GPUs, node: r.Node, labels: r.Labels, gap: clickGap})
		if err != nil {
			return err
		}
		for k, place := range queue.Plan(t.now, l.ranks, l.in) {
			if place.ID != newcomer {
				continue
			}
			if place.StartKnown {
				w.StartsAt = &place.Start
			}
			w.PlanID, w.GPUCount, w.Kind, w.Since, w.Place, w.Reason = r.PlanID, p.GPUCount, r.Kind, l.ranks[k].Since, place.Number, WaitReason(place.Reason)
		}
		return nil
	})
	return w, err
}

// queuedPools are those that somebody waits for.
func (t *tx) queuedPools() ([]string, error) {
	return list(t, func(r scanner) (pool string, err error) { return pool, r.Scan(&pool) },
		"SELECT DISTINCT coalesce(pool_id, '') FROM instance WHERE state = 'queued' AND kind <> 'reserved' ORDER BY 1")
}

// queueShown says of all who wait for a pool what the rules of the queue say.
func (t *tx) queueShown(pool string) (Queue, error) {
	l, err := t.line(pool)
	if err != nil {
		return Queue{}, err
	}
	q := Queue{PoolID: pool, Shares: l.shares(t.now)}
	if pool != "" {
		if err := t.row("SELECT model, simulated FROM pool WHERE id = ?", pool).Scan(&q.GPUModel, &q.Simulated); err != nil {
			return q, err
		}
	}
	places := map[string]int{}
	for k, p := range queue.Plan(t.now, l.ranks, l.in) {
		places[p.ID] = p.Number
		j := l.jobs[p.ID]
		w := Waiting{ID: p.ID, Name: j.name, PlanID: j.planID, TeamID: j.teamID, TeamName: j.teamName, PersonID: j.personID, PersonName: j.personName,
			Kind: j.kind, GPUCount: j.gpuCount, Since: j.since, Place: p.Number, Reason: WaitReason(p.Reason), Aged: l.ranks[k].Aged}
		for _, id := range p.Ahead {
			w.Behind = append(w.Behind, places[id])
		}
		if p.StartKnown {
			w.StartsAt = &p.Start
		}
		if end := p.Until.Add(-handover); p.StartKnown && p.Ends && j.kind != Spot {
			w.EndsAt = &end
		}
		if !p.Starts && l.promised[p.ID] != nil {
			w.Reason = WaitsForReclaim
		}
		q.Waiting = append(q.Waiting, w)
	}
	return q, nil
}

func boolNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}
