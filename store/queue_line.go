package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/queue"
	"github.com/meterhouse/meterhouse/store/quota"
)

const (
	// handover is what an instance may need to be gone after its hard end, and its GPUs to be proven clean: an estimate of
	// a start counts it in.
	handover = time.Minute
	// clickGap is the time that must be left before a reservation for a GPU to be rented on demand until then: less is not
	// worth a start, and the notices at 15 and 5 minutes have their time.
	clickGap = 15 * time.Minute
	// waitedGap is the time that must be left before a reservation for an instance without a hard end that waits, for its turn
	// or for GPUs that are given back: nobody saw its end before the click, so that all notices of it must have their time.
	waitedGap = time.Hour
)

// leastStay is how long an instance must be able to stay where it starts: as spot until it could be given notice, with a term
// the whole of it, and else so long that it is worth a start.
func leastStay(kind InstanceKind, term *time.Duration, gap time.Duration) time.Duration {
	switch {
	case kind == Spot:
		return spotAhead
	case term != nil:
		return *term
	}
	return gap
}

// queuedJob is an instance that waits.
type queuedJob struct {
	id, name, planID                       string
	teamID, teamName, personID, personName string
	kind                                   InstanceKind
	gpuCount                               int
	poolID                                 string
	rate                                   int64 // micro-units an hour
	since                                  time.Time
	duration                               *time.Duration
	wanted                                 []string
	node                                   string // that it wants; "": any
	labels                                 map[string]string
	gap                                    time.Duration // before a reservation, without a hard end
}

// job is what the rules of the queue see of it. CPU-only work asks for one of the places that there are.
func (j *queuedJob) job(kept queue.Reason) queue.Job {
	out := queue.Job{ID: j.id, Team: j.teamID, Ask: queue.Whole(max(j.gpuCount, 1)), Named: j.wanted, Since: j.since, Least: leastStay(j.kind, nil, j.gap) + handover, Kept: kept, Yields: j.kind == Spot}
	if j.gpuCount > 0 {
		out.Node = j.node
	}
	if j.duration != nil {
		out.Ends, out.Length = true, *j.duration+handover
	}
	return out
}

// line is all that decides what happens in one pool's queue. What is done and what is shown come from it alike.
type line struct {
	jobs  map[string]*queuedJob
	teams []fairTeam
	ranks []queue.Rank
	in    queue.Pool

	promised map[string][]string // to whom GPUs are promised, and which: these alone they wait for
}

// line looks a pool's queue up, "" for CPU-only work; joins are who would wait in it too.
func (t *tx) line(pool string, joins ...*queuedJob) (*line, error) {
	l, err := t.lineInOrder(pool, joins...)
	if err != nil {
		return nil, err
	}
	if pool == "" {
		l.in, err = t.cpuPool()
		return l, err
	}
	l.in, err = t.queuePool(pool)
	for _, n := range l.in.Nodes {
		for _, g := range n.GPUs {
			l.promised[g.Promised] = append(l.promised[g.Promised], g.UUID)
		}
	}
	for k := range l.ranks {
		if uuids := l.promised[l.ranks[k].ID]; uuids != nil {
			l.ranks[k].Named = uuids
		}
	}
	return l, err
}

// lineInOrder is line without what they wait for.
func (t *tx) lineInOrder(pool string, joins ...*queuedJob) (*line, error) {
	waiting, err := list(t, scanQueued, `SELECT i.id, i.name, i.plan_id, i.team_id, t.name, i.person_id, p.name, i.kind, i.gpu_count, coalesce(i.pool_id, ''), i.rate, i.requested_at, i.duration, i.wanted_gpus, coalesce(i.wanted_node, ''), i.labels
		FROM instance i JOIN team t ON t.id = i.team_id JOIN person p ON p.id = i.person_id
		WHERE i.state = 'queued' AND i.kind <> 'reserved' AND i.pool_id IS ? ORDER BY i.seq`, nullIfEmpty(pool))
	if err != nil {
		return nil, err
	}
	waiting = append(waiting, joins...)
	l := &line{jobs: make(map[string]*queuedJob, len(waiting)), promised: map[string][]string{}}
	rates, kept, jobs := map[string]int64{}, map[string]queue.Reason{}, make([]queue.Job, 0, len(waiting))
	for _, j := range waiting {
		if err := t.rateOfNow(j, rates); err != nil {
			return nil, err
		}
		why, err := t.keptBy(j, kept)
		if err != nil {
			return nil, err
		}
		l.jobs[j.id] = j
		jobs = append(jobs, j.job(why))
	}
	if l.teams, err = t.fairTeams(pool, l.jobs); err != nil {
		return nil, err
	}
	size := int64(cpuPlanPlaces)
	if pool != "" {
		if size, err = t.number("SELECT count(*) FROM gpu WHERE pool_id = ? AND state <> 'lost'", pool); err != nil {
			return nil, err
		}
	}
	teams := make([]queue.Team, len(l.teams))
	for k := range l.teams {
		teams[k] = l.teams[k].Team
	}
	l.ranks = queue.Order(t.now, jobs, teams, size*queue.Share, queue.DefaultWeights)
	return l, nil
}

