package store

import (
	"context"
	"strconv"
	"strings"
)

// Plan is an instance type.
type Plan struct {
	ID, GPUModel                            string // GPUModel is "" for CPU-only work
	GPUCount                                int
	CPUMillis, MemoryBytes, Pids, DiskBytes int64 // CPUMillis: thousandths of a core
	Simulated                               bool

	poolID string // "" for CPU-only work
}

// CPUPlan is the plan for work without a GPU; it always exists.
const CPUPlan = "cpu-2"

// cpuPlanPlaces is how many CPU-only instances run at once on the whole site.
const cpuPlanPlaces = 4

const (
	gib      = int64(1) << 30
	planPids = 4096
	planDisk = 100 * gib
)

// planCounts are the sizes in which a pool's GPUs are offered.
var planCounts = []int{1, 2, 4, 8}

const planQuery = `SELECT l.id, coalesce(o.id, ''), coalesce(o.model, ''), l.gpu_count, l.cpu_millis, l.memory_bytes, l.pids, l.disk_bytes, coalesce(o.simulated, 0)
	FROM plan l LEFT JOIN pool o ON o.id = l.pool_id `

func scanPlan(r scanner) (Plan, error) {
	var p Plan
	err := r.Scan(&p.ID, &p.poolID, &p.GPUModel, &p.GPUCount, &p.CPUMillis, &p.MemoryBytes, &p.Pids, &p.DiskBytes, &p.Simulated)
	return p, err
}

// Plans returns every plan: by GPU model and count, the CPU-only one last.
func (s *Store) Plans(ctx context.Context) (all []Plan, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = t.plans()
		return err
	})
	return all, err
}

func (t *tx) plans() ([]Plan, error) {
	return list(t, scanPlan, planQuery+"ORDER BY l.pool_id IS NULL, o.model, o.simulated, l.gpu_count")
}

// ensurePlans gives a pool the plans that a node with count of its GPUs can hold. Those it has stay as they are.
func (t *tx) ensurePlans(pool string, count int) error {
	var model string
	var simulated bool
	if err := t.row("SELECT model, simulated FROM pool WHERE id = ?", pool).Scan(&model, &simulated); err != nil {
		return err
	}
	for _, n := range planCounts {
		if n > count {
			continue
		}
		id := pool + "-x" + strconv.Itoa(n)
		cpu, memory := int64(8000), 64*gib
		if simulated { // their work runs on this machine's own cores
			cpu, memory = 1000, 2*gib
		}
		added, err := t.exec(`INSERT INTO plan (id, pool_id, gpu_count, cpu_millis, memory_bytes, pids, disk_bytes) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO NOTHING`, id, pool, n, cpu*int64(n), memory*int64(n), planPids, planDisk)
		if err != nil {
			return err
		}
		if added == 0 {
			continue
		}
		if _, err := t.exec("INSERT INTO price (plan_id, kind, version, micros_per_hour, starts_at) VALUES (?, 'on_demand', 1, ?, 0)",
			id, defaultPrice(model, simulated)*int64(n)); err != nil {
			return err
		}
	}
	return nil
}

// findPlan returns the plan that a request names.
func (t *tx) findPlan(r RentRequest) ([]Plan, error) {
	all, err := t.plans()
	if err != nil {
		return nil, err
	}
	if r.CPUOnly && r.PlanID == "" {
		r.PlanID = CPUPlan
	}
	if r.PlanID != "" {
		var ids []string
		for _, p := range all {
			if p.ID == r.PlanID {
				return []Plan{p}, nil
			}
			ids = append(ids, p.ID)
		}
		return nil, &Error{Kind: Invalid, Field: "plan", Message: "plan_not_found", Args: map[string]string{"id": r.PlanID, "plans": strings.Join(ids, ", ")}}
	}
	return matchPlans(all, r)
}

// matchPlans finds the plans of a GPU model and count; of any model if none is named.
func matchPlans(all []Plan, r RentRequest) ([]Plan, error) {
	count := r.GPUCount
	if count == 0 && (r.GPUModel != "" || len(r.GPUs) > 0) {
		count = max(1, len(r.GPUs))
	}
	if count < 1 {
		return nil, invalid("gpu_count", "gpu_count_wrong")
	}
	var found []Plan
	var models, counts []string
	for _, p := range all {
		if p.poolID == "" {
			continue
		}
		if len(models) == 0 || models[len(models)-1] != p.GPUModel {
			models = append(models, p.GPUModel)
		}
		if r.GPUModel != "" && !strings.EqualFold(p.GPUModel, r.GPUModel) && slug(r.GPUModel) != p.poolID {
			continue
		}
		if n := strconv.Itoa(p.GPUCount); !strings.Contains(" "+strings.Join(counts, ", ")+",", " "+n+",") {
			counts = append(counts, n)
		}
		if p.GPUCount == count {
			found = append(found, p)
		}
	}
	switch {
	case len(found) > 0:
		return found, nil
	case len(counts) == 0 && len(models) > 0:
		return nil, &Error{Kind: Invalid, Field: "gpu_model", Message: "gpu_model_unknown", Args: map[string]string{"model": r.GPUModel, "models": strings.Join(models, ", ")}}
	case len(counts) == 0:
		return nil, &Error{Kind: NoCapacity, Message: "no_gpus"}
	}
	return nil, &Error{Kind: Invalid, Field: "gpu_count", Message: "gpu_count_not_offered", Args: map[string]string{"count": strconv.Itoa(count), "counts": strings.Join(counts, ", ")}}
}
