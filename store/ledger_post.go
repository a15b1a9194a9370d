package store

import (
	"context"

	"github.com/meterhouse/meterhouse/store/budget"
)

// postDueBatch is how many bills one transaction books: a few milliseconds' worth, so that others are not held up.
const postDueBatch = 100

// PostDue books open bills up to each midnight of the site's zone that has passed (an instance's only as far as it is
// proven to have lived), and returns how many entries that took. Once a minute is often enough; again at once finds nothing.
func (s *Store) PostDue(ctx context.Context) (posted int, err error) {
	reservations, err := s.postAll(ctx, (*tx).dueReservations, (*tx).postReservation)
	if err != nil {
		return reservations, err
	}
	volumes, err := s.postAll(ctx, (*tx).dueVolumes, (*tx).postVolume)
	if err != nil {
		return reservations + volumes, err
	}
	instances, err := s.postAll(ctx, (*tx).postDue, (*tx).postInstance)
	return reservations + volumes + instances, err
}

// postAll books what is found due, a batch at a time, until nothing is.
func (s *Store) postAll(ctx context.Context, find func(*tx) ([]string, error), post func(*tx, string) (int, error)) (posted int, err error) {
	for {
		var due []string
		err := s.read(ctx, func(t *tx) error {
			due, err = find(t)
			return err
		})
		if err != nil || len(due) == 0 {
			return posted, err
		}
		batch := 0
		err = s.write(ctx, func(t *tx) error {
			batch = 0
			for _, id := range due {
				n, err := post(t, id)
				if err != nil {
					return err
				}
				batch += n
			}
			return nil
		})
		posted += batch
		if err != nil || len(due) < postDueBatch {
			return posted, err
		}
	}
}

// postDue returns instances with a midnight between what is booked and what is proven.
func (t *tx) postDue() ([]string, error) {
	zone, err := t.siteZone()
	if err != nil {
		return nil, err
	}
	midnight, err := t.lastMidnight()
	if err != nil {
		return nil, err
	}
	var due []string
	err = t.each(func(r scanner) error {
		var id string
		var booked, proof int64
		if err := r.Scan(&id, &booked, &proof); err != nil {
			return err
		}
		if len(due) < postDueBatch && !fromMicros(proof).Before(budget.NextMidnight(fromMicros(booked), zone)) {
			due = append(due, id)
		}
		return nil
	}, `SELECT id, booked_through, proof_at FROM instance WHERE ended_at IS NULL AND booked_through < ?1 AND proof_at > booked_through
		AND state IN ('running', 'suspended', 'reclaiming') ORDER BY seq`, micros(midnight))
	return due, err
}

func (t *tx) postInstance(id string) (posted int, err error) {
	i, err := t.instance(id)
	if err != nil || i.EndedAt != nil || i.bookedThrough == nil || i.ProofAt == nil {
		return 0, err
	}
	zone, err := t.siteZone()
	if err != nil {
		return 0, err
	}
	through, _ := budget.Day.Bounds(earlier(*i.ProofAt, t.now), zone)
	if !through.After(*i.bookedThrough) {
		return 0, nil
	}
	return t.counted("instance_id", id, func() error { return t.book(&i, through) })
}

// counted runs a booking and returns how many entries it added.
func (t *tx) counted(column, id string, run func() error) (int, error) {
	query := "SELECT count(*) FROM entry WHERE " + column + " = ?"
	before, err := t.number(query, id)
	if err != nil {
		return 0, err
	}
	if err := run(); err != nil {
		return 0, err
	}
	after, err := t.number(query, id)
	return int(after - before), err
}
