// Package gpu says what a GPU is to Meterhouse: how it is named, what is read from it (Source) and how work runs on it
// (Executor). It imports the standard library alone and knows nothing of people, prices or the database; gpu/fleet joins
// the two worlds.
package gpu

import (
	"context"
	"time"
)

// Device is one physical GPU, named by its UUID; Index is only for show and may change with every boot.
type Device struct {
	UUID              string
	PCIBusID          string // as the driver writes it, e.g. "00000000:3B:00.0"
	Index             int
	Vendor            string // "NVIDIA", "AMD"
	Model             string // without the vendor's name, e.g. "A100-SXM4-80GB"
	MemoryBytes       uint64
	PowerLimit        Value // milliwatts
	ComputeCapability string
	Driver            string // driver version
	Simulated         bool
	Island            string // those of a machine with the same are joined by NVLink, see Islands; "": to none, or not known
	NUMA              string // the machine's NUMA node of its PCIe root; "": not known
}

// Metric is one thing that is read of a GPU, at about 1 Hz.
type Metric uint8

const (
	Utilization    Metric = iota // per mille of the time in which any kernel ran
	MemoryBusy                   // per mille of the time in which memory was read or written; not how full it is
	MemoryUsed                   // bytes, without what the driver keeps for itself
	MemoryReserved               // bytes that the driver keeps for itself
	MemoryTotal                  // bytes
	Power                        // milliwatts
	Energy                       // millijoules since the driver was loaded; a counter that may restart
	Temperature                  // degrees Celsius
	ClockSM                      // MHz
	ClockMemory                  // MHz
	Fan                          // per mille of full speed
	Throttle                     // bit mask of the driver's reasons, 0: none
	NumMetrics
)

// MetricInfo describes a Metric to pages, API and /metrics.
type MetricInfo struct{ Name, Unit string }

var metrics = [NumMetrics]MetricInfo{
	Utilization: {"utilization", "permille"}, MemoryBusy: {"memory_busy", "permille"}, MemoryUsed: {"memory_used", "bytes"},
	MemoryReserved: {"memory_reserved", "bytes"}, MemoryTotal: {"memory_total", "bytes"}, Power: {"power", "milliwatts"},
	Energy: {"energy", "millijoules"}, Temperature: {"temperature", "celsius"}, ClockSM: {"clock_sm", "mhz"},
	ClockMemory: {"clock_memory", "mhz"}, Fan: {"fan", "permille"}, Throttle: {"throttle", "mask"},
}

// Info returns the metric's stable name and unit.
func (m Metric) Info() MetricInfo { return metrics[m] }

// Reading is everything read of one GPU at one moment.
type Reading struct {
	UUID   string
	At     time.Time
	Values [NumMetrics]Value
}

// Process is a process that uses a GPU; PID is the host's.
type Process struct {
	PID         int
	Name        string
	MemoryBytes Value
}

// EventKind is what happened to a GPU.
type EventKind string

const (
	EventLost     EventKind = "lost"     // it does not answer any more
	EventBack     EventKind = "back"     // it answers again
	EventXid      EventKind = "xid"      // the driver reported an error; Code is its number
	EventMismatch EventKind = "mismatch" // driver and library differ: running work goes on, nothing new starts
)

// Event is something that happened to a GPU at a moment.
type Event struct {
	UUID   string // "" where it concerns all
	At     time.Time
	Kind   EventKind
	Code   int
	Detail string
}

// Source reads hardware. Every call returns by its context's deadline; one device that hangs or is lost never hides the
// others. gputest.Source is the suite that each implementation passes.
type Source interface {
	// Devices lists what is there now. A device that was lost stays listed until Close, so that its absence is seen.
	Devices(ctx context.Context) ([]Device, error)
	// Read returns one Reading for each listed device; what could not be read is Unknown with its reason.
	Read(ctx context.Context) ([]Reading, error)
	// Processes lists what runs on a device. An error means unknown, never "none".
	Processes(ctx context.Context, uuid string) ([]Process, error)
	// Events returns what happened since the last call.
	Events(ctx context.Context) ([]Event, error)
	Close() error
}
