package store

import "time"

// UsageQuery asks what was used in [From, To).
type UsageQuery struct {
	From, To         time.Time
	GroupBy          string // "team", "member", "label:KEY", "gpu_model", "day" or "kind"
	TeamID, PersonID string // "": all
}

// UsageRow is one group's use. The rows' costs add up to the whole exactly.
type UsageRow struct {
	Key, Name  string
	CostMicros int64
	GPUSeconds int64
	Instances  int
}
