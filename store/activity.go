package store

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store/idle"
)

// activityDays is how long what instances did is kept: as far back as the page of waste looks, and a day.
const activityDays = 31

// Activity is what an instance did in some time that lies in the five minutes that begin at At: it is added to what is known
// of them.
type Activity struct {
	InstanceID string
	At         time.Time
	Known      time.Duration // in which all that follows was known
	Busy       time.Duration // of Known, in which the busiest of its GPUs was active
	Used       time.Duration // in which its GPUs were, on average
	CPU        time.Duration // time of processors
	Memory     int64         // bytes, the most that its GPUs held
}

// AddActivity adds to what is known of instances' activity, in one write, and deletes what is old. What an instance did that
// is not there is left out.
func (s *Store) AddActivity(ctx context.Context, all []Activity) error {
	if len(all) == 0 {
		return nil
	}
	return s.write(ctx, func(t *tx) error {
		for _, a := range all {
			if _, err := t.exec(`INSERT INTO activity (instance_id, at, known, busy, used, cpu, memory) SELECT id, ?2, ?3, ?4, ?5, ?6, ?7 FROM instance WHERE id = ?1
				ON CONFLICT DO UPDATE SET known = min(300000000, known + excluded.known), busy = min(300000000, known + excluded.known, busy + excluded.busy),
				used = min(300000000, known + excluded.known, busy + excluded.busy, used + excluded.used), cpu = cpu + excluded.cpu, memory = max(memory, excluded.memory)`,
				a.InstanceID, micros(a.At), a.Known.Microseconds(), a.Busy.Microseconds(), a.Used.Microseconds(), a.CPU.Microseconds(), a.Memory); err != nil {
				return err
			}
		}
		_, err := t.exec("DELETE FROM activity WHERE at < ?", micros(t.now.AddDate(0, 0, -activityDays)))
		return err
	})
}

// samples returns what an instance did since a moment, in order.
func (t *tx) samples(id string, since time.Time) ([]idle.Sample, error) {
	return list(t, func(r scanner) (s idle.Sample, err error) {
		var at, known, busy, cpu int64
		err = r.Scan(&at, &known, &busy, &cpu, &s.Memory)
		s.From, s.Known, s.Busy, s.CPU = fromMicros(at), microseconds(known), microseconds(busy), microseconds(cpu)
		return s, err
	}, "SELECT at, known, busy, cpu, memory FROM activity WHERE instance_id = ? AND at >= ? ORDER BY at", id, micros(since.Add(-idle.Span)))
}

func microseconds(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
