// Package replay feeds a recorded workload through the rules of the product in simulated time: who waits and where it
// starts (store/queue), what spot costs and who gives it back (store/spot), what all of it is billed (store/meter). It
// imports those rule packages, store/life and store/money, reads no clock and touches no database. The rule it keeps: it
// has no rules of its own about GPUs or money, and the same workload on the same pool gives the same runs.
package replay

import (
	"time"

	"github.com/meterhouse/meterhouse/store/queue"
)

// Kind is how a task rents its GPUs, in the words of the ledger.
type Kind string

// The kinds that a workload is made of.
const (
	OnDemand Kind = "on_demand"
	Spot     Kind = "spot"
)

// Task is one row of a workload.
type Task struct {
	Name   string
	Team   string // for its fair share; "" where the workload names none
	Kind   Kind
	GPUs   int
	Milli  int           // thousandths of each GPU
	Spec   string        // the models that it may run on, with "|" between them; "": any
	Asked  time.Duration // when, from the workload's beginning
	Length time.Duration // how long it works; nobody knows before it has ended
	Limit  time.Duration // its hard end, from its start; 0: none
}

// Refusal is why a task is not served.
type Refusal string

// The refusals, in the order in which they are looked for.
const (
	NoGPU      Refusal = "no_gpu"      // it asks for none
	NoTime     Refusal = "no_time"     // it ended when it began
	TooLarge   Refusal = "too_large"   // no node has as many GPUs
	SharesMany Refusal = "shares_many" // parts of several GPUs at once, which nobody can rent
	OverLimit  Refusal = "over_limit"  // it would work longer than its own hard end
	OtherModel Refusal = "other_model" // it asks for a model that the pool is not of, where that counts
)

// Refusals are all there are.
var Refusals = []Refusal{NoGPU, NoTime, TooLarge, SharesMany, OverLimit, OtherModel}

// milli is what it needs in all, in thousandths of a GPU.
func (t Task) milli() int64 { return int64(t.GPUs) * int64(t.Milli) }

func (t Task) ask() queue.Ask {
	if t.Milli == queue.Share {
		return queue.Whole(t.GPUs)
	}
	return queue.Part(t.Milli)
}
