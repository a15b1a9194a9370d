package views

import "time"

// CostsPage is /costs?month=2026-11&group=GROUP.
type CostsPage struct {
	Page
	From, To            time.Time // half-open, midnights in the site's zone
	Month               string    // "2026-11"
	Previous, NextMonth string    // months to go to, "" where there is nothing
	Group               string    // "team", "member", "label", "gpu_model", "instance"
	Rows                []CostRow // largest first
	TotalMicros         int64
	LedgerMicros        int64 // the same period's sum from the ledger: must be equal, the page says whether it is
	LastMicros          int64 // of the month before
	Days                []CostDay
	Months              []CostMonth // the last ones, up to this, in order
	Whose               string      // whose costs: a team's name, "" for the site's
}

// CostRow is one group's share.
type CostRow struct {
	Name       string // "" for what has no label
	URL        string // may be ""
	GPUSeconds int64
	Micros     int64
	LastMicros int64 // of the month before
	Simulated  bool
}

// CostMonth is one month's sum.
type CostMonth struct {
	Month   time.Time // its first midnight in the site's zone
	Micros  int64
	Current bool // the one that the page is about
}

// CostDay is one day's sum; Future days have none yet.
type CostDay struct {
	Day    time.Time // its midnight in the site's zone
	Micros int64
	Future bool
}
