package web

import (
	"strconv"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

func (s *Server) fleetPage(c *call) error {
	ctx := c.Request().Context()
	gpus, err := s.store.GPUs(ctx)
	if err != nil {
		return err
	}
	nodes, err := s.store.Nodes(ctx)
	if err != nil {
		return err
	}
	blocks, err := s.store.GPUBlocks(ctx)
	if err != nil {
		return err
	}
	v := views.FleetPage{Page: s.page(c), Expected: len(gpus)}
	for _, n := range nodes {
		node := views.FleetNode{ID: n.ID, Name: n.Name, State: n.State, Service: n.Service}
		for i := range gpus {
			if gpus[i].NodeID == n.ID && gpus[i].Driver != "" {
				node.Driver = gpus[i].Driver
			}
		}
		v.Nodes = append(v.Nodes, node)
	}
	for i := range gpus {
		if gpus[i].State != store.GPULost {
			v.Present++
		}
		v.Tiles = append(v.Tiles, s.tile(c, &gpus[i], blocks[gpus[i].UUID]))
	}
	return s.show(c, views.Fleet(v))
}

// gpuName is a GPU's name for show; its UUID is what it is called by.
func gpuName(g *store.GPU) string { return "GPU " + strconv.Itoa(g.Index) }

// gpuState is the one word for a GPU: what is the matter with it, else whether somebody has it, else what keeps it back.
func gpuState(g *store.GPU, blocked string) string {
	switch {
	case g.State != store.GPUOK && g.State != store.GPUWatch:
		return g.State
	case blocked == "node_lost":
		return store.GPULost
	case g.InstanceID != "" || g.TeamName != "":
		return "rented"
	case blocked == store.GPUWatch || blocked == "node_cordoned" || blocked == "node_draining" || blocked == "node_maintenance":
		return "drain"
	case blocked != "":
		return "kept"
	}
	return "free"
}

func (s *Server) tile(c *call, g *store.GPU, blocked string) views.FleetTile {
	t := views.FleetTile{
		UUID: g.UUID, Name: gpuName(g), Model: g.Model, Node: g.NodeName, PCIBusID: g.PCIBusID, Simulated: g.Simulated, State: gpuState(g, blocked),
		Detail: g.StateReason, MemoryTotal: views.Known(g.MemoryBytes), PowerLimit: numberOr(g.PowerLimitMilliwatts, "not_supported"), Team: g.TeamName,
	}
	if blocked != "in_use" {
		t.Blocked = blocked
	}
	if c.who.Admin || g.TeamName == c.who.TeamName {
		t.InstanceID, t.InstanceName, t.Owner = g.InstanceID, g.InstanceName, g.PersonName
	}
	r, _, read := s.fleet.Latest(g.UUID)
	if !read && g.State == store.GPULost {
		for m := range r.Values {
			r.Values[m] = gpu.Unknown(gpu.Lost)
		}
	}
	t.MemoryUsed, t.Utilization, t.Temperature, t.Power, t.ReadAt = value(r, gpu.MemoryUsed), value(r, gpu.Utilization), value(r, gpu.Temperature), value(r, gpu.Power), r.At
	return t
}
