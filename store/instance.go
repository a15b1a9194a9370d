package store

import (
	"time"

	"github.com/meterhouse/meterhouse/store/life"
)

// State is where an instance stands: see store/life.
type State = life.State

// InstanceKind is how an instance is rented.
type InstanceKind string

// The kinds. Only OnDemand is offered yet.
const (
	OnDemand InstanceKind = "on_demand"
	Reserved InstanceKind = "reserved"
	Spot     InstanceKind = "spot"
)

// Instance is what a person rents.
type Instance struct {
	ID, Name                                string
	State                                   life.State
	Kind                                    InstanceKind
	PlanID, GPUModel                        string
	GPUCount                                int
	GPUs                                    []string // UUIDs, by index; of an ended one: those it had
	NodeID, NodeName                        string   // "" while queued
	TeamID, TeamName, PersonID, PersonName  string
	Simulated                               bool
	Image, Command                          string
	Argv                                    []string
	Labels                                  map[string]string
	CPUMillis, MemoryBytes, Pids, DiskBytes int64
	RateMicrosPerHour                       int64
	RequestedAt                             time.Time
	StartedAt                               *time.Time // became healthy
	EndsAt                                  *time.Time // nil: no hard end
	StopRequestedAt, EndedAt                *time.Time
	ProofAt                                 *time.Time // last proof of life
	StopReason                              string     // key: by_person, hard_end, command_ended, node_lost, start_failed, …
	ExitCode                                *int
	ExitDetail                              string
	CostMicros                              int64 // as of now, open time included
	BenchmarkID                             string
	QueuePlace                              int // from 1 while queued, else 0
	Grace                                   time.Duration
}

// Filter chooses instances. Zero values choose all.
type Filter struct {
	TeamID, PersonID string
	States           []life.State
	Live             bool   // only those whose life goes on
	Query            string // in name or id
	Cursor           string // from the last page
	Limit            int    // 0: 50; at most 500
}
