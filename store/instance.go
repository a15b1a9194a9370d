package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/meter"
)

// State is where an instance stands: see store/life.
type State = life.State

// InstanceKind is how an instance is rented.
type InstanceKind string

// The kinds.
const (
	OnDemand InstanceKind = "on_demand"
	Reserved InstanceKind = "reserved"
	Spot     InstanceKind = "spot"
)

// OfferedKinds are the kinds that can be rented, the usual one first. The command line names no other.
var OfferedKinds = []InstanceKind{OnDemand, Reserved, Spot}

// stopGrace is how long what runs in an instance has to end by itself after SIGTERM.
const stopGrace = 10 * time.Second

// Instance is what a person rents.
type Instance struct {
	ID, Name                                string
	State                                   life.State
	Kind                                    InstanceKind
	PlanID, GPUModel                        string
	GPUCount                                int
	GPUs                                    []string // UUIDs, by index; of an ended one: those it had
	NodeID, NodeName                        string   // "" while queued
	WantedNode                              string   // the id of the node that was asked for; "": any
	TeamID, TeamName, PersonID, PersonName  string
	Simulated                               bool
	Image, Command                          string
	Argv                                    []string // instead of Command where not empty
	Labels                                  map[string]string
	CPUMillis, MemoryBytes, Pids, DiskBytes int64
	RateMicrosPerHour                       int64 // locked when it was rented
	DiscountPPM                             int64 // what the team pays less than ListMicrosPerHour, in parts per million; of spot 0
	RequestedAt                             time.Time
	StartedAt                               *time.Time // became healthy: billed from here
	EndsAt                                  *time.Time // nil: no hard end
	EndsBecause                             string     // what sets it: "" as asked for, "reservation" (somebody's begins), "reservation_ends" (its own is over), "maintenance" or "drain" (of its node)
	StopRequestedAt, EndedAt                *time.Time // EndedAt: billed up to here
	ProofAt                                 *time.Time // last proof of life
	StopReason                              string     // key: by_person, hard_end, command_ended, node_lost, start_failed, …
	ExitCode                                *int
	ExitDetail                              string
	CostMicros                              int64 // as of now, open time included
	BenchmarkID                             string
	ReservationID                           string // whose GPUs it uses, at no cost of its own
	QueuePlace                              int    // from 1 while queued, else 0
	Grace                                   time.Duration
	Port                                    int // that browsers are passed on to; 0: none
	SpotRun

	seq           int64
	poolID        string
	hostFault     bool
	endedBadly    bool
	share         int    // thousandths of each GPU that it has; 0: the whole
	duration      *int64 // microseconds
	wanted        []string
	bookedMicros  int64
	bookedThrough *time.Time
}

const instanceQuery = `SELECT i.seq, i.id, i.name, i.state, i.kind, i.plan_id, coalesce(i.pool_id, ''), i.gpu_model, i.gpu_count,
	coalesce((SELECT group_concat(printf('%04d %s', g.idx, g.uuid), char(10)) FROM instance_gpu h JOIN gpu g ON g.uuid = h.gpu_uuid WHERE h.instance_id = i.id), ''),
	coalesce(i.node_id, ''), coalesce(n.name, ''), i.team_id, t.name, i.person_id, p.name, i.simulated, i.image, i.command, i.argv, i.labels, i.wanted_gpus,
	i.cpu_millis, i.memory_bytes, i.pids, i.disk_bytes, i.rate, i.duration, i.requested_at, i.started_at, i.ends_at, i.proof_at, i.stop_requested_at, i.ended_at,
	i.stop_reason, i.exit_code, i.exit_detail, i.ended_badly, i.host_fault, coalesce(i.benchmark_id, ''), coalesce(i.reservation_id, ''), i.ends_because, i.booked_micros, i.booked_through,
	i.discount_ppm, coalesce(i.wanted_node, ''), i.port, ` + spotRunColumns + `
	FROM instance i JOIN team t ON t.id = i.team_id JOIN person p ON p.id = i.person_id LEFT JOIN node n ON n.id = i.node_id `

