package spot

import (
	"cmp"
	"slices"
	"time"
)

// Node is a node of a pool with the UUIDs of the GPUs that are free on it.
type Node struct {
	ID, Name string
	Free     []string
}

// Candidate is an instance that may be reclaimed now, with the GPUs that are free once it has ended.
type Candidate struct {
	ID, NodeID        string
	GPUs              []string
	RateMicrosPerHour int64
	StartedAt         time.Time
}

// harm is what a choice costs people, compared in this order: instances, money, then how long they had been at work.
type harm struct {
	instances int
	rate      int64
	started   int64 // microseconds since the epoch, added up: more is younger
}

func (h harm) compare(o harm) int {
	return cmp.Or(cmp.Compare(h.instances, o.instances), cmp.Compare(h.rate, o.rate), cmp.Compare(o.started, h.started))
}

func (h harm) plus(o harm) harm {
	return harm{h.instances + o.instances, h.rate + o.rate, h.started + o.started}
}

func (h harm) with(c Candidate) harm {
	return h.plus(harm{1, c.RateMicrosPerHour, c.StartedAt.UnixMicro()})
}

// Choose returns the node and the instances to reclaim so that count GPUs are free on it, or with wanted exactly those:
// the fewest instances, of those the cheapest, then the youngest, then the first node by name. Never one whose GPUs are
// not needed; none when they are free already. ok is false when no node can have them.
func Choose(candidates []Candidate, nodes []Node, count int, wanted []string) (nodeID string, victims []string, ok bool) {
	if count <= 0 || len(wanted) > 0 && len(wanted) != count {
		return "", nil, false
	}
	sorted := slices.Clone(nodes)
	slices.SortFunc(sorted, func(a, b Node) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	var least harm
	for _, n := range sorted {
		here := on(n.ID, candidates)
		chosen, h, fits := fewest(here, count-len(n.Free))
		if len(wanted) > 0 {
			chosen, h, fits = holders(n.Free, here, wanted)
		}
		if fits && (!ok || h.compare(least) < 0) {
			nodeID, victims, least, ok = n.ID, chosen, h, true
		}
	}
	return nodeID, victims, ok
}

func on(nodeID string, candidates []Candidate) []Candidate {
	var here []Candidate
	for _, c := range candidates {
		if c.NodeID == nodeID && len(c.GPUs) > 0 {
			here = append(here, c)
		}
	}
	slices.SortFunc(here, func(a, b Candidate) int { return cmp.Compare(a.ID, b.ID) })
	return here
}

// holders returns those that hold what is wanted and not free; ok is false when somebody else has one of them.
func holders(free []string, here []Candidate, wanted []string) (chosen []string, h harm, ok bool) {
	left := 0
	for _, uuid := range wanted {
		if !slices.Contains(free, uuid) {
			left++
		}
	}
	for _, c := range here {
		held := 0
		for _, uuid := range wanted {
			if slices.Contains(c.GPUs, uuid) && !slices.Contains(free, uuid) {
				held++
			}
		}
		if held > 0 {
			chosen, h, left = append(chosen, c.ID), h.with(c), left-held
		}
	}
	return chosen, h, left == 0
}

// way is the least harm that frees so many GPUs, as a chain of who was chosen.
type way struct {
	harm
	last   int // of the chain's links; -1: nobody
	exists bool
}

type link struct{ candidate, before int }

// hold is what one or several instances that go together hold.
type hold struct {
	harm
	weight int // GPUs, or thousandths of one
	ids    []string
}

// fewest returns the least harmful instances that hold at least so many GPUs.
func fewest(here []Candidate, needed int) (chosen []string, h harm, ok bool) {
	holds := make([]hold, len(here))
	for k, c := range here {
		holds[k] = hold{harm{}.with(c), len(c.GPUs), []string{c.ID}}
	}
	return fewestOf(holds, needed)
}

// fewestOf is exact: it knows the least harm for each weight up to what is needed.
func fewestOf(holds []hold, needed int) (chosen []string, h harm, ok bool) {
	if needed <= 0 {
		return nil, harm{}, true
	}
	ways := make([]way, needed+1)
	ways[0] = way{last: -1, exists: true}
	var links []link
	for i, c := range holds {
		for had := needed - 1; had >= 0; had-- { // from above, so that nobody is chosen twice
			if !ways[had].exists {
				continue
			}
			to, with := min(had+c.weight, needed), ways[had].plus(c.harm)
			if ways[to].exists && with.compare(ways[to].harm) >= 0 {
				continue
			}
			links = append(links, link{i, ways[had].last})
			ways[to] = way{with, len(links) - 1, true}
		}
	}
	for at := ways[needed].last; ways[needed].exists && at >= 0; at = links[at].before {
		chosen = append(chosen, holds[links[at].candidate].ids...)
	}
	slices.Reverse(chosen)
	return chosen, ways[needed].harm, ways[needed].exists
}
