package queue

import (
	"cmp"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/topology"
)

// pool is the state of the nodes while a plan is made.
type pool struct {
	nodes []site
	where map[string]*device

	promises map[string]bool // to whom some are promised
	windows  []window        // scratch
}

// site is a node with its GPUs' futures.
type site struct {
	node *Node
	gpus []device
	// unsure: somebody ahead may start here and nobody knows when.
	unsure bool
}

type device struct {
	gpu  *GPU
	node string
	line timeline
	cuts []int64 // when reservations begin

	promised string // to whom
	// Somebody ahead whose start nobody knows waits for it: awaited is not for who has no hard end, kept for nobody behind.
	awaited, kept bool
}

// but names what a look at a pool takes no notice of.
type but struct{ reserved, unclaimed, promised, down bool }

// poolOf lays out the futures of GPUs.
func poolOf(now time.Time, in Pool, but but) *pool {
	p := &pool{nodes: make([]site, 0, len(in.Nodes)), where: map[string]*device{}, promises: map[string]bool{}}
	for i := range in.Nodes {
		n := &in.Nodes[i]
		if n.Down && !but.down {
			continue
		}
		s := site{node: n, gpus: make([]device, 0, len(n.GPUs))}
		for k := range n.GPUs {
			g := &n.GPUs[k]
			if g.Out {
				continue
			}
			d := device{gpu: g, node: n.ID, promised: g.Promised, line: append(make(timeline, 0, 4), step{0, Share})}
			for _, r := range g.Reserved {
				if !but.reserved && (!but.unclaimed || !r.Unclaimed) {
					d.line.take(micros(r.From.Sub(now)), micros(r.To.Sub(now)), Share)
					d.cuts = append(d.cuts, micros(r.From.Sub(now)))
				}
			}
			if g.Promised != "" {
				p.promises[g.Promised] = true
			}
			if but.promised {
				d.promised = ""
			}
			s.gpus = append(s.gpus, d)
			p.where[g.UUID] = &s.gpus[len(s.gpus)-1]
		}
		p.nodes = append(p.nodes, s)
	}
	for _, r := range in.Running {
		until := int64(forever)
		if r.Ends && r.Until.After(now) {
			until = micros(r.Until.Sub(now))
		}
		for _, uuid := range r.UUIDs {
			if d := p.where[uuid]; d != nil {
				d.line.take(0, until, r.Milli)
			}
		}
	}
	return p
}

// suits reports whether a GPU is one of those that a job names, on the node that it wants, and promised to nobody else.
func (d *device) suits(j *Job) bool {
	return (j.Node == "" || d.node == j.Node) && (d.promised == "" || d.promised == j.ID) && (len(j.Named) == 0 || slices.Contains(j.Named, d.gpu.UUID))
}

// promised reports whether GPUs are promised to a job.
func (p *pool) promised(j *Job) bool { return p.promises[j.ID] }

// may reports whether a job may use a GPU, as far as those ahead go.
func (d *device) may(j *Job) bool { return !d.kept && (j.Ends || !d.awaited) && d.suits(j) }

// until returns how long a job that starts at a moment may stay: until its hard end, or the reservation that ends it. ok
// is false if it can't start then.
func (d *device) until(at int64, j *Job) (end int64, ok bool) {
	end = d.line.until(at, j.Ask.milli)
	if last, ok := d.last(end, j); !ok || at > last {
		return end, false
	}
	if j.Ends {
		end = min(end, plus(at, j.length()))
	}
	return end, true
}

// last returns when a job must have begun on a GPU that is free until a moment; ok is false if it can't.
func (d *device) last(free int64, j *Job) (at int64, ok bool) {
	switch cut := slices.Contains(d.cuts, free); {
	case free == forever:
		return forever, true
	case j.Ends && (!j.Yields || !cut):
		return free - j.length(), true
	case j.Ends:
		return free - min(j.length(), j.least()), true
	case cut:
		return free - j.least(), true
	}
	return 0, false
}

// begins appends when a job may begin on a GPU.
func (d *device) begins(into []window, j *Job) []window {
	d.line.stretches(j.Ask.milli, func(from, to int64) {
		if last, ok := d.last(to, j); ok && last >= from {
			into = append(into, window{from, last})
		}
	})
	return into
}

