package replay

import (
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/money"
	"github.com/meterhouse/meterhouse/store/queue"
)

// Result is what came of a workload on a pool.
type Result struct {
	Begins, Ends       time.Time // the first task was asked for, the last one ended
	Asked, Served      int       // tasks
	Refused            map[Refusal]int
	OtherModel         int // tasks that asked for another model than the pool's and were served all the same
	Reclaims           int
	AskedHours         Hours // of all tasks that ask for GPUs and time
	ServedHours        Hours // of work that was done
	LostHours          Hours // of work that a reclaim undid
	Wait               map[Kind]Wait
	RevenueMicros      map[Kind]int64
	gpus               int64
	kinds              []Kind // of the tasks
	served             []bool
	asked, done, undid money.Sum // thousandths of a GPU × microseconds
}

// Hours are GPU-hours, in millionths of one.
type Hours int64

// Wait is how long tasks waited in the queue in all, before they were served.
type Wait struct{ P50, P95, Max time.Duration }

func newResult(p Pool, tasks []Task) Result {
	r := Result{Begins: p.Begins, Ends: p.Begins, Asked: len(tasks), Refused: map[Refusal]int{}, Wait: map[Kind]Wait{}, RevenueMicros: map[Kind]int64{},
		gpus: int64(p.GPUs), served: make([]bool, len(tasks))}
	for _, t := range tasks {
		r.kinds = append(r.kinds, t.Kind)
		r.asked = r.asked.Plus(money.Product(t.milli(), t.Length.Microseconds()))
		why := p.refuses(t)
		switch {
		case why != "":
			r.Refused[why]++
		case p.isOther(t):
			r.OtherModel++
		}
	}
	return r
}

// add counts a run that is over.
func (r *Result) add(run *Run) {
	work := money.Product(run.Task.milli(), run.End.Sub(run.Start).Microseconds())
	r.RevenueMicros[run.Task.Kind] += run.Cost()
	if run.Reclaimed {
		r.Reclaims++
		r.undid = r.undid.Plus(work)
		return
	}
	r.done = r.done.Plus(work)
	r.Served++
	r.served[run.place] = true
}

// close makes the figures of what was added up.
func (r *Result) close(waited []time.Duration) {
	r.AskedHours, r.ServedHours, r.LostHours = hours(r.asked), hours(r.done), hours(r.undid)
	for _, kind := range []Kind{OnDemand, Spot} {
		var of []time.Duration
		for k, w := range waited {
			if r.served[k] && r.kinds[k] == kind {
				of = append(of, w)
			}
		}
		slices.Sort(of)
		r.Wait[kind] = Wait{percentile(of, 50), percentile(of, 95), percentile(of, 100)}
	}
}

// hours rounds once, to a millionth.
func hours(sum money.Sum) Hours {
	return Hours(sum.Over(queue.Share * time.Hour.Microseconds() / money.Unit))
}

// UtilizationPPM is how much of the pool was held by somebody, from beginning to end, in parts per million.
func (r Result) UtilizationPPM() int64 {
	whole := money.Product(r.gpus, r.Ends.Sub(r.Begins).Microseconds()).Over(time.Hour.Microseconds() / money.Unit)
	if whole <= 0 {
		return 0
	}
	return money.Product(int64(r.ServedHours+r.LostHours), money.Unit).Over(whole)
}

// percentile is the least value that is not below so many of a hundred.
func percentile(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max((len(sorted)*percent+99)/100, 1)-1]
}
