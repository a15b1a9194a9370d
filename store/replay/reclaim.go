package replay

import (
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/queue"
	"github.com/meterhouse/meterhouse/store/spot"
)

// reclaim gives spot notice where what waits on demand can have its GPUs. Who is first in the queue is helped first, and
// nobody behind one who can't be helped: GPUs given back for it would have to be kept for the one ahead.
func (s *server) reclaim() {
	if len(s.queue[0]) == 0 || !slices.ContainsFunc(s.running, s.mayReclaim) {
		return
	}
	ranks := s.order(s.queue[0])
	soon := s.now.Add(spot.Notice)
	inTime := func(p queue.Place) bool { return p.StartKnown && !p.Start.After(soon) }
	places := queue.Plan(s.now, ranks, s.view())
	for k := range ranks {
		if inTime(places[k]) {
			continue
		}
		victims, ok := s.victims(ranks, k, soon)
		if !ok || len(victims) == 0 {
			return
		}
		for _, r := range victims {
			r.Notice = s.now
		}
		if places = queue.Plan(s.now, ranks, s.view()); !inTime(places[k]) {
			for _, r := range victims {
				r.Notice = time.Time{}
			}
			return
		}
	}
}

func (s *server) mayReclaim(r *Run) bool {
	return r.Task.Kind == Spot && r.Notice.IsZero() && spot.MayReclaim(r.Start, s.now)
}

// victims are whose end would let a rank start by then, as the rules of spot choose them. What those ahead of it will have
// by then is not free.
func (s *server) victims(ranks []queue.Rank, of int, then time.Time) ([]*Run, bool) {
	later := s.view()
	later.Running = slices.DeleteFunc(later.Running, func(r queue.Running) bool { return r.Ends && !r.Until.After(then) })
	free := map[string]int{}
	for _, n := range s.nodes {
		for _, g := range n.GPUs {
			free[g.UUID] = queue.Share
		}
	}
	for _, r := range later.Running {
		for _, uuid := range r.UUIDs {
			free[uuid] -= r.Milli
		}
	}
	for _, p := range queue.Starts(then, ranks[:of], later) {
		k := slices.IndexFunc(ranks, func(r queue.Rank) bool { return r.ID == p.ID })
		for _, uuid := range p.UUIDs {
			free[uuid] -= milliEach(ranks[k].Ask)
		}
	}
	rooms := make([]spot.Room, len(s.nodes))
	for k, n := range s.nodes {
		rooms[k] = spot.Room{ID: n.ID, Name: n.Name}
		for _, g := range n.GPUs {
			rooms[k].GPUs, rooms[k].Free = append(rooms[k].GPUs, g.UUID), append(rooms[k].Free, free[g.UUID])
		}
	}
	var may []spot.Part
	for _, r := range s.running {
		if s.mayReclaim(r) {
			may = append(may, spot.Part{Milli: r.Task.Milli, Candidate: spot.Candidate{ID: r.id, NodeID: r.Node, GPUs: r.UUIDs,
				RateMicrosPerHour: r.RateMicrosPerHour, StartedAt: r.Start}})
		}
	}
	ask := ranks[of].Ask
	_, ids, ok := spot.ChooseParts(may, rooms, ask.GPUs(), milliEach(ask))
	var victims []*Run
	for _, r := range s.running {
		if slices.Contains(ids, r.id) {
			victims = append(victims, r)
		}
	}
	return victims, ok
}

// milliEach is what a job needs of each GPU.
func milliEach(a queue.Ask) int { return int(a.Milli()) / a.GPUs() }
