package queue

import (
	"cmp"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/plan"
)

// pool is the state of the nodes while a plan is made.
type pool struct {
	nodes   []site
	windows []window // scratch
}

// site is a node with its GPUs' futures.
type site struct {
	node *Node
	gpus []device
	// open: somebody ahead could start here and nobody knows when, so that who has no hard end must not.
	open bool
}

type device struct {
	gpu  *GPU
	line timeline
	kept bool // for somebody ahead who waited 24 hours and whose start nobody knows
}

// poolOf lays out the futures of GPUs, with reservations or without, of nodes that are down or not.
func poolOf(now time.Time, nodes []Node, running []Running, reserved, down bool) *pool {
	p := &pool{nodes: make([]site, 0, len(nodes))}
	where := map[string]*device{}
	for i := range nodes {
		n := &nodes[i]
		if n.Down && !down {
			continue
		}
		s := site{node: n, gpus: make([]device, 0, len(n.GPUs))}
		for k := range n.GPUs {
			g := &n.GPUs[k]
			if g.Out {
				continue
			}
			line := append(make(timeline, 0, 4), step{0, Share})
			for _, r := range g.Reserved {
				if reserved {
					line.take(micros(r.From.Sub(now)), micros(r.To.Sub(now)), Share)
				}
			}
			s.gpus = append(s.gpus, device{gpu: g, line: line})
			where[g.UUID] = &s.gpus[len(s.gpus)-1]
		}
		p.nodes = append(p.nodes, s)
	}
	for _, r := range running {
		until := int64(forever)
		if r.Ends && r.Until.After(now) {
			until = micros(r.Until.Sub(now))
		}
		for _, uuid := range r.UUIDs {
			if d := where[uuid]; d != nil {
				d.line.take(0, until, r.Milli)
			}
		}
	}
	return p
}

// may reports whether a job may use a GPU at all.
func (s *site) may(d *device, j Job) bool { return !d.kept && (j.Ends || !s.open) }

// earliest returns when a job can start: the first moment at which one node has all that it needs for as long as it needs.
func (p *pool) earliest(j Job) (at int64, ok bool) {
	length, at := lengthOf(j), int64(forever)
	for i := range p.nodes {
		s := &p.nodes[i]
		if len(s.gpus) < j.Ask.count || !j.Ends && s.open {
			continue
		}
		p.windows = p.windows[:0]
		for k := range s.gpus {
			if s.may(&s.gpus[k], j) {
				p.windows = s.gpus[k].line.windows(p.windows, length, j.Ask.milli)
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

// choose picks the GPUs for a job that can start at a moment.
func (p *pool) choose(j Job, at int64) (*site, []*device) {
	if j.Ask.milli < Share {
		return p.fullest(j, at)
	}
	var nodes []plan.Node
	for i := range p.nodes {
		s := &p.nodes[i]
		n := plan.Node{ID: s.node.ID, Name: s.node.Name}
		for k := range s.gpus {
			if d := &s.gpus[k]; s.may(d, j) && d.line.fits(at, lengthOf(j), Share) {
				n.Free = append(n.Free, plan.GPU{UUID: d.gpu.UUID, Index: d.gpu.Index})
			}
		}
		nodes = append(nodes, n)
	}
	id, uuids, _ := plan.Choose(nodes, j.Ask.count, nil)
	for i := range p.nodes {
		s := &p.nodes[i]
		if s.node.ID != id {
			continue
		}
		var chosen []*device
		for _, uuid := range uuids {
			k := slices.IndexFunc(s.gpus, func(d device) bool { return d.gpu.UUID == uuid })
			chosen = append(chosen, &s.gpus[k])
		}
		return s, chosen
	}
	return nil, nil
}

// fullest picks the GPU on which a share leaves the least, so that whole GPUs stay whole.
func (p *pool) fullest(j Job, at int64) (*site, []*device) {
	var best *device
	var on *site
	var least int
	for i := range p.nodes {
		s := &p.nodes[i]
		for k := range s.gpus {
			d := &s.gpus[k]
			if !s.may(d, j) || !d.line.fits(at, lengthOf(j), j.Ask.milli) {
				continue
			}
			free := d.line.at(at)
			if best == nil || cmp.Or(cmp.Compare(free, least), cmp.Compare(s.node.Name, on.node.Name), cmp.Compare(s.node.ID, on.node.ID),
				cmp.Compare(d.gpu.Index, best.gpu.Index), cmp.Compare(d.gpu.UUID, best.gpu.UUID)) < 0 {
				best, on, least = d, s, free
			}
		}
	}
	return on, []*device{best}
}

func lengthOf(j Job) int64 {
	if !j.Ends {
		return forever
	}
	return max(micros(j.Length), 1)
}

func micros(d time.Duration) int64 { return d.Microseconds() }
