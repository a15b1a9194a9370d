package views

import (
	"time"

	"github.com/meterhouse/meterhouse/web/lang"
)

// NodeRow is a node in the list of them.
type NodeRow struct {
	ID, Name        string
	State           string // "up", "lost"
	Service         string // "open", "cordoned", "draining", "drained", "maintenance"
	Reason, By      string
	Since, DrainBy  time.Time // zero: none
	SeenAt          time.Time
	Executor, Build string // Build "": not known
	Local, Joined   bool
	GPUs, InUse     int
	Instances       int
	Windows         []NodeWindow
}

// NodeWindow is a maintenance window that is not over.
type NodeWindow struct {
	ID, Reason, By string
	From, To       time.Time
}

// NodesPage is /admin/nodes. Its form is POST to the same address with name and minutes.
type NodesPage struct {
	Page
	Rows    []NodeRow
	Form    Form
	Command string // with the new token, shown once; "" else
	CanJoin bool   // other machines can reach the console as agents do
}

// NodePage is /nodes/{id}. Its forms are POST to /nodes/{id}/service with reason, by and do ("cordon", "drain", "uncordon"),
// to /nodes/{id}/maintenance with start, end, reason and force, to /nodes/{id}/maintenance/cancel with window, and to
// /nodes/{id}/remove.
type NodePage struct {
	Page
	NodeRow
	Limits      []NodeLimit
	Devices     []NodeGPU
	Running     []InstanceRow // that the person may see
	Happened    []NodeRecord  // the newest first; for admins
	CanAdmin    bool
	AskRemove   bool
	ServiceForm Form
	ByTwice     []Option // what the clocks' change makes of the time to drain by
	WindowForm  Form
	Times       FormTimes
	InTheWay    []string // ids of instances and reservations
}

// NodeLimit says whether a node enforces one limit, and how or why not.
type NodeLimit struct {
	Name, Detail string
	Enforced     bool
}

// NodeGPU is one of a node's GPUs. Island and NUMA are "" where it is joined to none, or nothing is known.
type NodeGPU struct {
	Name, Model, State, Blocked string
	Island, NUMA                string
	Simulated                   bool
}

// NodeRecord is what somebody did.
type NodeRecord struct {
	At                 time.Time
	Action, By, Detail string
}

// nodeWord is the one word for a node: that it is lost, else what an admin wants of it.
func nodeWord(t lang.T, r NodeRow) string {
	if r.State != "up" {
		return t.NodeState(r.State)
	}
	return t.NodeService(r.Service)
}

func nodeClass(r NodeRow) string {
	switch {
	case r.State != "up":
		return "bad"
	case r.Service == "open":
		return "good"
	case r.Service == "draining":
		return "busy"
	}
	return "half"
}

// nodeWhy says who closed a node, when and why; "" where nobody did.
func nodeWhy(p Page, r NodeRow) string {
	if r.Service == "open" || r.Since.IsZero() {
		return ""
	}
	return p.T.NodeWhy(r.By, p.Near(r.Since, p.Now), r.Reason)
}

func (p Page) windowTimes(w NodeWindow) string {
	return p.entryTimes(CalendarEntry{From: w.From, To: w.To})
}

// subjectURL is the page of what an id names.
func subjectURL(name string) string {
	if len(name) > 2 && name[:2] == "r-" {
		return "/reservations/" + id(name)
	}
	return "/instances/" + id(name)
}
