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
	Days                []CostDay
	Whose               string // whose costs: a team's name, "" for the site's
}

// CostRow is one group's share.
type CostRow struct {
	Name       string // "" for what has no label
	URL        string // may be ""
	GPUSeconds int64
	Micros     int64
	Simulated  bool
}

// CostDay is one day's sum; Future days have none yet.
type CostDay struct {
	Day    time.Time // its midnight in the site's zone
	Micros int64
	Future bool
}
