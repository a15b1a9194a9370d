package budget

import (
	"time"

	"github.com/meterhouse/meterhouse/store/money"
)

// Action is what a budget does when a threshold is reached.
type Action string

// The actions, from the mildest on; each includes that it is told.
const (
	Notify   Action = "notify"
	SpotOnly Action = "spot_only" // nothing new but spot
	Block    Action = "block"     // nothing new
	Stop     Action = "stop"      // nothing new, and what runs is stopped after StopNotice
)

// StopNotice is how long before it people are told that their instances are stopped.
const StopNotice = 15 * time.Minute

var strictness = map[Action]int{Notify: 1, SpotOnly: 2, Block: 3, Stop: 4}

// Known reports whether a is an action.
func (a Action) Known() bool { return strictness[a] > 0 }

// Allows reports whether something new may start under an action.
func (a Action) Allows(spot bool) bool {
	return strictness[a] < strictness[SpotOnly] || a == SpotOnly && spot
}

// StopsAt returns when what runs is stopped, if it is, under an action in force since a moment.
func (a Action) StopsAt(since time.Time) (at time.Time, ok bool) {
	return since.Add(StopNotice), a == Stop
}

// Response is an action with the threshold, in percent of the limit, from which it is in force.
type Response struct {
	Percent int
	Action  Action
}

// InForce returns the strictest action whose threshold is reached, or "". Unlike a mail that is sent, it follows what is
// spent now: a raised limit or a credit ends it.
func InForce(responses []Response, spent, limit int64) Action {
	var strictest Action
	for _, r := range responses {
		if money.AtLeast(spent, 100, limit, int64(r.Percent)) && strictness[r.Action] > strictness[strictest] {
			strictest = r.Action
		}
	}
	return strictest
}
