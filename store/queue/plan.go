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
//
// Who yields is planned after all others, into what they leave: it must have its least time before one of them starts
// there whose start is known, and gives back what one of them awaits.
func Plan(now time.Time, waiting []Rank, in Pool) []Place {
	return planned(now, waiting, in, true)
}

// Starts returns the places of those alone that start now: the same as in Plan, without the work for all others.
func Starts(now time.Time, waiting []Rank, in Pool) []Place {
	places := planned(now, waiting, in, false)
	return slices.DeleteFunc(places, func(p Place) bool { return !p.Starts })
}

// Left returns the GPUs on which one could start now who comes after all that wait, nobody overtaken: those that
// nobody ahead starts on, awaits or needs too soon. Together they may be too few on any node.
func Left(now time.Time, waiting []Rank, in Pool, comes Job) (uuids []string) {
	last := slices.IndexFunc(waiting, func(r Rank) bool { return r.Yields })
	if last < 0 {
		last = len(waiting)
	}
	v := &planner{now: now, in: in, pool: poolOf(now, in, but{}), places: make([]Place, 0, last), whole: true}
	v.plan(waiting[:last], 1)
	for i := range v.pool.nodes {
		for _, r := range v.pool.nodes[i].rooms(&comes, 0) {
			uuids = append(uuids, r.gpu.UUID)
		}
	}
	return uuids
}

func planned(now time.Time, waiting []Rank, in Pool, reasons bool) []Place {
	firm := slices.IndexFunc(waiting, func(r Rank) bool { return r.Yields })
	if firm < 0 {
		firm = len(waiting)
	}
	v := &planner{now: now, in: in, reasons: reasons, pool: poolOf(now, in, but{}), places: make([]Place, 0, len(waiting))}
	y := &planner{now: now, in: in, reasons: reasons, pool: poolOf(now, in, but{unclaimed: true}), but: but{unclaimed: true}}
	yielding := y.concern(waiting[firm:])
	if yielding == 0 {
		v.plan(waiting[:v.concern(waiting[:firm])], 1)
		return v.places
	}
	v.plan(waiting[:firm], 1)
	for _, c := range v.claims { // of those who don't yield
		d := y.pool.where[c.uuid]
		d.line.take(c.at, c.end, c.milli)
		d.cuts = append(d.cuts, c.at)
	}
	for i := range v.pool.nodes {
		y.pool.nodes[i].unsure = v.pool.nodes[i].unsure
	}
	y.places, y.ahead = v.places, v.ahead
	y.plan(waiting[firm:firm+yielding], firm+1)
	return y.places
}

// concern returns how many of those waiting must be looked at: without reasons, up to the last who could start now.
func (v *planner) concern(waiting []Rank) int {
	last := len(waiting)
	for last > 0 && !v.reasons && !v.pool.now(&waiting[last-1].Job) {
		last--
	}
	return last
}

// planner is the state between one job and the next.
type planner struct {
	now     time.Time
	in      Pool
	reasons bool // wanted
	whole   bool // all who wait are planned, whoever starts
	pool    *pool
	places  []Place
	ahead   []string // who has a claim
	claims  []claim
	but     but
	looks   []look // the pool without those who wait; without reservations too; without promises too; and with nodes that are down
	known   map[alike]Reason
}

// claim is a GPU that a job has from a moment until another.
type claim struct {
	uuid    string
	at, end int64
	milli   int
}

// plan adds the places of those waiting, of whom the first has a number.
func (v *planner) plan(waiting []Rank, number int) {
	bounded := len(waiting) // behind it nobody has a hard end
	for bounded > 0 && !waiting[bounded-1].Ends {
		bounded--
	}
	for k := range waiting {
		r := &waiting[k]
		if !v.reasons && !v.whole && k >= bounded && v.pool.shut() {
			break // none of them starts, and nobody asks why
		}
		place := v.place(r)
		place.ID, place.Number = r.ID, number+k
		v.places = append(v.places, place)
	}
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
		v.claims = append(v.claims, claim{d.gpu.UUID, at, end, r.Ask.milli})
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
	if v.looks == nil {
		v.looks = []look{
			{Behind, poolOf(v.now, v.in, v.but)},
			{ReservedSoon, poolOf(v.now, v.in, but{reserved: true})},
			{Promised, poolOf(v.now, v.in, but{reserved: true, promised: true})},
			{NodeDown, poolOf(v.now, v.in, but{reserved: true, promised: true, down: true})},
		}
		v.known = map[alike]Reason{}
	}
	wants := alike{j.Ask, j.Ends, j.Length, j.Least}
	reason, known := v.known[wants]
	if special := len(j.Named) > 0 || j.Node != "" || v.pool.promised(j); special || !known {
		reason = NoGPUs
		for _, l := range v.looks {
			if l.pool.now(j) {
				reason = l.reason
				break
			}
		}
		if !special {
			v.known[wants] = reason
		}
	}
	if reason == Behind {
		return Place{Reason: Behind, Ahead: v.ahead[:len(v.ahead):len(v.ahead)]}
	}
	return Place{Reason: reason}
}

// look is a pool without those who wait, and why a job waits that could start there.
type look struct {
	reason Reason
	pool   *pool
}

// alike are jobs that wait for the same reason.
type alike struct {
	ask           Ask
	ends          bool
	length, least time.Duration
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
