package views

import "time"

// HomePage is /: what runs now, what it costs and what needs the person.
type HomePage struct {
	Page
	Running           []InstanceRow // of the person, or of the team for managers; neither stopped nor failed
	Recent            []InstanceRow // the last few that ended
	RateMicrosPerHour int64         // sum over Running
	TodayMicros       int64         // spent since midnight in the site's zone
	MonthMicros       int64
	BudgetLeft        Value // micro-units; unknown "no_budget"
	BudgetUntil       time.Time
	FreeGPUs          int // that can be rented now
	TotalGPUs         int
	Needs             []Need
	// Started is nil once the person has done all of it or the site has history.
	Started *Started
}

// Need is something that waits for the person. Kind chooses the text: "budget" (Permille spent), "budget_stop" (At), "ends" (At),
// "failed", "unreachable", "queued", "gpu" (Name is the GPU), "bench" (Name is the suite; it went wrong or unstable).
type Need struct {
	Kind     string
	Name     string // of the instance, the budget, the GPU
	URL      string
	Permille int
	At       time.Time
	Detail   string // e.g. why it failed; may be empty
}

// Started is the list of first steps, each with whether it was done.
type Started struct{ Rented, Terminal, Bench, Budget, Token bool }
