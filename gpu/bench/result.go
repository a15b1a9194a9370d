package bench

import (
	"fmt"
	"slices"
)

// Status is where a run stands, by its events alone. Whether it was cancelled only the console knows.
type Status string

const (
	StatusRunning  Status = "running"
	StatusDone     Status = "done"     // every test has a stable figure
	StatusUnstable Status = "unstable" // it ended well, but some figure is not to be trusted
	StatusWrong    Status = "wrong"    // a kernel computed wrong
	StatusFailed   Status = "failed"   // it ended without its results
)

// Result is what a run's events come to. The zero value is a run that has written nothing yet; Add takes its events as they
// come and End is called when the process has ended.
type Result struct {
	Status   Status // "" before the first event
	Plan     *Plan  // nil until it is known
	Rows     []Row  // in the order of the plan's tests as far as they are there
	Progress Progress
	Reason   Reason // why it failed
	Detail   string // the same in English, with the last event, for the log and the admin
	Seconds  float64

	last string // what the last event said
}

// Fold takes all events of a process that has ended.
func Fold(events []Event) Result {
	var r Result
	for _, e := range events {
		r.Add(e)
	}
	r.End("")
	return r
}

// Add takes the next event. Events after the run's last one change nothing.
func (r *Result) Add(e Event) {
	if r.ended() {
		return
	}
	r.Status = StatusRunning
	r.last = e.describe()
	switch e.Kind {
	case KindPlan:
		if r.Plan == nil {
			r.Plan = e.Plan
		}
	case KindProgress:
		if e.Progress.Fraction >= r.Progress.Fraction {
			r.Progress = *e.Progress
		}
	case KindResult:
		r.addRow(*e.Result)
	case KindError:
		r.fail(e.Error.Reason, e.Error.Detail)
	case KindDone:
		r.Seconds = e.Done.Seconds
		r.finish()
	}
}

// End says that the process has ended; how is in words for the admin ("exit status 137", "killed by its memory limit") and
// may be empty. A run that has not said done by then has failed.
func (r *Result) End(how string) {
	if r.ended() {
		return
	}
	if how != "" {
		how = " (" + how + ")"
	}
	if r.last == "" {
		r.fail(ReasonEmpty, "the benchmark ended without an event"+how)
		return
	}
	r.fail(ReasonDied, fmt.Sprintf("the benchmark ended before it was done%s; its last event was %s", how, r.last))
}

func (r *Result) ended() bool { return r.Status != "" && r.Status != StatusRunning }

func (r *Result) fail(why Reason, detail string) {
	r.Status, r.Reason, r.Detail = StatusFailed, why, detail
}

// addRow takes each planned test once, the first time.
func (r *Result) addRow(row Row) {
	known := func(x Row) bool { return x.Test == row.Test }
	if r.planned(row.Test) < 0 || slices.ContainsFunc(r.Rows, known) {
		return
	}
	r.Rows = append(r.Rows, row)
	r.compare()
}

// planned is the test's place in the plan, -1 if it has none.
func (r *Result) planned(test string) int {
	if r.Plan == nil {
		return -1
	}
	return slices.IndexFunc(r.Plan.Tests, func(p Planned) bool { return p.Test == test })
}

// compare fills each row's part of the best median of its group.
func (r *Result) compare() {
	best := map[string]float64{}
	for _, row := range r.Rows {
		if row.Summary != nil {
			best[row.Group] = max(best[row.Group], row.Median)
		}
	}
	for i, row := range r.Rows {
		if row.Summary != nil && row.Group != "" && best[row.Group] > 0 {
			r.Rows[i].OfBest = row.Median / best[row.Group]
		}
	}
}

// finish decides the status of a run that says it is done.
func (r *Result) finish() {
	if r.Plan == nil || len(r.Rows) < len(r.Plan.Tests) {
		r.fail(ReasonIncomplete, fmt.Sprintf("done with %d results", len(r.Rows)))
		return
	}
	r.Progress = Progress{Fraction: 1, Phase: PhaseMeasure}
	r.Status = StatusDone
	for _, row := range r.Rows {
		if row.Wrong {
			r.Status, r.Reason = StatusWrong, ReasonWrong
			r.Detail = fmt.Sprintf("%s is outside the error bound, by a factor of %.3g", row.Test, row.ErrorRatio)
			return
		}
		if !row.Stable {
			r.Status = StatusUnstable
		}
	}
}

// describe names an event for a person who looks for where a run ended.
func (e Event) describe() string {
	switch e.Kind {
	case KindProgress:
		return fmt.Sprintf("progress %d %% (%s %s)", int(e.Progress.Fraction*100), e.Progress.Test, e.Progress.Phase)
	case KindSample:
		return "a sample of " + e.Sample.Test
	case KindResult:
		return "the result of " + e.Result.Test
	default:
		return string(e.Kind)
	}
}
