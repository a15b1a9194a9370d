package store

import "time"

// RentRequest is what a person asks for: a plan by its id, or a GPU model and count, or CPU-only work.
type RentRequest struct {
	PersonID       string
	TeamID         string // who pays; "": the person's home team
	Name           string // "": made from the plan
	PlanID         string
	GPUModel       string
	GPUCount       int
	CPUOnly        bool
	Kind           InstanceKind // "": OnDemand
	Image, Command string
	Argv           []string
	Duration       *time.Duration // until the hard end, from the start; nil: none
	Queue, Requeue bool
	Labels         map[string]string
	IdempotencyKey string
	GPUs           []string // wanted UUIDs; empty: any
	BenchmarkID    string
}
