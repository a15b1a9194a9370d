package calendar

import (
	"cmp"
	"slices"
)

// Booking is one that may be moved to other GPUs of its pool: it was made by count and has not begun.
type Booking struct {
	ID string
	Interval
	Place // now
}

// Move is a booking's new place.
type Move struct {
	ID string
	Place
}

// tries bounds the search of Repack for each number of moves: a few milliseconds.
const tries = 5_000

// Repack returns where a booking goes if others may move for it, and the fewest moves that make room: none where it fits
// without.
// The nodes' times hold everything but the bookings that may be moved, so that what is named or has begun stays where it
// is; each one that moves keeps its time and its count on one node. ok is false when there is no room, or none was found
// within a bounded search.
func Repack(nodes []Node, movable []Booking, want Want, i Interval) (place Place, moves []Move, ok bool) {
	if !want.valid() {
		return Place{}, nil, false
	}
	s := search{nodes: copied(nodes), left: tries}
	near, far := reached(movable, i)
	if !s.takeAll(far) {
		return Place{}, nil, false
	}
	asIs := search{nodes: copied(s.nodes)}
	if !asIs.takeAll(near) {
		return Place{}, nil, false
	}
	if place, ok = Fit(asIs.nodes, want, i); ok {
		return place, nil, true
	}
	s.bookings = append([]task{{Want: want, Interval: i}}, tasks(near)...)
	if !s.enough() {
		return Place{}, nil, false
	}
	s.places = make([]Place, len(s.bookings))
	for most := 1; most <= len(near); most++ {
		if s.left, s.moves = tries, most; s.place(0) {
			return s.places[0], s.moved(near), true
		}
	}
	return Place{}, nil, false
}

// moved returns the bookings that are elsewhere now.
func (s *search) moved(near []Booking) (moves []Move) {
	for k, b := range near {
		if to := s.places[k+1]; !b.is(to) {
			moves = append(moves, Move{b.ID, to})
		}
	}
	return moves
}

// enough reports whether there are as many GPUs at each moment as bookings want: without that no search is worth it.
func (s *search) enough() bool {
	for _, t := range s.bookings {
		moment := Interval{start: t.start, end: t.start.Add(1)}
		left := 0
		for n := range s.nodes {
			left += len(s.nodes[n].freeIn(moment))
		}
		for _, o := range s.bookings {
			if o.Overlaps(moment) {
				left -= o.Count
			}
		}
		if left < 0 {
			return false
		}
	}
	return true
}

// reached splits the bookings into those that the new one can push, directly or over others, and the rest.
func reached(movable []Booking, i Interval) (near, far []Booking) {
	far = slices.Clone(movable)
	pushed := []Interval{i}
	for len(pushed) > 0 {
		by := pushed[0]
		pushed = pushed[1:]
		rest := far[:0]
		for _, b := range far {
			if b.Overlaps(by) {
				near, pushed = append(near, b), append(pushed, b.Interval)
			} else {
				rest = append(rest, b)
			}
		}
		far = rest
	}
	slices.SortFunc(near, func(a, b Booking) int { return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.ID, b.ID)) })
	return near, far
}

// task is what has to be placed: a booking prefers where it is.
type task struct {
	Want
	Interval
	now Place
}

func tasks(bookings []Booking) []task {
	all := make([]task, 0, len(bookings))
	for _, b := range bookings {
		all = append(all, task{Want{Count: len(b.UUIDs)}, b.Interval, b.Place})
	}
	return all
}

// search goes through the ways to place all bookings until one works.
type search struct {
	nodes    []Node
	bookings []task
	places   []Place
	moves    int // that may still be made
	left     int // tries
}

