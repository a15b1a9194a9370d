package store

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/idle"
	"github.com/meterhouse/meterhouse/store/meter"
)

// WasteRow is what a bill's time was for. Used and Known are GPU-less time: that of the instance, its GPUs on average.
type WasteRow struct {
	ID, Name               string // of an instance or a reservation; "" for fees and credits
	PersonID, PersonName   string
	Workload               string // by its label; "": it has none
	Simulated, Reservation bool
	Parts                  idle.Parts
	Known, Used            time.Duration
}

// WasteQuery asks what of the cost in [From, To) was for nothing: of a team or person, of all for "".
type WasteQuery struct {
	From, To         time.Time
	TeamID, PersonID string
}

// Waste returns every bill that cost something in a time, that with the most idle cost first. Together they are what Usage
// says of the same time, to the micro-unit: it is the same function of the same segments. What a reservation costs is unknown.
func (s *Store) Waste(ctx context.Context, q WasteQuery) (rows []WasteRow, err error) {
	err = s.read(ctx, func(t *tx) error {
		usage, err := t.usage(UsageQuery{From: q.From, To: q.To, GroupBy: "instance", TeamID: q.TeamID, PersonID: q.PersonID}, false)
		if err != nil {
			return err
		}
		cost, at := map[string]int64{}, map[string]int{}
		ids := make([]string, 0, len(usage))
		for k, u := range usage {
			ids, cost[u.Key], at[u.Key] = append(ids, u.Key), u.CostMicros, k
			rows = append(rows, WasteRow{ID: u.Key, Name: u.Name, Reservation: true, Parts: idle.Parts{Unknown: u.CostMicros}})
		}
		chosen, err := json.Marshal(ids)
		if err != nil {
			return err
		}
		did, err := t.activityOf(string(chosen), q.From, q.To)
		if err != nil {
			return err
		}
		all, err := t.instances(instanceQuery+"WHERE i.id IN (SELECT value FROM json_each(?))", string(chosen))
		if err != nil {
			return err
		}
		return t.eachWithSegments(all, func(i *Instance, segments []meter.Segment) error {
			row := &rows[at[i.ID]]
			row.Reservation, row.PersonID, row.PersonName, row.Simulated, row.Workload = false, i.PersonID, i.PersonName, i.Simulated, i.Labels["workload"]
			a := did[i.ID]
			row.Known, row.Used = a.Known, a.Used
			row.Parts = idle.Split(cost[i.ID], meter.Used(segments, q.From, q.To, t.now), a.Known, a.Used)
			return nil
		})
	})
	slices.SortFunc(rows, func(a, b WasteRow) int {
		return cmp.Or(cmp.Compare(b.Parts.Idle, a.Parts.Idle), cmp.Compare(b.Parts.Cost(), a.Parts.Cost()), cmp.Compare(a.ID, b.ID))
	})
	return rows, err
}

// activityOf sums up what instances did in a time.
func (t *tx) activityOf(ids string, from, to time.Time) (map[string]Activity, error) {
	all := map[string]Activity{}
	err := t.each(func(r scanner) error {
		var a Activity
		var known, used int64
		err := r.Scan(&a.InstanceID, &known, &used)
		a.Known, a.Used = microseconds(known), microseconds(used)
		all[a.InstanceID] = a
		return err
	}, "SELECT instance_id, sum(known), sum(used) FROM activity WHERE instance_id IN (SELECT value FROM json_each(?)) AND at >= ? AND at < ? GROUP BY instance_id", ids, micros(from), micros(to))
	return all, err
}
