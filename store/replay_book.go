package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/replay"
)

// DefaultPrice is what a GPU of a model costs an hour until an admin says otherwise, in micro-units.
func DefaultPrice(model string) int64 { return defaultPrice(model, false) }

// replayBatch is how many runs one commit carries.
const replayBatch = 2000

// ReplayLedger books the runs of a replay in a new store, as those of instances are booked. Add each run, then Close.
type ReplayLedger struct {
	s       *Store
	ctx     context.Context
	pool    replay.Pool
	runs    []replay.Run
	booked  int
	person  Person
	teams   map[string]string
	entered map[string]bool // nodes and plans that are there
}

// NewReplayLedger begins the ledger of a replay. Conflict where the store has instances already.
func (s *Store) NewReplayLedger(ctx context.Context, pool replay.Pool) (*ReplayLedger, error) {
	person, err := s.AddPerson(ctx, NewPerson{Name: "workload", Email: "workload@example.org", Team: "workload"})
	if err != nil {
		return nil, err
	}
	l := &ReplayLedger{s: s, ctx: ctx, pool: pool, person: person, teams: map[string]string{"": person.TeamID}, entered: map[string]bool{}}
	return l, s.write(ctx, func(t *tx) error {
		// What a commit carries stays in memory until then: it is written once.
		if _, err := t.exec("PRAGMA cache_size = -65536"); err != nil {
			return err
		}
		_, err := t.exec("INSERT INTO pool (id, model, simulated) VALUES ('replay', ?, 1)", pool.Model)
		return err
	})
}

// Add takes in a run that is over.
func (l *ReplayLedger) Add(r *replay.Run) error {
	l.runs = append(l.runs, *r)
	if len(l.runs) < replayBatch {
		return nil
	}
	return l.flush()
}

func (l *ReplayLedger) flush() error {
	err := l.s.write(l.ctx, func(t *tx) error {
		for k := range l.runs {
			if err := l.book(t, &l.runs[k], l.booked+k+1); err != nil {
				return err
			}
		}
		return nil
	})
	l.booked, l.runs = l.booked+len(l.runs), l.runs[:0]
	return err
}

// Close books what is left, folds every bill anew and returns what the ledger's postings say: revenue by kind, and the sum
// of all, which is 0.
func (l *ReplayLedger) Close() (revenue map[replay.Kind]int64, sum int64, err error) {
	if err := l.flush(); err != nil {
		return nil, 0, err
	}
	check, err := l.s.CheckLedger(l.ctx)
	if err != nil {
		return nil, 0, err
	}
	if !check.OK || check.Instances != l.booked {
		return nil, 0, fmt.Errorf("the ledger is wrong: %d of %d bills; %s", check.Instances, l.booked, check.FirstDifference)
	}
	revenue = map[replay.Kind]int64{}
	err = l.s.read(l.ctx, func(t *tx) error {
		for _, kind := range []replay.Kind{replay.OnDemand, replay.Spot} {
			if revenue[kind], err = t.number("SELECT -sum(amount) FROM posting WHERE account = ?", "revenue:"+string(kind)); err != nil {
				return err
			}
		}
		sum, err = t.ledgerSum()
		return err
	})
	return revenue, sum, err
}

// book writes one run as an instance that began, ran and ended.
func (l *ReplayLedger) book(t *tx, r *replay.Run, number int) error {
	plan, team, err := l.enter(t, r)
	if err != nil {
		return err
	}
	i := Instance{ID: fmt.Sprintf("i-%07d", number), Name: r.Task.Name, State: life.Starting, Kind: InstanceKind(r.Task.Kind), GPUModel: l.pool.Model,
		GPUCount: r.Task.GPUs, share: r.Task.Milli, TeamID: team, PersonID: l.person.ID, RateMicrosPerHour: r.RateMicrosPerHour,
		StartedAt: &r.Start, EndedAt: &r.End, bookedThrough: &r.Start, StopReason: "command_ended"}
	if r.Reclaimed {
		i.StopReason, i.NoticeAt = "reclaimed", &r.Notice
	}
	labels, err := json.Marshal(map[string]string{"milli": strconv.Itoa(r.Task.Milli)})
	if err != nil {
		return err
	}
	_, err = t.exec(`INSERT INTO instance (id, name, state, kind, plan_id, pool_id, gpu_model, gpu_count, simulated, node_id, team_id, person_id, image, command,
		argv, labels, wanted_gpus, cpu_millis, memory_bytes, pids, disk_bytes, rate, requeue, request_hash, requested_at, started_at, proof_at, ended_at,
		stop_reason, notice_at, booked_through)
		VALUES (?, ?, 'starting', ?, ?, 'replay', ?, ?, 1, ?, ?, ?, '', '', '[]', ?, '[]', 1, 1, 1, 1, ?, 1, x'', ?, ?, ?, ?, ?, ?, ?)`,
		i.ID, i.Name, string(i.Kind), plan, i.GPUModel, i.GPUCount, r.Node, team, i.PersonID, string(labels), i.RateMicrosPerHour,
		micros(r.Asked), micros(r.Start), micros(r.End), micros(r.End), i.StopReason, microsOrNull(i.NoticeAt), micros(r.Start))
	if err != nil {
		return err
	}
	for _, g := range r.Segments() {
		if _, err := t.exec("INSERT INTO segment (instance_id, state, billable, rate, from_at, to_at) VALUES (?, ?, 1, ?, ?, ?)",
			i.ID, string(g.State), g.RateMicrosPerHour, micros(g.From), micros(*g.To)); err != nil {
			return err
		}
	}
	for _, state := range []life.State{life.Running, life.Stopping, life.Stopped} {
		if _, err := t.exec("UPDATE instance SET state = ? WHERE id = ?", string(state), i.ID); err != nil {
			return err
		}
	}
	err = t.bookEnd(&i)
	t.events = t.events[:0] // nobody listens
	return err
}

// enter makes the node, the plan and the team of a run where they are not there yet.
func (l *ReplayLedger) enter(t *tx, r *replay.Run) (plan, team string, err error) {
	if !l.entered[r.Node] {
		if _, err := t.exec("INSERT INTO node (id, name, local, state, executor, seen_at, created_at) VALUES (?1, ?1, 0, 'lost', 'replay', ?2, ?2)", r.Node, micros(t.now)); err != nil {
			return "", "", err
		}
		l.entered[r.Node] = true
	}
	plan = "replay-x" + strconv.Itoa(r.Task.GPUs)
	if !l.entered[plan] {
		if _, err := t.exec("INSERT INTO plan (id, pool_id, gpu_count, cpu_millis, memory_bytes, pids, disk_bytes) VALUES (?, 'replay', ?, 1, 1, 1, 1)", plan, r.Task.GPUs); err != nil {
			return "", "", err
		}
		l.entered[plan] = true
	}
	if l.teams[r.Task.Team] == "" {
		made, err := t.ensureTeam(r.Task.Team)
		if err != nil {
			return "", "", err
		}
		l.teams[r.Task.Team] = made.ID
	}
	return plan, l.teams[r.Task.Team], nil
}

// SameRevenue says where the ledger's revenue differs from what the runs were billed.
func SameRevenue(ledger, billed map[replay.Kind]int64) error {
	kinds := []replay.Kind{replay.OnDemand, replay.Spot}
	if k := slices.IndexFunc(kinds, func(kind replay.Kind) bool { return ledger[kind] != billed[kind] }); k >= 0 {
		return fmt.Errorf("%s: the ledger has %d, the bills come to %d", kinds[k], ledger[kinds[k]], billed[kinds[k]])
	}
	return nil
}