func scanQueued(r scanner) (*queuedJob, error) {
	j := &queuedJob{gap: waitedGap}
	var since int64
	var duration *int64
	var wanted, labels string
	if err := r.Scan(&j.id, &j.name, &j.planID, &j.teamID, &j.teamName, &j.personID, &j.personName, &j.kind, &j.gpuCount, &j.poolID, &j.rate, &since, &duration, &wanted, &j.node, &labels); err != nil {
		return nil, err
	}
	j.since = fromMicros(since)
	if duration != nil {
		d := time.Duration(*duration) * time.Microsecond
		j.duration = &d
	}
	if err := json.Unmarshal([]byte(wanted), &j.wanted); err != nil {
		return nil, err
	}
	return j, json.Unmarshal([]byte(labels), &j.labels)
}

// rateOfNow sets the price at which somebody who waits would start now. Many who wait are alike: known remembers.
func (t *tx) rateOfNow(j *queuedJob, known map[string]int64) error {
	if j.id == newcomer {
		return nil
	}
	alike := j.planID + " " + string(j.kind) + " " + j.teamID
	if _, ok := known[alike]; !ok {
		now, offered, err := t.pricedFor(Plan{ID: j.planID, poolID: j.poolID}, j.kind, j.teamID)
		if err != nil {
			return err
		}
		if !offered {
			return nil // it keeps the price of when it was asked for
		}
		known[alike] = now.rate
	}
	j.rate = known[alike]
	return nil
}

// keptBy says what keeps an instance waiting whatever is free, "" if nothing does. Many who wait are alike: known remembers.
func (t *tx) keptBy(j *queuedJob, known map[string]queue.Reason) (queue.Reason, error) {
	labels, err := json.Marshal(j.labels) // sorted by key
	if err != nil {
		return "", err
	}
	a := j.asks(t.now)
	alike := fmt.Sprint(a.personID, " ", a.teamID, " ", a.spot, " ", a.gpuCount, " ", a.rate, " ", j.duration != nil, " ", a.length(), " ", string(labels))
	why, ok := known[alike]
	if ok {
		return why, nil
	}
	why, err = t.keeps(a, j.labels)
	known[alike] = why
	return why, err
}

// asks is what somebody who waits would hold. Of a newcomer, whose rate is not known yet, Rent asks itself.
func (j *queuedJob) asks(now time.Time) quotaAsk {
	a := quotaAsk{teamID: j.teamID, personID: j.personID, poolID: j.poolID, gpuCount: j.gpuCount, rate: j.rate, spot: j.kind == Spot, from: now}
	if j.id == newcomer {
		a.only = []quota.Kind{}
	}
	return a.lasting(j.duration)
}

// keeps says what keeps somebody's instance waiting, "" if nothing does.
func (t *tx) keeps(a quotaAsk, labels map[string]string) (queue.Reason, error) {
	err := t.budgetsRefuse(a.personID, a.teamID, labels, a.spot)
	if KindOf(err) == BudgetBlocks {
		return queue.Budget, nil
	}
	if err != nil {
		return "", err
	}
	found, _, err := t.quotaInTheWay(a)
	if found != nil {
		return queue.Quota, err
	}
	return "", err
}

// keptNow is keeps for an instance that waits, at the price at which it would start now.
func (t *tx) keptNow(i *Instance) (queue.Reason, error) {
	now, err := t.atPriceOfNow(*i)
	if err != nil {
		return "", err
	}
	return t.keeps(now.asks(t.now), i.Labels)
}

// placesInQueue adds to instances that wait their places.
func (t *tx) placesInQueue(all []Instance) error {
	known := map[string]map[string]int{}
	for k := range all {
		i := &all[k]
		if i.State != life.Queued {
			continue
		}
		places := known[i.poolID]
		if places == nil {
			l, err := t.lineInOrder(i.poolID)
			if err != nil {
				return err
			}
			places = make(map[string]int, len(l.ranks))
			for k, r := range l.ranks {
				places[r.ID] = k + 1
			}
			known[i.poolID] = places
		}
		i.QueuePlace = places[i.ID]
	}
	return nil
}
