package views

import (
	"strconv"
	"time"

	"github.com/a-h/templ"
)

// QueuePage is /queue: what waits for the GPUs of each pool. A team's weight is changed by POST /queue/weight with the
// fields team and weight.
type QueuePage struct {
	Page
	Form    Form // of the weight that was refused
	Lines   []QueueLine
	Weights []QueueWeight // empty for who may not change them
}

// QueueWeight is what a team's fair share comes from.
type QueueWeight struct {
	TeamID, Team string
	Weight       int64
}

// QueueLine is the queue of one pool.
type QueueLine struct {
	ID, Model string // "" for CPU-only work
	Simulated bool
	Rows      []QueueRow
	Shares    []QueueShare
}

// QueueRow is an instance that waits.
type QueueRow struct {
	Place       int
	ID          string // "": another team's, of which no more is shown
	Name, Owner string
	Team        string
	Kind        string
	GPUModel    string
	GPUCount    int
	Simulated   bool
	Since       time.Time
	Reason      string // of store.WaitReasons, "": it starts at once
	Behind      []int  // with "behind": the places that the free GPUs are for
	StartsAt    Value  // microseconds since 1970; unknown "no_end_ahead", or "kept"
	EndsAt      time.Time
	Aged        bool   // waited 24 hours
	Fair        string // of its team: "less", "even" or "more" than its share; "": nobody used any
	CanCancel   bool
}

// QueueShare is a team's fair share, in per mille.
type QueueShare struct {
	TeamID, Team string // TeamID "": all others together
	Share, Used  int64
	UsedTime     time.Duration
	Fair         string // as in QueueRow
}

// here is the part of the page with one pool's queue.
func (l QueueLine) here() string { return "queue-" + or(id(l.ID), "cpu") }

// startsAt is the estimate as a moment.
func (r QueueRow) startsAt() time.Time { return time.UnixMicro(r.StartsAt.N) }

// hardware says what one waits for.
func (r QueueRow) hardware() InstanceRow {
	return InstanceRow{GPUModel: r.GPUModel, GPUCount: r.GPUCount, Simulated: r.Simulated}
}

// name is what a row may be called on the page of this person.
func (r QueueRow) name(p Page) string { return or(r.Name, p.T.QueueOther(r.Team)) }

// refused reports whether it is this weight that came back.
func (v QueuePage) refused(w QueueWeight) bool {
	return len(v.Form.Errors) > 0 && v.Form.Value("team") == w.TeamID
}

// weightField is the id of a team's field; the summary of what is wrong leads to the one that was refused.
func (v QueuePage) weightField(w QueueWeight) string {
	if v.refused(w) {
		return v.Form.field("weight")
	}
	return "weight-" + id(w.TeamID)
}

func (v QueuePage) weight(w QueueWeight) string {
	if v.refused(w) {
		return v.Form.Value("weight")
	}
	return strconv.FormatInt(w.Weight, 10)
}

func (v QueuePage) weightNote(w QueueWeight) templ.Attributes {
	if v.refused(w) {
		return templ.Attributes{"aria-invalid": "true"}
	}
	return nil
}
