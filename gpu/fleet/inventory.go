package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
)

const (
	inventoryInterval = time.Minute
	inventoryPatience = 10 * time.Second
)

// join makes the machine's node known to the database, with what it can enforce.
func (m *machine) join(ctx context.Context) error {
	limits := m.executor.Limits(ctx)
	enforced := make([]store.NodeLimit, 0, len(limits))
	for _, l := range limits {
		enforced = append(enforced, store.NodeLimit{Name: l.Name, Enforced: l.Enforced, Detail: l.Detail})
	}
	node, err := m.store.EnsureNode(ctx, m.name, m.line == nil, m.executor.Name(), enforced)
	if err != nil {
		return fmt.Errorf("make node %s known: %w", m.name, err)
	}
	m.mu.Lock()
	m.node, m.limits = node, limits
	m.mu.Unlock()
	return nil
}

// takeInventory lists the devices and tells the database. A source that can't answer leaves the database as it is: its
// GPUs may be running work, and what is unknown is not absent.
func (m *machine) takeInventory(ctx context.Context) error {
	if !m.hasGPUs() {
		return m.store.SeeGPUs(ctx, m.nodeID(), nil, m.now())
	}
	listing, cancel := context.WithTimeout(ctx, inventoryPatience)
	defer cancel()
	devices, err := m.source.Devices(listing)
	if err != nil {
		return fmt.Errorf("list the GPUs: %w", err)
	}
	found := make([]store.GPU, 0, len(devices))
	byUUID := make(map[string]gpu.Device, len(devices))
	for _, d := range devices {
		byUUID[d.UUID] = d
		found = append(found, m.describe(d))
	}
	m.mu.Lock()
	m.devices = byUUID
	m.mu.Unlock()
	return m.store.SeeGPUs(ctx, m.nodeID(), found, m.now())
}

func (m *machine) describe(d gpu.Device) store.GPU {
	g := store.GPU{UUID: d.UUID, NodeID: m.nodeID(), Model: d.Model, Vendor: d.Vendor, PCIBusID: d.PCIBusID, Driver: d.Driver,
		Index: d.Index, MemoryBytes: int64(d.MemoryBytes), Simulated: d.Simulated, Island: d.Island, NUMA: d.NUMA}
	if limit, known := d.PowerLimit.Get(); known {
		g.PowerLimitMilliwatts = &limit
	}
	return g
}

func (m *machine) inventory(ctx context.Context) error {
	return m.loop(ctx, "inventory", inventoryInterval, m.listNow, func(ctx context.Context) error {
		if !m.reachable() {
			return nil
		}
		return m.takeInventory(ctx)
	})
}

func (m *machine) device(uuid string) (gpu.Device, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	d, ok := m.devices[uuid]
	return d, ok
}
