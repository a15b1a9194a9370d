package store

import "time"

// Offer is a plan with its price and what is free of it now.
type Offer struct {
	Plan                  Plan
	Free, Total           int // how many instances of the plan: could start now, would fit on an empty site
	OnDemandMicrosPerHour int64
	SpotMicrosPerHour     *int64         // nil: not offered
	HardEnd               *time.Time     // nil: none
	FreeAt                *time.Time     // the earliest known end of what holds its GPUs; nil: unknown or free now
	Blocked               []string       // why GPUs that exist can't be rented: "in_use", "quarantined", "fenced", "lost", "node_lost", "node_cordoned"
	BlockedCounts         map[string]int // GPUs by those keys
}