// place puts the k-th booking and all after it somewhere.
func (s *search) place(k int) bool {
	if k == len(s.bookings) {
		return true
	}
	t := &s.bookings[k]
	for _, n := range s.order(t) {
		gpus := n.freeIn(t.Interval)
		if len(t.Named) > 0 {
			gpus = slices.DeleteFunc(gpus, func(g *GPU) bool { return !slices.Contains(t.Named, g.UUID) })
		}
		if len(gpus) < t.Count {
			continue
		}
		slices.SortFunc(gpus, func(a, b *GPU) int {
			return cmp.Or(-compareBool(slices.Contains(t.now.UUIDs, a.UUID), slices.Contains(t.now.UUIDs, b.UUID)),
				cmp.Compare(a.Busy.around(t.Interval), b.Busy.around(t.Interval)), a.compare(b))
		})
		if s.among(k, n, gpus, nil) {
			return true
		}
	}
	return false
}

// among tries the sets of GPUs of one node, in their order.
func (s *search) among(k int, n *Node, gpus, chosen []*GPU) bool {
	t := &s.bookings[k]
	if len(chosen) == t.Count {
		to, cost := Place{n.ID, uuids(chosen)}, 0
		if len(t.now.UUIDs) > 0 && !t.now.is(to) {
			cost = 1
		}
		if s.left--; s.left < 0 || cost > s.moves {
			return false
		}
		before := make([]Busy, 0, len(chosen))
		for _, g := range chosen {
			before = append(before, g.Busy)
			g.Busy, _ = slices.Clone(g.Busy).Add(t.Interval) // free: it is one of freeIn
		}
		s.places[k], s.moves = to, s.moves-cost
		if s.place(k + 1) {
			return true
		}
		s.moves += cost
		for j, g := range chosen {
			g.Busy = before[j]
		}
		return false
	}
	for j := 0; j+t.Count-len(chosen) <= len(gpus) && s.left > 0; j++ {
		if s.among(k, n, gpus[j+1:], append(chosen[:len(chosen):len(chosen)], gpus[j])) {
			return true
		}
	}
	return false
}

// order returns the nodes, the booking's own first, then those with the fewest free GPUs.
func (s *search) order(t *task) []*Node {
	nodes := make([]*Node, 0, len(s.nodes))
	free := make(map[*Node]int, len(s.nodes))
	for k := range s.nodes {
		n := &s.nodes[k]
		nodes = append(nodes, n)
		free[n], _ = t.free(n, t.Interval)
	}
	slices.SortFunc(nodes, func(a, b *Node) int {
		return cmp.Or(-compareBool(a.ID == t.now.NodeID, b.ID == t.now.NodeID), cmp.Compare(free[a], free[b]), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return nodes
}

// takeAll puts bookings where they are now; it reports false if one of them cannot be there.
func (s *search) takeAll(bookings []Booking) bool {
	for _, b := range bookings {
		taken := 0
		for n := range s.nodes {
			if s.nodes[n].ID != b.NodeID {
				continue
			}
			for g := range s.nodes[n].GPUs {
				gpu := &s.nodes[n].GPUs[g]
				if !slices.Contains(b.UUIDs, gpu.UUID) {
					continue
				}
				busy, err := gpu.Busy.Add(b.Interval)
				if err != nil {
					return false
				}
				gpu.Busy, taken = busy, taken+1
			}
		}
		if taken != len(b.UUIDs) || taken == 0 {
			return false
		}
	}
	return true
}

func copied(nodes []Node) []Node {
	all := slices.Clone(nodes)
	for n := range all {
		all[n].GPUs = slices.Clone(all[n].GPUs)
		for g := range all[n].GPUs {
			all[n].GPUs[g].Busy = slices.Clone(all[n].GPUs[g].Busy)
		}
	}
	return all
}

// is reports whether two places are the same, in whatever order the GPUs are named.
func (p Place) is(o Place) bool {
	return p.NodeID == o.NodeID && len(p.UUIDs) == len(o.UUIDs) && !slices.ContainsFunc(p.UUIDs, func(uuid string) bool { return !slices.Contains(o.UUIDs, uuid) })
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
