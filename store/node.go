package store

import "time"

// Node is a machine with GPUs, run by one agent.
type Node struct {
	ID, Name string
	Local    bool   // the console's own machine
	State    string // "up", "cordoned" or "lost"
	SeenAt   time.Time
	Executor string
	CPUs     int // cores, 0 where not told
	Limits   []NodeLimit
}

// NodeLimit says whether a node enforces one limit, and how or why not.
type NodeLimit struct {
	Name     string
	Enforced bool
	Detail   string
}