func scanInstance(r scanner) (Instance, error) {
	i := Instance{Grace: stopGrace}
	var gpus, argv, labels, wanted string
	var requested int64
	var started, ends, proof, stop, ended, booked, exit, duration sql.NullInt64
	var w spotRow
	err := r.Scan(&i.seq, &i.ID, &i.Name, &i.State, &i.Kind, &i.PlanID, &i.poolID, &i.GPUModel, &i.GPUCount, &gpus, &i.NodeID, &i.NodeName,
		&i.TeamID, &i.TeamName, &i.PersonID, &i.PersonName, &i.Simulated, &i.Image, &i.Command, &argv, &labels, &wanted,
		&i.CPUMillis, &i.MemoryBytes, &i.Pids, &i.DiskBytes, &i.RateMicrosPerHour, &duration, &requested, &started, &ends, &proof, &stop, &ended,
		&i.StopReason, &exit, &i.ExitDetail, &i.endedBadly, &i.hostFault, &i.BenchmarkID, &i.ReservationID, &i.EndsBecause, &i.bookedMicros, &booked,
		&i.DiscountPPM, &i.WantedNode, &i.Port, &i.Requeue, &i.Run, &i.EarlierID, &i.LaterID, &w.notice, &i.ReclaimedFor, &i.NeededBy, &i.ReclaimSteps, &i.ListMicrosPerHour,
		&i.Checkpoint.Command, &w.began, &w.ended, &w.exit, &i.Checkpoint.Detail, &w.expected)
	if err != nil {
		return i, err
	}
	i.GPUs, i.RequestedAt = inOrder(gpus), fromMicros(requested)
	i.StartedAt, i.EndsAt, i.ProofAt = timeOrNil(started), timeOrNil(ends), timeOrNil(proof)
	i.StopRequestedAt, i.EndedAt, i.bookedThrough = timeOrNil(stop), timeOrNil(ended), timeOrNil(booked)
	w.into(&i.SpotRun)
	if exit.Valid {
		code := int(exit.Int64)
		i.ExitCode = &code
	}
	if duration.Valid {
		i.duration = &duration.Int64
	}
	i.CostMicros = i.bookedMicros
	for text, into := range map[string]any{argv: &i.Argv, labels: &i.Labels, wanted: &i.wanted} {
		if text == "[]" || text == "{}" {
			continue
		}
		if err := json.Unmarshal([]byte(text), into); err != nil {
			return i, err
		}
	}
	return i, nil
}

// inOrder takes lines of an index and a UUID apart.
func inOrder(gpus string) []string {
	if gpus == "" {
		return nil
	}
	lines := strings.Split(gpus, "\n")
	slices.Sort(lines)
	for k, line := range lines {
		_, lines[k], _ = strings.Cut(line, " ")
	}
	return lines
}

// Instance returns one instance.
func (s *Store) Instance(ctx context.Context, id string) (i Instance, err error) {
	err = s.read(ctx, func(t *tx) error {
		i, err = t.instance(id)
		return err
	})
	return i, err
}

func (t *tx) instance(id string) (Instance, error) {
	all, err := t.instances(instanceQuery+"WHERE i.id = ?", id)
	if err != nil {
		return Instance{}, err
	}
	if len(all) == 0 {
		return Instance{}, notFound("instance", id)
	}
	return all[0], nil
}

// instances runs a query that begins with instanceQuery and adds what open time costs by now.
func (t *tx) instances(query string, args ...any) ([]Instance, error) {
	all, err := list(t, scanInstance, query, args...)
	if err != nil {
		return nil, err
	}
	if err := t.placesInQueue(all); err != nil {
		return nil, err
	}
	var open []string
	for _, i := range all {
		if i.StartedAt != nil && i.EndedAt == nil {
			open = append(open, i.ID)
		}
	}
	if len(open) == 0 {
		return all, t.saved(all)
	}
	segments, err := t.segmentsOf(open)
	if err != nil {
		return nil, err
	}
	for k := range all {
		if i := &all[k]; i.StartedAt != nil && i.EndedAt == nil {
			i.CostMicros = meter.Total(segments[i.ID], i.terms(), t.now)
		}
	}
	return all, t.saved(all)
}

// terms are what the instance's bill depends on besides its segments.
func (i *Instance) terms() meter.Terms {
	return meter.Terms{RateMicrosPerHour: i.RateMicrosPerHour, StartedAt: i.StartedAt, EndedAt: i.EndedAt, HostFault: i.hostFault,
		ReclaimedAt: i.NoticeAt}
}

// mayAct refuses who may not change an instance: its own person may, a manager of its team and an admin. "" is the console.
func (t *tx) mayAct(by string, i *Instance) error {
	if by == "" {
		return nil
	}
	role, err := t.roleIn(by, i.TeamID)
	switch {
	case err != nil || role.Acts(by == i.PersonID):
		return err
	case !role.Sees():
		return notFound("instance", i.ID) // another team's: not even that it exists
	}
	return &Error{Kind: Forbidden, Message: "not_your_instance"}
}
