package store

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store/idle"
	"github.com/meterhouse/meterhouse/store/meter"
)

// idleDays is how far back what the rules would have done is worked out.
const idleDays = 7

// IdleWould is a stop that settings would have made.
type IdleWould struct {
	InstanceID, Name, PersonName, TeamName string
	idle.Would
	SavedMicros int64 // what it cost from then until it worked again or ended, by its bill
}

// IdleDryRun returns the stops that settings would have made in the last 7 days, had nobody kept anything, in the order of
// instances; Invalid as SetIdle. What each would have saved is a part of its bill: the rest of that time of being idle, and no more.
func (s *Store) IdleDryRun(ctx context.Context, set idle.Settings) (all []IdleWould, err error) {
	if err := checkIdle(set); err != nil {
		return nil, err
	}
	err = s.read(ctx, func(t *tx) error {
		from := t.now.AddDate(0, 0, -idleDays)
		ran, err := t.instances(instanceQuery+`WHERE i.started_at IS NOT NULL AND i.gpu_count > 0 AND (i.ended_at IS NULL OR i.ended_at > ?1)
			AND EXISTS (SELECT 1 FROM activity a WHERE a.instance_id = i.id AND a.at >= ?1) ORDER BY i.seq`, micros(from))
		if err != nil {
			return err
		}
		return t.eachWithSegments(ran, func(i *Instance, segments []meter.Segment) error {
			would, err := t.idleWould(i, segments, set, from)
			all = append(all, would...)
			return err
		})
	})
	return all, err
}

func (t *tx) idleWould(i *Instance, segments []meter.Segment, set idle.Settings, from time.Time) (all []IdleWould, err error) {
	about, err := t.idleInstance(i)
	if err != nil {
		return nil, err
	}
	samples, err := t.samples(i.ID, from)
	if err != nil {
		return nil, err
	}
	for _, w := range set.Replay(samples, about) {
		w.Until = earlier(w.Until, t.now)
		if i.EndedAt != nil {
			w.Until = earlier(w.Until, *i.EndedAt)
		}
		if !w.At.Before(w.Until) {
			continue
		}
		saved := meter.Cost(segments, i.terms(), w.Until, t.now) - meter.Cost(segments, i.terms(), w.At, t.now)
		all = append(all, IdleWould{i.ID, i.Name, i.PersonName, i.TeamName, w, saved})
	}
	return all, nil
}
