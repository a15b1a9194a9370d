package web

import (
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
)

// GPUs is every GPU of the site.
type GPUs struct {
	GPUs []GPU `json:"gpus"`
}

// GPU is one device with its last values. Values has null where a value is not known, and Why its reason.
type GPU struct {
	UUID        string            `json:"uuid"`
	GPUModel    string            `json:"gpu_model"`
	Vendor      string            `json:"vendor"`
	Node        string            `json:"node"`
	Index       int               `json:"index"`
	PCIBusID    string            `json:"pci_bus_id"`
	Driver      string            `json:"driver"`
	MemoryBytes int64             `json:"memory_bytes"`
	Simulated   bool              `json:"simulated"`
	State       string            `json:"state"`
	StateReason string            `json:"state_reason"`
	Blocked     string            `json:"blocked"` // why it can't be rented now, "" if it can
	StateSince  time.Time         `json:"state_since"`
	SeenAt      time.Time         `json:"seen_at"`
	InstanceID  string            `json:"instance_id"`
	Team        string            `json:"team"`
	ReadAt      *time.Time        `json:"read_at"`
	AgeMS       *int64            `json:"age_ms"`
	Values      map[string]*int64 `json:"values"`
	Why         map[string]string `json:"why"`
}

func (s *Server) listGPUs(c *call) error {
	list, err := s.store.GPUs(c.Request().Context())
	if err != nil {
		return err
	}
	blocks, err := s.store.GPUBlocks(c.Request().Context())
	if err != nil {
		return err
	}
	out := GPUs{GPUs: make([]GPU, 0, len(list))}
	for _, g := range list {
		row := s.gpuOut(c, g)
		row.Blocked = blocks[g.UUID]
		out.GPUs = append(out.GPUs, row)
	}
	return ok(c, out)
}

// gpuOut shows whose instance has a GPU only to those whose business it is; that it is taken, all see.
func (s *Server) gpuOut(c *call, g store.GPU) GPU {
	out := GPU{UUID: g.UUID, GPUModel: g.Model, Vendor: g.Vendor, Node: g.NodeName, Index: g.Index, PCIBusID: g.PCIBusID, Driver: g.Driver,
		MemoryBytes: g.MemoryBytes, Simulated: g.Simulated, State: g.State, StateReason: g.StateReason, StateSince: g.StateSince, SeenAt: g.SeenAt,
		Team: g.TeamName, Values: make(map[string]*int64), Why: make(map[string]string)}
	if c.who.Admin || g.TeamName == c.who.TeamName {
		out.InstanceID = g.InstanceID
	}
	r, age, read := s.fleet.Latest(g.UUID)
	if read {
		ms := age.Milliseconds()
		out.ReadAt, out.AgeMS = &r.At, &ms
	}
	for m := range gpu.NumMetrics {
		name := m.Info().Name
		n, known := r.Values[m].Get()
		if out.Values[name] = nil; known {
			out.Values[name] = &n
			continue
		}
		out.Why[name] = r.Values[m].Why().String()
	}
	return out
}

// Limit says whether a node enforces one limit, and how or why not.
type Limit struct {
	Name     string `json:"name"`
	Enforced bool   `json:"enforced"`
	Detail   string `json:"detail"`
}

// Health is how the site is.
type Health struct {
	Status       string         `json:"status"` // ok, or degraded where something needs a person
	Ready        bool           `json:"ready"`
	GPUsExpected int            `json:"gpus_expected"`
	GPUsPresent  int            `json:"gpus_present"`
	GPUStates    map[string]int `json:"gpu_states"`
	Limits       []Limit        `json:"limits"` // of the console's own machine
	Version      string         `json:"version"`
}

func (s *Server) health(c *call) error {
	list, err := s.store.GPUs(c.Request().Context())
	if err != nil {
		return err
	}
	out := Health{Status: "ok", Ready: s.fleet.Ready(), GPUsExpected: len(list), GPUStates: map[string]int{}, Limits: []Limit{}, Version: s.config.Version}
	for _, g := range list {
		out.GPUStates[g.State]++
		if g.State != store.GPULost {
			out.GPUsPresent++
		}
		if g.State != store.GPUOK && g.State != store.GPUWatch {
			out.Status = "degraded"
		}
	}
	for _, l := range s.fleet.Limits("") {
		out.Limits = append(out.Limits, Limit(l))
	}
	if !out.Ready {
		out.Status = "degraded"
	}
	return ok(c, out)
}

// Me is who a token belongs to.
type Me struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Email  string `json:"email"`
	Role   string `json:"role"`
	Admin  bool   `json:"admin"`
	TeamID string `json:"team_id"`
	Team   string `json:"team"`
}

func (s *Server) me(c *call) error {
	p := c.who
	return ok(c, Me{ID: p.ID, Name: p.Name, Email: p.Email, Role: string(p.Role), Admin: p.Admin, TeamID: p.TeamID, Team: p.TeamName})
}
