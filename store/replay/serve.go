package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/queue"
	"github.com/meterhouse/meterhouse/store/spot"
)

// Serve runs a workload on a pool until the last task has ended, and tells done about each run as it ends, in order.
//
// On demand comes before spot; within each the queue's own order holds. The queue is looked at whenever a task comes or
// ends, a notice runs out, somebody has waited a day, or spot may be reclaimed. Tasks have no hard end unless the workload
// says so, and nobody knows how long they work. What is reclaimed loses its work and waits again, with the age that it
// had. ctx ends it early.
func Serve(ctx context.Context, p Pool, tasks []Task, done func(*Run) error) (Result, error) {
	if p.GPUs < 1 || p.PerNode < 1 {
		return Result{}, fmt.Errorf("a pool of %d GPUs, %d a node", p.GPUs, p.PerNode)
	}
	s := &server{pool: p, done: done, nodes: p.nodes(), result: newResult(p, tasks), teams: teamsOf(tasks), node: map[string]string{}, waited: make([]time.Duration, len(tasks))}
	for _, n := range s.nodes {
		for _, g := range n.GPUs {
			s.node[g.UUID] = n.ID
		}
	}
	for k, t := range tasks {
		if p.refuses(t) == "" {
			s.coming = append(s.coming, &waiting{Task: t, place: k, id: idOf(k), since: p.Begins.Add(t.Asked), asked: p.Begins.Add(t.Asked)})
		}
	}
	slices.SortStableFunc(s.coming, func(a, b *waiting) int { return cmp.Compare(a.Asked, b.Asked) })
	if len(s.coming) > 0 {
		s.now = s.coming[0].since
		s.result.Begins = s.now
	}
	s.market = spot.Open(0, p.MinimumPPM, s.now)
	s.counted = s.now
	for {
		if err := s.step(); err != nil {
			return Result{}, err
		}
		at, ok := s.next()
		if !ok {
			break
		}
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		s.now = at
	}
	s.result.Ends = s.now
	s.result.close(s.waited)
	return s.result, nil
}

// waiting is a task in the queue.
type waiting struct {
	Task
	place int       // in the workload
	id    string    // as the rules know it
	since time.Time // asked for, by which its age counts
	asked time.Time // in the queue since
}

// server is the state between one moment and the next.
type server struct {
	pool    Pool
	done    func(*Run) error
	nodes   []queue.Node
	node    map[string]string // of a GPU
	now     time.Time
	market  spot.Market
	coming  []*waiting    // by when
	queue   [2][]*waiting // on demand, spot
	running []*Run        // in the order of their starts
	teams   []queue.Team
	counted time.Time // the teams' use is counted so far
	waited  []time.Duration
	result  Result
}

// step does all that is due now.
func (s *server) step() error {
	s.count()
	s.market = s.market.Tick(s.pool.MinimumPPM, s.now)
	if err := s.end(); err != nil {
		return err
	}
	for len(s.coming) > 0 && !s.coming[0].since.After(s.now) {
		s.wait(s.coming[0])
		s.coming = s.coming[1:]
	}
	s.start()
	s.reclaim()
	used := int64(0)
	for _, r := range s.running {
		used += r.Task.milli()
	}
	s.market = s.market.Observe(used*spot.Whole/(int64(s.pool.GPUs)*queue.Share), s.pool.MinimumPPM, s.now)
	return nil
}

func (s *server) wait(w *waiting) {
	k := 0
	if w.Kind == Spot {
		k = 1
	}
	s.queue[k] = append(s.queue[k], w)
}

// count adds what runs to its teams' use.
func (s *server) count() {
	held := map[string]int64{}
	for _, r := range s.running {
		held[r.Task.Team] += r.Task.milli()
	}
	for k := range s.teams {
		t := &s.teams[k]
		t.Usage = t.Usage.Add(held[t.ID], s.counted, s.now)
	}
	s.counted = s.now
}

// end ends what is over. Whose work was not done waits again.
func (s *server) end() error {
	left := s.running[:0]
	for _, r := range s.running {
		if r.ends().After(s.now) {
			left = append(left, r)
			continue
		}
		r.End = r.ends()
		r.Reclaimed = r.End.Before(r.Start.Add(r.Task.Length))
		s.result.add(r)
		if r.Reclaimed {
			s.wait(&waiting{Task: r.Task, place: r.place, id: r.id, since: s.pool.Begins.Add(r.Task.Asked), asked: s.now})
		}
		if err := s.done(r); err != nil {
			return err
		}
	}
	clear(s.running[len(left):])
	s.running = left
	return nil
}

// next is when something happens next; ok is false when nothing will.
func (s *server) next() (at time.Time, ok bool) {
	sooner := func(t time.Time) {
		if t.After(s.now) && (!ok || t.Before(at)) {
			at, ok = t, true
		}
	}
	if len(s.coming) > 0 {
		sooner(s.coming[0].since)
	}
	for _, r := range s.running {
		sooner(r.ends())
		if r.Task.Kind == Spot && len(s.queue[0]) > 0 {
			sooner(r.Start.Add(spot.Safe))
		}
	}
	for _, q := range s.queue {
		for _, w := range q {
			sooner(w.since.Add(queue.Aged))
		}
	}
	return at, ok
}
