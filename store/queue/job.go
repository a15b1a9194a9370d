// Package queue says who is served next when GPUs are short: the order of what waits (fair share, age, size), which of it
// starts now and where, and when the rest may. It imports store/topology and the standard library, reads no clock and
// touches no database. The rules it keeps: nobody is overtaken by who takes what those ahead wait for; who waited 24 hours comes
// before all who did not; no GPU is given out beyond its whole; the same input gives the same output.
package queue

import (
	"time"

	"github.com/meterhouse/meterhouse/store/topology"
)

// Share is the thousandths that a whole GPU has.
const Share = 1000

// Ask is what a job needs: whole GPUs of one node, or one share of one GPU. The zero value asks nothing and never starts.
type Ask struct {
	count, milli int
}

// Whole asks for whole GPUs, which no other job uses meanwhile.
func Whole(count int) Ask { return Ask{max(count, 0), Share} }

// Part asks for thousandths of one GPU, 1 to 999; 1000 is one whole GPU, and what is outside asks nothing.
func Part(milli int) Ask {
	if milli < 1 || milli > Share {
		return Ask{}
	}
	return Ask{1, milli}
}

// GPUs returns on how many GPUs the job runs.
func (a Ask) GPUs() int { return a.count }

// Milli returns what the job needs in all, in thousandths of a GPU.
func (a Ask) Milli() int64 { return int64(a.count) * int64(a.milli) }

// Job is one that waits.
type Job struct {
	ID, Team string
	Ask      Ask
	Named    []string // exactly these GPUs, as many as it asks for; empty: any
	Node     string   // only there; "": anywhere
	Since    time.Time
	Ends     bool          // it has a hard end
	Length   time.Duration // after which it ends, if it does
	Least    time.Duration // without a hard end, or if it yields, it may start before a reservation if it has that long until then
	Kept     Reason        // Budget or Quota: it waits whatever is free; "": it does not
	Yields   bool          // it gives its GPUs back to all who don't, and so comes after them
}

// Milli returns what the job needs in all, in thousandths of a GPU.
func (j Job) Milli() int64 { return j.Ask.Milli() }

// Running is a job that holds GPUs.
type Running struct {
	ID, Team string
	UUIDs    []string
	Milli    int // of each of them: 1000 is the whole
	Ends     bool
	Until    time.Time // its hard end, if it has one; one that is past says nothing about when it will be over
}

// Node is a node with all GPUs of the pool that it has.
type Node struct {
	ID, Name string
	Down     bool
	GPUs     []GPU
}

// GPU is one GPU of the pool.
type GPU struct {
	UUID     string
	Index    int
	Where    topology.Where
	Out      bool   // in quarantine, or otherwise not to be given out
	Reserved []Span // for whom reserved it: nobody in the queue
	Promised string // to this job alone, for which it was taken from another; "": to nobody
}

// Span is a time [From, To).
type Span struct {
	From, To  time.Time
	Unclaimed bool // it has begun and nobody came: those who yield may have the GPU
}

// Reason is why a job waits.
type Reason string

// The reasons.
const (
	NoGPUs       Reason = "no_gpus"       // too few are free, or the pool has no node as large
	Behind       Reason = "behind"        // enough are free, but they are for those ahead
	ReservedSoon Reason = "reserved_soon" // enough are free, but a reservation begins too soon
	Promised     Reason = "promised"      // enough are free, but some were taken back for somebody else
	Budget       Reason = "budget"
	Quota        Reason = "quota"
	NodeDown     Reason = "node_down" // enough would be free if a node were not down
)

// Place is what the queue says of one waiting job.
type Place struct {
	ID     string
	Number int // in the queue, from 1
	Starts bool
	NodeID string   // where it starts, or is expected to
	UUIDs  []string // on which GPUs, if it starts now
	Reason Reason   // why not; empty if it starts
	Ahead  []string // for Behind: who, in order
	// Start is when it starts by the hard ends known now, if all of them last that long. StartKnown is false when it depends
	// on something that has no hard end.
	Start      time.Time
	StartKnown bool
	// Until is its hard end if it starts then: its own, or the reservation that begins on its GPUs. Ends is false if it has none.
	Until time.Time
	Ends  bool
}