// earliest returns when a job can start: the first moment at which one node has all that it needs for as long as it needs.
func (p *pool) earliest(j *Job) (at int64, ok bool) {
	at = forever
	for i := range p.nodes {
		s := &p.nodes[i]
		if len(s.gpus) < j.Ask.count {
			continue
		}
		p.windows = p.windows[:0]
		for k := range s.gpus {
			if s.gpus[k].may(j) {
				p.windows = s.gpus[k].begins(p.windows, j)
			}
		}
		for _, w := range p.windows {
			if w.from < at && p.together(w.from) >= j.Ask.count {
				at = w.from
			}
		}
		if at == 0 {
			return 0, true
		}
	}
	return at, at != forever
}

// together counts the GPUs that are free from a moment: a GPU's own windows never touch.
func (p *pool) together(at int64) (count int) {
	for _, w := range p.windows {
		if w.from <= at && at <= w.to {
			count++
		}
	}
	return count
}

// room is a GPU that a job can have, and until when.
type room struct {
	*device
	end int64
}

// choose picks the GPUs for a job that can start at a moment, and says until when it has them: of the nodes that have
// enough the one on which it may stay longest, then one where they lie together, then the one with the fewest free, so that
// large gaps stay whole; of its GPUs those that lie together, then those with the lowest index. A share goes where it leaves
// the least.
func (p *pool) choose(j *Job, at int64) (on *site, chosen []*device, end int64) {
	if j.Ask.milli < Share {
		return p.fullest(j, at)
	}
	free, apart := 0, topology.OneIsland
	for i := range p.nodes {
		s := &p.nodes[i]
		rooms := s.rooms(j, at)
		if len(rooms) < j.Ask.count {
			continue
		}
		until := rooms[j.Ask.count-1].end
		gpus, reach := together(rooms, j.Ask.count, until)
		if on != nil && cmp.Or(cmp.Compare(end, until), cmp.Compare(reach, apart), cmp.Compare(len(rooms), free), cmp.Compare(s.node.Name, on.node.Name), cmp.Compare(s.node.ID, on.node.ID)) > 0 {
			continue
		}
		on, end, free, apart, chosen = s, until, len(rooms), reach, gpus
	}
	return on, chosen, end
}

// together chooses those of a node's GPUs that lie best together, of those that can be had until a moment.
func together(rooms []room, count int, until int64) (gpus []*device, reach topology.Reach) {
	var where []topology.Where
	for _, r := range rooms {
		if r.end >= until {
			where = append(where, r.gpu.Where)
		}
	}
	picked, reach := topology.Pick(where, count)
	for _, k := range picked {
		gpus = append(gpus, rooms[k].device)
	}
	return gpus, reach
}

// rooms returns a node's GPUs that a job can have from a moment, in the order in which it takes them.
func (s *site) rooms(j *Job, at int64) (rooms []room) {
	for k := range s.gpus {
		if d := &s.gpus[k]; d.may(j) {
			if end, ok := d.until(at, j); ok {
				rooms = append(rooms, room{d, end})
			}
		}
	}
	slices.SortFunc(rooms, func(a, b room) int { return cmp.Or(cmp.Compare(b.end, a.end), a.compare(b.device)) })
	return rooms
}

// fullest picks the GPU on which a share leaves the least, so that whole GPUs stay whole.
func (p *pool) fullest(j *Job, at int64) (on *site, chosen []*device, end int64) {
	var best *device
	least := 0
	for i := range p.nodes {
		s := &p.nodes[i]
		for _, r := range s.rooms(j, at) {
			free := r.line.at(at)
			if best == nil || cmp.Or(cmp.Compare(free, least), cmp.Compare(s.node.Name, on.node.Name), cmp.Compare(s.node.ID, on.node.ID), r.compare(best)) < 0 {
				best, on, least, end = r.device, s, free, r.end
			}
		}
	}
	return on, []*device{best}, end
}

func (d *device) compare(o *device) int {
	return cmp.Or(cmp.Compare(d.gpu.Index, o.gpu.Index), cmp.Compare(d.gpu.UUID, o.gpu.UUID))
}

func (j *Job) length() int64 { return max(micros(j.Length), 1) }
func (j *Job) least() int64  { return max(micros(j.Least), 1) }

func micros(d time.Duration) int64 { return d.Microseconds() }
