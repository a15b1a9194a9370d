package calendar

import (
	"cmp"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/topology"
)

// GPU is one GPU of a pool with the times in which it is taken.
type GPU struct {
	UUID  string
	Index int
	Where topology.Where
	Busy  Busy
}

// Node is a node with its GPUs of one pool.
type Node struct {
	ID, Name string
	GPUs     []GPU
}

// Want is what somebody asks for: any Count GPUs of a node or, with Named, exactly those.
type Want struct {
	Count int
	Named []string
}

// Place is where something goes: GPUs of one node.
type Place struct {
	NodeID string
	UUIDs  []string
}

func (w Want) valid() bool { return w.Count > 0 && (len(w.Named) == 0 || len(w.Named) == w.Count) }

// free counts the GPUs of a node that are free in an interval; ok reports whether what is wanted is among them.
func (w Want) free(n *Node, i Interval) (free int, ok bool) {
	named := 0
	for k := range n.GPUs {
		if !n.GPUs[k].Busy.Free(i) {
			continue
		}
		free++
		if slices.Contains(w.Named, n.GPUs[k].UUID) {
			named++
		}
	}
	return free, free >= w.Count && named == len(w.Named)
}

// Fit returns the GPUs for a booking: of the nodes that have enough free one where they lie together, then the one with the
// fewest free, so that large gaps stay whole, then the first by name; of its GPUs those that lie together, then those in the
// shortest gaps, then those with the lowest index. ok is false when no node has them.
func Fit(nodes []Node, want Want, i Interval) (place Place, ok bool) {
	if !want.valid() {
		return Place{}, false
	}
	var best *Node
	var chosen []*GPU
	least, apart := 0, topology.OneIsland
	for k := range nodes {
		n := &nodes[k]
		free, fits := want.free(n, i)
		if !fits {
			continue
		}
		var gpus []*GPU
		reach := topology.OneIsland
		if len(want.Named) == 0 {
			gpus, reach = together(n.inShortestGaps(i), want.Count)
		}
		if best == nil || cmp.Or(cmp.Compare(reach, apart), cmp.Compare(free, least), cmp.Compare(n.Name, best.Name), cmp.Compare(n.ID, best.ID)) < 0 {
			best, chosen, least, apart = n, gpus, free, reach
		}
	}
	if best == nil {
		return Place{}, false
	}
	if len(want.Named) > 0 {
		return Place{best.ID, slices.Clone(want.Named)}, true
	}
	return Place{best.ID, uuids(chosen)}, true
}

// inShortestGaps returns the GPUs that are free in an interval, those in the shortest gaps first.
func (n *Node) inShortestGaps(i Interval) []*GPU {
	gpus := n.freeIn(i)
	slices.SortFunc(gpus, func(a, b *GPU) int {
		return cmp.Or(cmp.Compare(a.Busy.around(i), b.Busy.around(i)), a.compare(b))
	})
	return gpus
}

// together chooses those of a node's GPUs that lie best together, and says how far apart; of equal ones the first.
func together(gpus []*GPU, count int) ([]*GPU, topology.Reach) {
	where := make([]topology.Where, len(gpus))
	for k, g := range gpus {
		where[k] = g.Where
	}
	picked, reach := topology.Pick(where, count)
	chosen := make([]*GPU, 0, count)
	for _, k := range picked {
		chosen = append(chosen, gpus[k])
	}
	return chosen, reach
}

func (n *Node) freeIn(i Interval) []*GPU {
	gpus := make([]*GPU, 0, len(n.GPUs))
	for k := range n.GPUs {
		if n.GPUs[k].Busy.Free(i) {
			gpus = append(gpus, &n.GPUs[k])
		}
	}
	return gpus
}

func (g *GPU) compare(o *GPU) int {
	return cmp.Or(cmp.Compare(g.Index, o.Index), cmp.Compare(g.UUID, o.UUID))
}

func uuids(gpus []*GPU) []string {
	names := make([]string, 0, len(gpus))
	for _, g := range gpus {
		names = append(names, g.UUID)
	}
	return names
}

// Start is where and until when something can start now: End is its hard end, nil if nothing is booked.
type Start struct {
	Place
	End *time.Time
}

// Longest returns the GPUs that something without an end can have from now on: those that are free longest before their
// next booking, of those that are free as long the ones that lie together, then as Fit would choose. ok is false when no node has enough free now.
func Longest(nodes []Node, want Want, now time.Time) (start Start, ok bool) {
	if !want.valid() {
		return Start{}, false
	}
	moment := Interval{start: now, end: now.Add(time.Nanosecond)}
	var best *Node
	var chosen []*GPU
	least, apart := 0, topology.OneIsland
	for k := range nodes {
		n := &nodes[k]
		free, fits := want.free(n, moment)
		if !fits {
			continue
		}
		gpus := n.freeIn(moment)
		if len(want.Named) > 0 {
			gpus = slices.DeleteFunc(gpus, func(g *GPU) bool { return !slices.Contains(want.Named, g.UUID) })
		}
		slices.SortFunc(gpus, func(a, b *GPU) int { return cmp.Or(later(a.hardEnd(now), b.hardEnd(now)), a.compare(b)) })
		end := gpus[want.Count-1].hardEnd(now)
		long := slices.IndexFunc(gpus, func(g *GPU) bool { return later(g.hardEnd(now), end) > 0 })
		if long < 0 {
			long = len(gpus)
		}
		gpus, reach := together(gpus[:long], want.Count)
		if best == nil || cmp.Or(later(end, start.End), cmp.Compare(reach, apart), cmp.Compare(free, least), cmp.Compare(n.Name, best.Name), cmp.Compare(n.ID, best.ID)) < 0 {
			best, chosen, least, apart, start.End = n, gpus, free, reach, end
		}
	}
	if best == nil {
		return Start{}, false
	}
	start.Place = Place{best.ID, uuids(chosen)}
	return start, true
}

func (g *GPU) hardEnd(now time.Time) *time.Time {
	if next, ok := g.Busy.Next(now); ok {
		return &next
	}
	return nil
}

// later orders ends, the latest first; none at all is the latest.
func later(a, b *time.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return b.Compare(*a)
}
