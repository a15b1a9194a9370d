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

// join makes this machine's node known to the database, with what it can enforce.
func (f *Fleet) join(ctx context.Context) error {
	limits := f.executor.Limits(ctx)
	enforced := make([]store.NodeLimit, 0, len(limits))
	for _, l := range limits {
		enforced = append(enforced, store.NodeLimit{Name: l.Name, Enforced: l.Enforced, Detail: l.Detail})
	}
	node, err := f.store.EnsureNode(ctx, f.nodeName, true, f.executor.Name(), enforced)
	if err != nil {
		return fmt.Errorf("make node %s known: %w", f.nodeName, err)
	}
	f.mu.Lock()
	f.node, f.limits = node, limits
	f.mu.Unlock()
	return nil
}

func (f *Fleet) nodeID() string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.node.ID
}

// takeInventory lists the devices and tells the database. A source that can't answer leaves the database as it is: its
// GPUs may be running work, and what is unknown is not absent.
func (f *Fleet) takeInventory(ctx context.Context) error {
	if f.source == nil {
		return f.store.SeeGPUs(ctx, f.nodeID(), nil, f.now())
	}
	listing, cancel := context.WithTimeout(ctx, inventoryPatience)
	defer cancel()
	devices, err := f.source.Devices(listing)
	if err != nil {
		return fmt.Errorf("list the GPUs: %w", err)
	}
	found := make([]store.GPU, 0, len(devices))
	byUUID := make(map[string]gpu.Device, len(devices))
	for _, d := range devices {
		byUUID[d.UUID] = d
		found = append(found, f.describe(d))
	}
	f.mu.Lock()
	f.devices = byUUID
	f.mu.Unlock()
	return f.store.SeeGPUs(ctx, f.nodeID(), found, f.now())
}

func (f *Fleet) describe(d gpu.Device) store.GPU {
	g := store.GPU{UUID: d.UUID, NodeID: f.nodeID(), Model: d.Model, Vendor: d.Vendor, PCIBusID: d.PCIBusID, Driver: d.Driver,
		Index: d.Index, MemoryBytes: int64(d.MemoryBytes), Simulated: d.Simulated}
	if limit, known := d.PowerLimit.Get(); known {
		g.PowerLimitMilliwatts = &limit
	}
	return g
}

func (f *Fleet) inventory(ctx context.Context) error {
	return f.loop(ctx, "inventory", inventoryInterval, f.listNow, f.takeInventory)
}
