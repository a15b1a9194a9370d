package web

import (
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// QueuePlace is one who waits, as the API shows it. ID, Name and Person are "" where it is another team's.
type QueuePlace struct {
	Place    int        `json:"place"`
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	Person   string     `json:"person"`
	Team     string     `json:"team"`
	Kind     string     `json:"kind"`
	GPUCount int        `json:"gpu_count"`
	Since    time.Time  `json:"since"`
	Reason   string     `json:"reason"`
	Behind   []int      `json:"behind"`
	StartsAt *time.Time `json:"starts_at"`
	EndsAt   *time.Time `json:"ends_at"`
}

// InstanceQueue is the place of an instance that waits, and who is ahead of it.
type InstanceQueue struct {
	QueuePlace

	Ahead []QueuePlace `json:"ahead"`
}

// PoolQueue is what waits for the GPUs of one pool, in the order in which it is served.
type PoolQueue struct {
	GPUModel  string       `json:"gpu_model"`
	Simulated bool         `json:"simulated"`
	Waiting   []QueuePlace `json:"waiting"`
}

// PoolQueues are all of them in which somebody waits.
type PoolQueues struct {
	Queues []PoolQueue `json:"queues"`
}

func (s *Server) getQueues(c *call) error {
	all, err := s.store.Queues(c.Request().Context())
	if err != nil {
		return err
	}
	out := PoolQueues{Queues: []PoolQueue{}}
	for i := range all {
		out.Queues = append(out.Queues, PoolQueue{GPUModel: all[i].GPUModel, Simulated: all[i].Simulated, Waiting: queuePlaces(c, &all[i])})
	}
	return ok(c, out)
}

func queuePlaces(c *call, q *store.Queue) []QueuePlace {
	all := make([]QueuePlace, 0, len(q.Waiting))
	for i := range q.Waiting {
		w := &q.Waiting[i]
		out := QueuePlace{Place: w.Place, Team: w.TeamName, Kind: string(w.Kind), GPUCount: w.GPUCount, Since: w.Since, Reason: string(w.Reason), Behind: append([]int{}, w.Behind...), StartsAt: w.StartsAt, EndsAt: w.EndsAt}
		if c.sees(w.TeamID) {
			out.ID, out.Name, out.Person = w.ID, w.Name, w.PersonName
		}
		all = append(all, out)
	}
	return all
}

// withQueue adds the place in the queue to an instance that waits.
func (s *Server) withQueue(c *call, in store.Instance) (Instance, error) {
	out := instanceOut(in)
	q, waits, err := s.queueOf(c, in)
	if err != nil || !waits {
		return out, err
	}
	places := queuePlaces(c, &q)
	last := len(places) - 1
	out.Queue = &InstanceQueue{QueuePlace: places[last], Ahead: places[:last]}
	return out, nil
}
