package queue

import (
	"cmp"
	"slices"
	"time"
)

// Pool is what jobs wait for.
type Pool struct {
	Nodes   []Node
	Running []Running
	Limits  map[string]Limit // by team
}

// Plan says of each waiting job, in the order of Order, whether it starts now and where, or why it waits and until when.
//
// Each job in turn takes the earliest time at which one node has what it needs, by the hard ends of all before it; so who
// comes later fills only gaps that they leave, GPU by GPU. Where a job's start depends on something without a hard end,
// nobody behind it who has none either starts on a node that it could use; who has one may, unless the job has waited 24
// hours: then GPUs are kept free for it, of the node on which the most are.
func Plan(now time.Time, waiting []Rank, in Pool) []Place {
	return planned(now, waiting, in, len(waiting), true)
}

// Starts returns the places of those alone that start now: the same as in Plan, without the work for all others.
func Starts(now time.Time, waiting []Rank, in Pool) []Place {
	free := poolOf(now, in.Nodes, in.Running, true, false)
	last := len(waiting)
	for last > 0 && !free.now(waiting[last-1].Job) {
		last--
	}
	places := planned(now, waiting, in, last, false)
	return slices.DeleteFunc(places, func(p Place) bool { return !p.Starts })
}

func planned(now time.Time, waiting []Rank, in Pool, count int, reasons bool) []Place {
	if count == 0 {
		return nil
	}
	v := &planner{now: now, in: in, reasons: reasons, pool: poolOf(now, in.Nodes, in.Running, true, false), held: map[string]int64{}}
	for _, r := range in.Running {
		v.held[r.Team] += int64(r.Milli) * int64(len(r.UUIDs))
	}
	places := make([]Place, 0, count)
	bounded := count // behind it nobody has a hard end
	for bounded > 0 && !waiting[bounded-1].Ends {
		bounded--
	}
	for k, r := range waiting[:count] {
		if !reasons && k >= bounded && v.pool.shut() {
			break // none of them starts, and nobody asks why
		}
		place := v.place(r)
		place.ID, place.Number = r.ID, k+1
		places = append(places, place)
	}
	return places
}

// planner is the state between one job and the next.
type planner struct {
	now     time.Time
	in      Pool
	reasons bool // wanted
	pool    *pool
	held    map[string]int64 // thousandths of a GPU, by team
	ahead   []string         // who has a claim
	// bare, gaps and whole are the pool without those who wait, without reservations too, and with nodes that are down.
	bare, gaps, whole *pool
}

func (v *planner) place(r Rank) Place {
	limit := v.in.Limits[r.Team]
	switch {
	case limit.Budget:
		return Place{Reason: Budget}
	case limit.Quota, limit.Milli != nil && v.held[r.Team]+r.Milli() > *limit.Milli:
		return Place{Reason: Quota}
	case r.Milli() == 0:
		return Place{Reason: NoGPUs}
	}
	at, ok := v.pool.earliest(r.Job)
	if !ok {
		place := v.waits(r.Job)
		if v.open(r) {
			v.ahead = append(v.ahead, r.ID)
		}
		return place
	}
	on, gpus := v.pool.choose(r.Job, at)
	place := Place{NodeID: on.node.ID, Start: v.now.Add(time.Duration(at) * time.Microsecond), StartKnown: true}
	if at == 0 {
		place.Starts = true
		v.held[r.Team] += r.Milli()
		for _, d := range gpus {
			place.UUIDs = append(place.UUIDs, d.gpu.UUID)
		}
	} else {
		reason := v.waits(r.Job)
		place.Reason, place.Ahead = reason.Reason, reason.Ahead
		if on.open { // somebody ahead may start there first, nobody knows when
			place.NodeID, place.Start, place.StartKnown = "", time.Time{}, false
		}
	}
	for _, d := range gpus {
		d.line.take(at, plus(at, lengthOf(r.Job)), r.Ask.milli)
	}
	v.ahead = append(v.ahead, r.ID)
	return place
}

// open marks where a job could start that nobody knows the start of, and keeps GPUs for it once it has waited long
// enough. It reports whether there is such a place.
func (v *planner) open(r Rank) (could bool) {
	var best []*device
	most := -1
	for i := range v.pool.nodes {
		s := &v.pool.nodes[i]
		if len(s.gpus) < r.Ask.count {
			continue
		}
		s.open, could = true, true
		if gpus, free := s.most(r.Ask.count); r.Aged && (free > most) && len(gpus) == r.Ask.count {
			best, most = gpus, free
		}
	}
	for _, d := range best {
		d.kept = true
	}
	return could
}

// most returns the GPUs of a node, so many, that have the most free by the hard ends known.
func (s *site) most(count int) (gpus []*device, free int) {
	for k := range s.gpus {
		if !s.gpus[k].kept {
			gpus = append(gpus, &s.gpus[k])
		}
	}
	slices.SortStableFunc(gpus, func(a, b *device) int {
		return cmp.Or(cmp.Compare(b.line.last(), a.line.last()), cmp.Compare(a.gpu.Index, b.gpu.Index), cmp.Compare(a.gpu.UUID, b.gpu.UUID))
	})
	gpus = gpus[:min(count, len(gpus))]
	for _, d := range gpus {
		free += d.line.last()
	}
	return gpus, free
}

// waits says why a job does not start now.
func (v *planner) waits(j Job) Place {
	if !v.reasons {
		return Place{}
	}
	if v.bare == nil {
		v.bare = poolOf(v.now, v.in.Nodes, v.in.Running, true, false)
		v.gaps = poolOf(v.now, v.in.Nodes, v.in.Running, false, false)
		v.whole = poolOf(v.now, v.in.Nodes, v.in.Running, false, true)
	}
	switch {
	case v.bare.now(j):
		return Place{Reason: Behind, Ahead: v.ahead[:len(v.ahead):len(v.ahead)]}
	case v.gaps.now(j):
		return Place{Reason: ReservedSoon}
	case v.whole.now(j):
		return Place{Reason: NodeDown}
	}
	return Place{Reason: NoGPUs}
}

// shut reports whether nobody starts any more who has no hard end.
func (p *pool) shut() bool {
	return !slices.ContainsFunc(p.nodes, func(s site) bool { return !s.open })
}

// now reports whether a job could start at once.
func (p *pool) now(j Job) bool {
	for i := range p.nodes {
		s := &p.nodes[i]
		count := 0
		for k := range s.gpus {
			if s.gpus[k].line.fits(0, lengthOf(j), j.Ask.milli) {
				count++
			}
		}
		if j.Ask.count > 0 && count >= j.Ask.count {
			return true
		}
	}
	return false
}
