package replay

import (
	"fmt"
	"slices"

	"github.com/meterhouse/meterhouse/store/queue"
	"github.com/meterhouse/meterhouse/store/spot"
)

// idOf is how the rules know a task: in the order of the workload.
func idOf(place int) string { return fmt.Sprintf("%07d", place) }

// teamsOf are a workload's teams, in the order in which they appear, with equal shares.
func teamsOf(tasks []Task) (teams []queue.Team) {
	known := map[string]bool{}
	for _, t := range tasks {
		if !known[t.Team] {
			known[t.Team] = true
			teams = append(teams, queue.Team{ID: t.Team, Weight: 1})
		}
	}
	return teams
}

// order is a queue in the order in which it is served.
func (s *server) order(q []*waiting) []queue.Rank {
	if len(q) == 0 {
		return nil
	}
	jobs := make([]queue.Job, len(q))
	for k, w := range q {
		jobs[k] = queue.Job{ID: w.id, Team: w.Team, Ask: w.ask(), Since: w.since, Ends: w.Limit > 0, Length: w.Limit}
	}
	return queue.Order(s.now, jobs, s.teams, int64(s.pool.GPUs)*queue.Share, queue.DefaultWeights)
}

// view is the pool as the queue's rules see it. Who has notice has a hard end.
func (s *server) view() queue.Pool {
	v := queue.Pool{Nodes: s.nodes, Running: make([]queue.Running, len(s.running))}
	for k, r := range s.running {
		v.Running[k] = queue.Running{ID: r.id, Team: r.Task.Team, UUIDs: r.UUIDs, Milli: r.Task.Milli}
		if r.Task.Limit > 0 {
			v.Running[k].Ends, v.Running[k].Until = true, r.Start.Add(r.Task.Limit)
		}
		if out := r.Notice.Add(spot.Notice); !r.Notice.IsZero() && (!v.Running[k].Ends || out.Before(v.Running[k].Until)) {
			v.Running[k].Ends, v.Running[k].Until = true, out
		}
	}
	return v
}

// start starts all that can start now: on demand first, then spot in what is left.
func (s *server) start() {
	if !s.couldStart() { // whatever the order
		return
	}
	ranks := append(s.order(s.queue[0]), s.order(s.queue[1])...)
	for _, p := range queue.Starts(s.now, ranks, s.view()) {
		for k, q := range s.queue {
			if i := slices.IndexFunc(q, func(w *waiting) bool { return w.id == p.ID }); i >= 0 {
				s.begin(q[i], p)
				s.queue[k] = slices.Delete(q, i, i+1)
				break
			}
		}
	}
}

func (s *server) begin(w *waiting, p queue.Place) {
	price := s.pool.MicrosPerHour
	if w.Kind == Spot {
		price = spot.Price(price, s.market.FactorPPM)
	}
	s.waited[w.place] += s.now.Sub(w.asked)
	s.running = append(s.running, &Run{Task: w.Task, Node: p.NodeID, UUIDs: p.UUIDs, RateMicrosPerHour: rate(price, w.milli()),
		Asked: w.asked, Start: s.now, place: w.place, id: w.id})
}

// couldStart reports whether there is room now for any of those that wait.
func (s *server) couldStart() bool {
	if len(s.queue[0])+len(s.queue[1]) == 0 {
		return false
	}
	used := make(map[string]int, s.pool.GPUs)
	for _, r := range s.running {
		for _, uuid := range r.UUIDs {
			used[uuid] += r.Task.Milli
		}
	}
	fits := map[queue.Ask]bool{}
	for _, q := range s.queue {
		for _, w := range q {
			ask := w.ask()
			if _, known := fits[ask]; !known {
				fits[ask] = slices.ContainsFunc(s.nodes, func(n queue.Node) bool { return room(n, used, w.Milli) >= w.GPUs })
			}
			if fits[ask] {
				return true
			}
		}
	}
	return false
}

// room counts the GPUs of a node that have so many thousandths free.
func room(n queue.Node, used map[string]int, milli int) (count int) {
	for _, g := range n.GPUs {
		if queue.Share-used[g.UUID] >= milli {
			count++
		}
	}
	return count
}
