package replay

import (
	"time"

	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/meter"
	"github.com/meterhouse/meterhouse/store/spot"
)

// Run is one stretch in which a task held its GPUs: an instance with a bill of its own.
type Run struct {
	Task              Task
	Node              string
	UUIDs             []string
	RateMicrosPerHour int64     // locked at the start
	Asked             time.Time // since when it waited
	Start             time.Time
	Notice            time.Time // of its reclaim; zero: none
	End               time.Time // of what is over
	Reclaimed         bool      // ended before its work was done, which is lost

	place int    // of its task in the workload
	id    string // as the rules know it
}

// ends is when it will be over.
func (r *Run) ends() time.Time {
	done := r.Start.Add(r.Task.Length)
	if out := r.Notice.Add(spot.Notice); !r.Notice.IsZero() && out.Before(done) {
		return out
	}
	return done
}

// Segments are what its bill is folded from, once it is over.
func (r *Run) Segments() []meter.Segment {
	if !r.Notice.After(r.Start) {
		return []meter.Segment{r.segment(life.Running, r.Start, r.End)}
	}
	all := []meter.Segment{r.segment(life.Running, r.Start, r.Notice)}
	if r.End.After(r.Notice) {
		all = append(all, r.segment(life.Reclaiming, r.Notice, r.End))
	}
	return all
}

func (r *Run) segment(state life.State, from, to time.Time) meter.Segment {
	return meter.Segment{State: state, Billable: true, RateMicrosPerHour: r.RateMicrosPerHour, From: from, To: &to}
}

// Terms are what its bill depends on besides.
func (r *Run) Terms() meter.Terms {
	terms := meter.Terms{RateMicrosPerHour: r.RateMicrosPerHour, StartedAt: &r.Start, EndedAt: &r.End}
	if r.Reclaimed {
		terms.ReclaimedAt = &r.Notice
	}
	return terms
}

// Cost is what it is billed, in micro-units.
func (r *Run) Cost() int64 { return meter.Cost(r.Segments(), r.Terms(), r.End, r.End) }
