package views

import "time"

// FleetPage is /fleet, a tile a GPU.
type FleetPage struct {
	Page
	Tiles    []FleetTile
	Expected int // how many GPUs this site knows
	Present  int // how many answer now
	Nodes    []FleetNode
}

// FleetNode is a node in the fleet's head.
type FleetNode struct {
	ID, Name string
	Driver   string // "" without one
	CPUs     int
	RAMBytes int64
	State    string // "up", "lost"
	Service  string // "open", "cordoned", "draining", "drained", "maintenance"
}

// FleetTile is one GPU. State: "free", "rented", "kept" (free, but not for everybody), "drain", "fenced", "lost", "quarantined",
// "driver_mismatch".
type FleetTile struct {
	UUID, Name  string // Name is for show: "GPU 0"
	Model, Node string
	PCIBusID    string
	Simulated   bool
	State       string
	Blocked     string // why it can't be rented, "" if it can or is simply rented
	Detail      string // why and what to do, in words
	MemoryTotal Value  // bytes
	MemoryUsed  Value  // bytes
	Utilization Value  // per mille
	Temperature Value  // degrees Celsius
	Power       Value  // milliwatts
	PowerLimit  Value  // milliwatts
	ReadAt      time.Time
	// Who has it; InstanceID is "" where the person may not open it.
	InstanceID, InstanceName, Owner, Team string
}
