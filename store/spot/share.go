package spot

import (
	"cmp"
	"slices"
)

// whole is the thousandths that a whole GPU has.
const whole = 1000

// Part is an instance that may be reclaimed now, of a pool whose GPUs are shared: it holds thousandths of each of its GPUs.
// One that holds less than a whole GPU has one GPU only.
type Part struct {
	Candidate
	Milli int
}

// Room is a node of such a pool with what is free of each of its GPUs, in thousandths.
type Room struct {
	ID, Name string
	GPUs     []string
	Free     []int // of each of them
}

// ChooseParts is Choose where GPUs are shared: the node and the instances to reclaim so that count GPUs have milli
// thousandths free on it. A whole GPU is free once all that share it are gone.
func ChooseParts(candidates []Part, rooms []Room, count, milli int) (nodeID string, victims []string, ok bool) {
	if count <= 0 || milli <= 0 || milli > whole || count > 1 && milli < whole {
		return "", nil, false
	}
	sorted := slices.Clone(rooms)
	slices.SortFunc(sorted, func(a, b Room) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	var least harm
	for _, n := range sorted {
		here := slices.DeleteFunc(slices.Clone(candidates), func(p Part) bool { return p.NodeID != n.ID || len(p.GPUs) == 0 })
		slices.SortFunc(here, func(a, b Part) int { return cmp.Compare(a.ID, b.ID) })
		for _, w := range n.ways(here, count, milli) {
			chosen, h, fits := fewestOf(w.holds, w.needed)
			if fits && (!ok || h.compare(least) < 0) {
				nodeID, victims, least, ok = n.ID, chosen, h, true
			}
		}
	}
	return nodeID, victims, ok
}

// try is one way to make room: which holders to choose from, and how much they must hold together.
type try struct {
	holds  []hold
	needed int
}

func (n Room) ways(here []Part, count, milli int) (all []try) {
	if milli == whole {
		return []try{n.wholes(here, count)}
	}
	for k, uuid := range n.GPUs {
		w := try{needed: milli - n.Free[k]}
		for _, p := range here {
			if slices.Contains(p.GPUs, uuid) {
				w.holds = append(w.holds, hold{harm{}.with(p.Candidate), p.Milli, []string{p.ID}})
			}
		}
		all = append(all, w)
	}
	return all
}

// wholes makes room for whole GPUs: those who share one GPU go together or not at all.
func (n Room) wholes(here []Part, count int) try {
	w := try{needed: count}
	for _, p := range here {
		if p.Milli == whole {
			w.holds = append(w.holds, hold{harm{}.with(p.Candidate), len(p.GPUs), []string{p.ID}})
		}
	}
	for k, uuid := range n.GPUs {
		if n.Free[k] == whole {
			w.needed--
			continue
		}
		together, free := hold{weight: 1}, n.Free[k]
		for _, p := range here {
			if p.Milli < whole && slices.Contains(p.GPUs, uuid) {
				together.harm, together.ids, free = together.with(p.Candidate), append(together.ids, p.ID), free+p.Milli
			}
		}
		if free == whole && len(together.ids) > 0 {
			w.holds = append(w.holds, together)
		}
	}
	return w
}
