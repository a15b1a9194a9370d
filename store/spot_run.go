package store

import (
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/spot"
)

// SpotRun is what an instance has besides, because GPUs are taken back from spot instances: its notice, what follows from
// it, and the runs before and after.
type SpotRun struct {
	Requeue            bool       // back to the queue if it is reclaimed
	Run                int        // 1, and one more each time that it was reclaimed and queued again
	EarlierID, LaterID string     // the runs before and after; "": none
	NoticeAt           *time.Time // it is reclaimed: its last two minutes began
	ReclaimedFor       string     // the instance or reservation that needs its GPUs
	NeededBy           string     // "on_demand", "reserved": an instance of that kind; "reservation"; "maintenance" or "drain" of its node; "": it is not reclaimed
	ReclaimSteps       int        // that were taken: see store/spot
	Checkpoint         Checkpoint
	ListMicrosPerHour  int64      // of the plan on demand, when it was rented; 0: as its rate
	SavedMicros        *int64     // how much less than on demand it has cost by now; nil: no spot instance, or nothing yet
	ExpectedAt         *time.Time // while GPUs are being reclaimed for it: when it has them
}

// Checkpoint is the command that is run in an instance when it is given notice, and what became of it.
type Checkpoint struct {
	Command          string     // "": none
	BeganAt, EndedAt *time.Time // nil: not yet
	ExitCode         *int       // nil: not yet, or it could not be run
	Detail           string     // why it could not be run
}

// ReclaimsAt is when the last of it is ended; nil where no notice was given.
func (r *SpotRun) ReclaimsAt() *time.Time {
	if r.NoticeAt == nil {
		return nil
	}
	at := r.NoticeAt.Add(spot.Notice)
	return &at
}

// saved adds to spot instances how much less than on demand they have cost by now. What is free saved all of it.
func (t *tx) saved(all []Instance) error {
	at := map[string]int{}
	for k := range all {
		if i := &all[k]; i.Kind == Spot && i.StartedAt != nil && i.ListMicrosPerHour > 0 {
			at[i.ID] = k
		}
	}
	if len(at) == 0 {
		return nil
	}
	ids, err := json.Marshal(slices.Collect(maps.Keys(at)))
	if err != nil {
		return err
	}
	return t.each(func(r scanner) error {
		var id string
		var us int64
		if err := r.Scan(&id, &us); err != nil {
			return err
		}
		i := &all[at[id]]
		saved := spot.Saving(i.ListMicrosPerHour, time.Duration(us)*time.Microsecond, i.CostMicros)
		i.SavedMicros = &saved
		return nil
	}, `SELECT instance_id, sum(max(coalesce(to_at, ?1) - from_at, 0)) FROM segment
		WHERE billable = 1 AND instance_id IN (SELECT value FROM json_each(?2)) GROUP BY instance_id`, micros(t.now), string(ids))
}

// spotRunColumns are those of an instance named i. What is expected of others is known of those under notice, and of those
// that can't be given notice yet.
const spotRunColumns = `i.requeue, i.run, coalesce(i.earlier_id, ''), coalesce((SELECT l.id FROM instance l WHERE l.earlier_id = i.id), ''),
	i.notice_at, coalesce(i.reclaimed_for, ''),
	CASE WHEN i.reclaimed_for IS NULL THEN '' ELSE coalesce((SELECT f.kind FROM instance f WHERE f.id = i.reclaimed_for), CASE substr(i.reclaimed_for, 1, 2) WHEN 'm-' THEN 'maintenance' WHEN 'n-' THEN 'drain' ELSE 'reservation' END) END, i.reclaim_steps, coalesce(i.list_rate, 0),
	i.checkpoint_command, i.checkpoint_began, i.checkpoint_ended, i.checkpoint_exit, i.checkpoint_detail,
	CASE i.state WHEN 'queued' THEN (SELECT max(coalesce(v.notice_at, v.started_at + 900000000) + 120000000) FROM promise m
		JOIN instance_gpu h ON h.gpu_uuid = m.gpu_uuid AND h.released_at IS NULL JOIN instance v ON v.id = h.instance_id WHERE m.instance_id = i.id) END`

// A query is a constant and can't be made of these: this does not compile where they are other numbers than it has.
var (
	_ = [1]struct{}{}[spot.Safe/time.Microsecond-900000000]
	_ = [1]struct{}{}[spot.Notice/time.Microsecond-120000000]
)

// spotRow is what of them may be NULL.
type spotRow struct{ notice, began, ended, exit, expected sql.NullInt64 }

func (w *spotRow) into(r *SpotRun) {
	r.NoticeAt, r.ExpectedAt = timeOrNil(w.notice), timeOrNil(w.expected)
	r.Checkpoint.BeganAt, r.Checkpoint.EndedAt = timeOrNil(w.began), timeOrNil(w.ended)
	if w.exit.Valid {
		code := int(w.exit.Int64)
		r.Checkpoint.ExitCode = &code
	}
}
