package store

import "time"

// Budget is a limit on what a team, a member or a label spends in a period.
type Budget struct {
	ID, Name             string
	Scope                string // "team", "member" or "label"
	TeamID, TeamName     string
	PersonID, PersonName string
	Label                string // "key=value", for scope label
	Period               string // "day", "week", "month" or "quarter"
	LimitMicros          int64
	Thresholds           []int  // percent
	Action               string // "notify" or "block"
	Emails               []string
	Version              int // a raised limit starts a new one
	CreatedAt            time.Time
	PeriodStart          time.Time
	PeriodEnd            time.Time
	SpentMicros          int64  // in the period that runs, open time included
	Fired                []Fire // in this version and period
}

// Fire is a threshold that was crossed.
type Fire struct {
	Threshold   int // percent
	At          time.Time
	SpentMicros int64
}

// NewBudget is a budget to be made, or what a budget becomes.
type NewBudget struct {
	Name, Scope, TeamID, PersonID, Label, Period string
	LimitMicros                                  int64
	Thresholds                                   []int  // nil: 50, 80, 100, 120
	Action                                       string // "": notify
	Emails                                       []string
}

// BudgetLeft is how much a person may still spend: the tightest budget that applies.
type BudgetLeft struct {
	BudgetID, Name                       string
	LeftMicros, LimitMicros, SpentMicros int64 // LeftMicros may be negative
	RunningRateMicrosPerHour             int64
	PeriodEnd                            time.Time
	RunsOutAt                            *time.Time // at the running rate; nil: not in this period
	Blocks                               bool       // it refuses to rent when nothing is left
}
