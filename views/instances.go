package views

import "time"

// InstancesPage is /instances?status=STATUS&q=NAME&cursor=CURSOR.
type InstancesPage struct {
	Page
	Status string         // the filter: "" for all, "live" for all that are not over, or a status
	Query  string         // part of a name
	Counts map[string]int // how many there are by filter value, where known
	Rows   []InstanceRow
	Next   string // cursor of the next page, "" on the last
	Paged  bool   // this is not the first page
}

// InstanceRow is one instance in a list.
type InstanceRow struct {
	ID, Name          string
	Status            string // one of DESIGN.md's nine words
	Kind              string // "on_demand", "reserved", "spot"
	GPUModel          string // "" for CPU-only
	GPUCount          int
	Simulated         bool
	Node, Owner, Team string
	RateMicrosPerHour int64
	CostMicros        int64
	CreatedAt         time.Time
	StartedAt         time.Time // zero: not yet
	EndsAt            time.Time // zero: no hard end
	StoppedAt         time.Time // zero: not over
	QueuePlace        int       // 0: not queued
	Bench             string    // id of the benchmark that it runs, ""
}
