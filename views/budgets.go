package views

import "time"

// BudgetsPage is /budgets, and /budgets?edit=ID with that budget in the form. The form is POST /budgets, or POST
// /budgets/{id} to change one, with the fields scope (a value of Scopes), label ("key=value", "" for all that the team
// spends), name, period, rolling_days, limit (a decimal number in the site's currency), thresholds and forecasts (per cent,
// "50, 80, 100"), action ("notify", "block", "spot_only", "stop"), emails (with commas between). Deleting is POST
// /budgets/{id}/delete; without JavaScript it is asked for at /budgets?delete=ID.
type BudgetsPage struct {
	Page
	Form    Form
	EditID  string     // "" for a new one
	Ask     *BudgetRow // the one that is asked about before it is deleted
	Scopes  []Option
	Actions []string // those that this site can do
	Periods []string
	Rows    []BudgetRow
	Fired   []FiredRow // newest first
	CanEdit bool
	MailOff bool // no mail server is set: mail waits
}

// BudgetRow is one budget.
type BudgetRow struct {
	ID, Name    string
	Scope       string // "team", "member", "label"
	ScopeName   string
	Period      string
	RollingDays int // of a rolling period
	From, To    time.Time
	LimitMicros int64
	SpentMicros int64
	Forecast    Value // micro-units at the period's end; unknown "no_history"
	Thresholds  []Threshold
	Forecasts   []Threshold // of what is expected
	Action      string
	InForce     bool      // the limit is reached: the action holds
	StopsAt     time.Time // what runs is stopped then; zero: nothing is
	CanEdit     bool
}

// Threshold is a share of the limit at which something happens. Fired is zero while it has not.
type Threshold struct {
	Percent int
	Mail    bool // by mail; on the page otherwise
	Fired   time.Time
}

// FiredRow is a threshold that was crossed. Mail: "", "waiting", "sent", "dead".
type FiredRow struct {
	At          time.Time
	Budget      string
	Percent     int
	Forecast    bool // SpentMicros is what was expected
	SpentMicros int64
	LimitMicros int64
	Action      string
	Mail        string // "waiting", "sent", "dead"; "": none
}
