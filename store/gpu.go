package store

import "time"

// The states of a GPU. Only what is ok is offered.
const (
	GPUOK          = "ok"
	GPUWatch       = "watch"       // works, but something is odd; still offered
	GPUFenced      = "fenced"      // its device reported a fault
	GPUQuarantined = "quarantined" // not proven clean after its last instance
	GPULost        = "lost"        // not found any more
)

// GPU is one physical device, named by its UUID.
type GPU struct {
	UUID, NodeID, NodeName, PoolID, Model, Vendor, PCIBusID, Driver string
	Index                                                           int // only for show
	MemoryBytes                                                     int64
	PowerLimitMilliwatts                                            *int64 // nil: unknown
	Simulated                                                       bool
	State, StateReason                                              string
	StateSince, SeenAt                                              time.Time
	InstanceID, InstanceName, PersonName, TeamName                  string // who has it; "" when free
}
