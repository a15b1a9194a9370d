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
}

// Plan says of each waiting job, in the order of Order, whether it starts now and where, or why it waits and until when.
//
// Each job in turn takes the earliest time at which one node has what it needs, by the hard ends of all before it; so who
// comes later fills only gaps that they leave, GPU by GPU. Where a job's start depends on something without a hard end, it
// awaits GPUs of the node on which the fewest such things are in its way: nobody behind it who has no hard end either
// starts on those. Who has one may, unless the job has waited 24 hours: then they are kept free for it.
func Plan(now time.Time, waiting []Rank, in Pool) []Place {
	return planned(now, waiting, in, len(waiting), true)
}

// Starts returns the places of those alone that start now: the same as in Plan, without the work for all others.
func Starts(now time.Time, waiting []Rank, in Pool) []Place {
	free := poolOf(now, in, but{})
	last := len(waiting)
	for last > 0 && !free.now(&waiting[last-1].Job) {
		last--
	}
	places := planned(now, waiting, in, last, false)
	return slices.DeleteFunc(places, func(p Place) bool { return !p.Starts })
}

func planned(now time.Time, waiting []Rank, in Pool, count int, reasons bool) []Place {
	if count == 0 {
		return nil
	}
	v := &planner{now: now, in: in, reasons: reasons, pool: poolOf(now, in, but{})}
	places := make([]Place, 0, count)
	bounded := count // behind it nobody has a hard end
	for bounded > 0 && !waiting[bounded-1].Ends {
		bounded--
	}
	for k := range waiting[:count] {
		r := &waiting[k]
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
	ahead   []string // who has a claim
	// The pool without those who wait; without reservations too; without promises too; and with nodes that are down.
	bare, gaps, given, whole *pool
}

func (v *planner) place(r *Rank) Place {
	switch {
	case r.Kept != "":
		return Place{Reason: r.Kept}
	case r.Milli() == 0:
		return Place{Reason: NoGPUs}
	}
	at, ok := v.pool.earliest(&r.Job)
	if !ok {
		place := v.waits(&r.Job)
		if v.pool.await(r) {
			v.ahead = append(v.ahead, r.ID)
		}
		return place
	}
	on, gpus, end := v.pool.choose(&r.Job, at)
	place := Place{NodeID: on.node.ID, Start: v.moment(at), StartKnown: true}
	if end != forever {
		place.Ends, place.Until = true, v.moment(end)
	}
	if at == 0 {
		place.Starts = true
		for _, d := range gpus {
			place.UUIDs = append(place.UUIDs, d.gpu.UUID)
		}
	} else {
		reason := v.waits(&r.Job)
		place.Reason, place.Ahead = reason.Reason, reason.Ahead
		if on.unsure { // somebody ahead may start there first, nobody knows when
			place = Place{Reason: place.Reason, Ahead: place.Ahead}
		}
	}
	for _, d := range gpus {
		d.line.take(at, end, r.Ask.milli)
	}
	v.ahead = append(v.ahead, r.ID)
	return place
}

// moment is so many microseconds from now.
func (v *planner) moment(at int64) time.Time { return v.now.Add(time.Duration(at) * time.Microsecond) }

// await marks what a job waits for whose start nobody knows. It reports whether it could start anywhere at all.
func (p *pool) await(r *Rank) (could bool) {
	var best []*device
	most := -1
	for i := range p.nodes {
		s := &p.nodes[i]
		gpus, free := s.most(&r.Job)
		if len(gpus) < r.Ask.count {
			continue
		}
		s.unsure, could = true, true
		if free > most {
			best, most = gpus, free
		}
	}
	for _, d := range best {
		d.awaited, d.kept = true, d.kept || r.Aged
	}
	return could
}

// most returns the GPUs of a node, so many, that have the most free by the hard ends known. Those that somebody ahead
// awaits have nothing.
func (s *site) most(j *Job) (gpus []*device, free int) {
	for k := range s.gpus {
		if s.gpus[k].suits(j) {
			gpus = append(gpus, &s.gpus[k])
		}
	}
	slices.SortStableFunc(gpus, func(a, b *device) int { return cmp.Or(cmp.Compare(b.left(), a.left()), a.compare(b)) })
	gpus = gpus[:min(j.Ask.count, len(gpus))]
	for _, d := range gpus {
		free += d.left()
	}
	return gpus, free
}

// left is what is free of a GPU once all hard ends that are known have passed, and nobody ahead awaits it.
func (d *device) left() int {
	if d.awaited {
		return 0
	}
	return d.line.last()
}

// waits says why a job does not start now.
func (v *planner) waits(j *Job) Place {
	if !v.reasons {
		return Place{}
	}
	if v.bare == nil {
		v.bare = poolOf(v.now, v.in, but{})
		v.gaps = poolOf(v.now, v.in, but{reserved: true})
		v.given = poolOf(v.now, v.in, but{reserved: true, promised: true})
		v.whole = poolOf(v.now, v.in, but{reserved: true, promised: true, down: true})
	}
	switch {
	case v.bare.now(j):
		return Place{Reason: Behind, Ahead: v.ahead[:len(v.ahead):len(v.ahead)]}
	case v.gaps.now(j):
		return Place{Reason: ReservedSoon}
	case v.given.now(j):
		return Place{Reason: Promised}
	case v.whole.now(j):
		return Place{Reason: NodeDown}
	}
	return Place{Reason: NoGPUs}
}

// shut reports whether nobody starts any more who has no hard end.
func (p *pool) shut() bool {
	for i := range p.nodes {
		for k := range p.nodes[i].gpus {
			if d := &p.nodes[i].gpus[k]; !d.awaited && !d.kept {
				return false
			}
		}
	}
	return true
}

// now reports whether a job could start at once.
func (p *pool) now(j *Job) bool {
	for i := range p.nodes {
		s := &p.nodes[i]
		count := 0
		for k := range s.gpus {
			if d := &s.gpus[k]; d.suits(j) {
				if _, ok := d.until(0, j); ok {
					count++
				}
			}
		}
		if j.Ask.count > 0 && count >= j.Ask.count {
			return true
		}
	}
	return false
}
