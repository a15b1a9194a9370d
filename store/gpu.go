package store

import (
	"context"
	"database/sql"
	"slices"
	"time"
)

// The states of a GPU. Only what is ok is offered.
const (
	GPUOK          = "ok"
	GPUWatch       = "watch"       // something is odd: finish what runs, start nothing new
	GPUFenced      = "fenced"      // its device reported a fault
	GPUQuarantined = "quarantined" // not proven clean after its last instance
	GPULost        = "lost"        // not found any more
)

// usable is the condition on a GPU g of a node n that is given out once nobody has it, unheld on one that nobody has: promises
// and reservations are looked at besides.
const (
	usable = "g.state = 'ok' AND n.state = 'up' AND n.service = 'open'"
	unheld = usable + " AND NOT EXISTS (SELECT 1 FROM instance_gpu u WHERE u.gpu_uuid = g.uuid AND u.released_at IS NULL)"
)

var gpuStates = []string{GPUOK, GPUWatch, GPUFenced, GPUQuarantined, GPULost}

// GPU is one physical device, named by its UUID.
type GPU struct {
	UUID, NodeID, NodeName, PoolID, Model, Vendor, PCIBusID, Driver string
	Index                                                           int // for show, and the order in which they are given out
	MemoryBytes                                                     int64
	PowerLimitMilliwatts                                            *int64 // nil: unknown
	Simulated                                                       bool
	Island                                                          string // of the node's GPUs, those with the same are joined by NVLink; "": to none, or not known
	NUMA                                                            string // the NUMA node of its PCIe root; "": not known
	State, StateReason                                              string
	StateSince, SeenAt                                              time.Time
	InstanceID, InstanceName, PersonName, TeamName                  string // who has it; "" when free
}

const gpuQuery = `SELECT g.uuid, g.node_id, n.name, g.pool_id, g.model, g.vendor, g.pci_bus_id, g.driver, g.idx, g.memory_bytes,
	g.power_limit_milliwatts, g.simulated, g.state, g.state_reason, g.state_since, g.seen_at, g.island, g.numa, i.id, i.name, p.name, t.name
	FROM gpu g JOIN node n ON n.id = g.node_id
	LEFT JOIN instance_gpu h ON h.gpu_uuid = g.uuid AND h.released_at IS NULL LEFT JOIN instance i ON i.id = h.instance_id
	LEFT JOIN person p ON p.id = i.person_id LEFT JOIN team t ON t.id = i.team_id `

func scanGPU(r scanner) (GPU, error) {
	var g GPU
	var since, seen int64
	var power sql.NullInt64
	var instance, name, person, team sql.NullString
	err := r.Scan(&g.UUID, &g.NodeID, &g.NodeName, &g.PoolID, &g.Model, &g.Vendor, &g.PCIBusID, &g.Driver, &g.Index, &g.MemoryBytes,
		&power, &g.Simulated, &g.State, &g.StateReason, &since, &seen, &g.Island, &g.NUMA, &instance, &name, &person, &team)
	if power.Valid {
		g.PowerLimitMilliwatts = &power.Int64
	}
	g.StateSince, g.SeenAt = fromMicros(since), fromMicros(seen)
	g.InstanceID, g.InstanceName, g.PersonName, g.TeamName = instance.String, name.String, person.String, team.String
	return g, err
}

// GPUs returns every GPU by node and index, the lost ones too.
func (s *Store) GPUs(ctx context.Context) (all []GPU, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanGPU, gpuQuery+"ORDER BY n.local DESC, n.name, g.idx, g.uuid")
		return err
	})
	return all, err
}

// GPU returns one GPU.
func (s *Store) GPU(ctx context.Context, uuid string) (g GPU, err error) {
	err = s.read(ctx, func(t *tx) error {
		g, err = t.gpu(uuid)
		return err
	})
	return g, err
}

func (t *tx) gpu(uuid string) (GPU, error) {
	g, err := scanGPU(t.row(gpuQuery+"WHERE g.uuid = ?", uuid))
	return g, orNotFound(err, "gpu", uuid)
}

// SetGPUState says that a GPU may be rented, or why not. The reason is a text for people, at most 2,000 characters. An
// instance that has it goes on.
func (s *Store) SetGPUState(ctx context.Context, uuid, state, reason string) error {
	if !slices.Contains(gpuStates, state) {
		return invalid("state", "state_unknown")
	}
	return s.write(ctx, func(t *tx) error {
		g, err := t.gpu(uuid)
		if err != nil || g.State == state && g.StateReason == reason {
			return err
		}
		if err := t.setGPUState(uuid, state, clipped(reason, detailMax)); err != nil {
			return err
		}
		return t.audit(AuditRecord{Action: "gpu_" + state, Target: uuid, Detail: reason})
	})
}

// setGPUState remembers what a GPU that gets lost was before: it comes back as that, not as good.
func (t *tx) setGPUState(uuid, state, reason string) error {
	_, err := t.exec(`UPDATE gpu SET state_since = CASE WHEN state = ?1 THEN state_since ELSE ?3 END, state_reason = ?2,
		lost_state = CASE WHEN ?1 = 'lost' THEN CASE WHEN state = 'lost' THEN lost_state ELSE state END END, state = ?1 WHERE uuid = ?4`,
		state, reason, micros(t.now), uuid)
	t.emit("gpu", uuid)
	if err != nil {
		return err
	}
	return t.tellFault(uuid, state, reason)
}
