// Package life holds the states of an instance and the steps between them: the one table that Go, the database's
// triggers, the API and the pages agree on. It imports the standard library alone and reads no clock. The rule it keeps:
// a step that is not in the table does not happen (a test of store compares the table with the database's own copy).
package life

import "slices"

// State is where an instance stands.
type State string

// The states of an instance, in the order in which a life goes through them.
const (
	Queued      State = "queued"      // waits for GPUs
	Starting    State = "starting"    // has its GPUs; its processes are being made
	Running     State = "running"     // healthy and billed
	Suspended   State = "suspended"   // frozen with its GPUs kept; billed in full
	Stopping    State = "stopping"    // not billed any more; its processes are being ended
	Stopped     State = "stopped"     // proven gone, its GPUs given back
	Failed      State = "failed"      // as stopped, but it did not end as it should have
	Unreachable State = "unreachable" // its node is lost; billed only up to the last proof of life
	Reclaiming  State = "reclaiming"  // a spot instance that was given notice; billed until it ends
)

// States lists every state.
var States = []State{Queued, Starting, Running, Suspended, Stopping, Stopped, Failed, Unreachable, Reclaiming}

// Initial lists the states in which an instance may begin.
var Initial = []State{Queued, Starting}

// Steps is the table: from each state, the states that may follow. What ended stays ended.
var Steps = map[State][]State{
	Queued:      {Starting, Stopped, Failed},
	Starting:    {Running, Failed, Stopping, Unreachable},
	Running:     {Suspended, Stopping, Unreachable, Reclaiming},
	Suspended:   {Running, Stopping, Unreachable, Reclaiming},
	Stopping:    {Stopped, Failed, Unreachable},
	Unreachable: {Starting, Running, Suspended, Stopping, Failed, Reclaiming},
	Reclaiming:  {Stopping, Unreachable},
	Stopped:     {},
	Failed:      {},
}

// Known reports whether s is a state.
func Known(s State) bool { return slices.Contains(States, s) }

// Allowed reports whether an instance may go from one state to another. Staying is not a step.
func Allowed(from, to State) bool { return slices.Contains(Steps[from], to) }

// Ended reports whether the life is over: nothing is held and nothing follows.
func (s State) Ended() bool { return s == Stopped || s == Failed }

// Live reports whether the life goes on, waiting included.
func (s State) Live() bool { return Known(s) && !s.Ended() }

// HoldsGPUs reports whether the instance's GPUs are its own and nobody else's.
func (s State) HoldsGPUs() bool { return s.Live() && s != Queued }

// Billable reports whether time in this state is paid for.
func (s State) Billable() bool { return s == Running || s == Suspended || s == Reclaiming }
