package replay

import (
	"fmt"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store/money"
	"github.com/meterhouse/meterhouse/store/queue"
)

// Pool is what a workload is served by: GPUs of one model, on nodes of one size. The last node has what is left.
type Pool struct {
	Model         string
	GPUs, PerNode int
	MicrosPerHour int64 // of one GPU on demand
	MinimumPPM    int64 // of the spot price, as a part of that
	ModelMatters  bool  // a task that asks for another model is refused, not served all the same
	Begins        time.Time
}

// nodes lays the pool out.
func (p Pool) nodes() []queue.Node {
	var all []queue.Node
	for first := 0; first < p.GPUs; first += p.PerNode {
		n := queue.Node{ID: fmt.Sprintf("node-%05d", len(all)+1)}
		n.Name = n.ID
		for k := range min(p.PerNode, p.GPUs-first) {
			n.GPUs = append(n.GPUs, queue.GPU{UUID: fmt.Sprintf("%s-gpu-%02d", n.ID, k), Index: k})
		}
		all = append(all, n)
	}
	return all
}

// refuses says why a task can't be served, "" if it can.
func (p Pool) refuses(t Task) Refusal {
	switch {
	case t.milli() == 0:
		return NoGPU
	case t.Length <= 0:
		return NoTime
	case t.GPUs > min(p.PerNode, p.GPUs):
		return TooLarge
	case t.GPUs > 1 && t.Milli < queue.Share:
		return SharesMany
	case t.Limit > 0 && t.Length > t.Limit:
		return OverLimit
	case p.ModelMatters && p.isOther(t):
		return OtherModel
	}
	return ""
}

// isOther reports whether a task asks for models that the pool is not of.
func (p Pool) isOther(t Task) bool {
	if t.Spec == "" {
		return false
	}
	for model := range strings.SplitSeq(t.Spec, "|") {
		if strings.EqualFold(strings.TrimSpace(model), p.Model) {
			return false
		}
	}
	return true
}

// rate is what so many thousandths of a GPU cost an hour, in micro-units, rounded once.
func rate(microsPerHour, milli int64) int64 {
	return money.Product(microsPerHour, milli).Over(queue.Share)
}
