package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// SeeGPUs takes in what was found on a node: new GPUs are added, known ones brought up to date, those not found any more
// become lost and come back as what they were. A new model gets its pool, its plans (1, 2, 4, 8 GPUs, as many as the node
// has) and default prices. All in one transaction; the same again changes only when they were seen. The found GPUs' State
// and who has them are not looked at: SetGPUState and the instances say that.
func (s *Store) SeeGPUs(ctx context.Context, nodeID string, found []GPU, at time.Time) error {
	return s.write(ctx, func(t *tx) error {
		known, err := list(t, scanGPU, gpuQuery+"WHERE g.node_id = ? ORDER BY g.uuid", nodeID)
		if err != nil {
			return err
		}
		at := earlier(at, t.now)
		seen := map[string]bool{}
		models := map[string]int{} // pool → how many of it this node has
		for _, g := range found {
			if g.UUID == "" || g.Model == "" || seen[g.UUID] {
				return invalid("gpus", "gpu_wrong")
			}
			seen[g.UUID] = true
			pool, err := t.ensurePool(g.Model, g.Simulated)
			if err != nil {
				return err
			}
			models[pool]++
			if err := t.seeGPU(nodeID, pool, g, at); err != nil {
				return err
			}
		}
		for pool, count := range models {
			if err := t.ensurePlans(pool, count); err != nil {
				return err
			}
		}
		for _, g := range known {
			if !seen[g.UUID] && g.State != GPULost {
				if err := t.setGPUState(g.UUID, GPULost, ""); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (t *tx) seeGPU(nodeID, pool string, g GPU, at time.Time) error {
	var was GPU
	var lost sql.NullString
	var power sql.NullInt64
	err := t.row(`SELECT node_id, pool_id, vendor, pci_bus_id, driver, idx, memory_bytes, power_limit_milliwatts, island, numa, state, lost_state FROM gpu WHERE uuid = ?`, g.UUID).
		Scan(&was.NodeID, &was.PoolID, &was.Vendor, &was.PCIBusID, &was.Driver, &was.Index, &was.MemoryBytes, &power, &was.Island, &was.NUMA, &was.State, &lost)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = t.exec(`INSERT INTO gpu (uuid, node_id, pool_id, model, vendor, pci_bus_id, driver, idx, memory_bytes, power_limit_milliwatts,
			simulated, island, numa, state, state_reason, state_since, seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'ok', '', ?, ?)`,
			g.UUID, nodeID, pool, g.Model, g.Vendor, g.PCIBusID, g.Driver, g.Index, g.MemoryBytes, powerOrNull(g), g.Simulated, g.Island, g.NUMA, micros(t.now), micros(at))
		t.emit("gpu", g.UUID)
		return err
	}
	if err != nil {
		return err
	}
	if _, err := t.exec(`UPDATE gpu SET node_id = ?, pool_id = ?, model = ?, vendor = ?, pci_bus_id = ?, driver = ?, idx = ?, memory_bytes = ?,
		power_limit_milliwatts = ?, simulated = ?, island = ?, numa = ?, seen_at = max(seen_at, ?) WHERE uuid = ?`,
		nodeID, pool, g.Model, g.Vendor, g.PCIBusID, g.Driver, g.Index, g.MemoryBytes, powerOrNull(g), g.Simulated, g.Island, g.NUMA, micros(at), g.UUID); err != nil {
		return err
	}
	if was.State == GPULost {
		return t.setGPUState(g.UUID, lost.String, "")
	}
	powered := g.PowerLimitMilliwatts != nil
	if was.NodeID != nodeID || was.PoolID != pool || was.Driver != g.Driver || was.PCIBusID != g.PCIBusID || was.Index != g.Index ||
		was.Island != g.Island || was.NUMA != g.NUMA ||
		was.MemoryBytes != g.MemoryBytes || power.Valid != powered || powered && power.Int64 != *g.PowerLimitMilliwatts {
		t.emit("gpu", g.UUID)
	}
	return nil
}

func powerOrNull(g GPU) any {
	if g.PowerLimitMilliwatts == nil || *g.PowerLimitMilliwatts <= 0 {
		return nil
	}
	return *g.PowerLimitMilliwatts
}

// ensurePool returns the pool of a model, made if missing. Simulated GPUs are never in a pool with real ones.
func (t *tx) ensurePool(model string, simulated bool) (string, error) {
	var id string
	err := t.row("SELECT id FROM pool WHERE model = ? AND simulated = ?", model, simulated).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	id = slug(model)
	taken, err := t.number("SELECT count(*) FROM pool WHERE id = ?", id)
	if err != nil {
		return "", err
	}
	if taken > 0 {
		id += map[bool]string{true: "-sim", false: "-real"}[simulated]
	}
	_, err = t.exec("INSERT INTO pool (id, model, simulated) VALUES (?, ?, ?)", id, model, simulated)
	return id, err
}

// slug makes "NVIDIA A100-SXM4-80GB" to "a100-sxm4-80gb".
func slug(model string) string {
	var b strings.Builder
	for _, r := range strings.TrimPrefix(strings.ToLower(model), "nvidia ") {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "gpu"
}
