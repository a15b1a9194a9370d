package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/meter"
)

// book brings the ledger up to what an instance costs through a moment, with an entry a day of the site's zone. Each entry
// is the difference to what is booked already, so that rounding never drifts.
func (t *tx) book(i *Instance, through time.Time) error {
	if i.StartedAt == nil || i.bookedThrough == nil {
		return nil
	}
	segments, err := t.segments(i.ID)
	if err != nil {
		return err
	}
	zone, err := t.siteZone()
	if err != nil {
		return err
	}
	open := i.terms()
	open.EndedAt = nil // the minimum has an entry of its own
	for m := budget.NextMidnight(*i.bookedThrough, zone); m.Before(through); m = budget.NextMidnight(m, zone) {
		if err := t.bookDifference(i, meter.Cost(segments, open, m, m), m, "usage"); err != nil {
			return err
		}
	}
	return t.bookDifference(i, meter.Cost(segments, open, through, through), through, "usage")
}

// bookEnd books the last use and then what the end adds: what is missing to the minimum, or what is waived.
func (t *tx) bookEnd(i *Instance) error {
	if i.StartedAt == nil || i.EndedAt == nil {
		return nil
	}
	if err := t.book(i, *i.EndedAt); err != nil {
		return err
	}
	segments, err := t.segments(i.ID)
	if err != nil {
		return err
	}
	total := meter.Cost(segments, i.terms(), *i.EndedAt, *i.EndedAt)
	kind := "minimum"
	if total < i.bookedMicros {
		kind = "waiver"
	}
	return t.bookDifference(i, total, *i.EndedAt, kind)
}

// bookDifference adds the entry that makes the booked amount be total, unless it is that already. What was booked beyond
// through, before it was known that use ended there, is taken back by a correction.
func (t *tx) bookDifference(i *Instance, total int64, through time.Time, kind string) error {
	from, to := *i.bookedThrough, through
	if to.Before(from) {
		from, to = to, from
	}
	amount := total - i.bookedMicros
	if amount < 0 && kind == "usage" {
		kind = "correction"
	}
	if amount != 0 {
		if err := t.entry(i, kind, from, to, amount); err != nil {
			return err
		}
	}
	i.bookedMicros, i.bookedThrough = total, &through
	_, err := t.exec("UPDATE instance SET booked_micros = ?, booked_through = ? WHERE id = ?", total, micros(through), i.ID)
	return err
}

// entry writes one double entry: the team owes, the site has earned. Its key counts the instance's entries, so that two
// bookings made of the same state can't both happen.
func (t *tx) entry(i *Instance, kind string, from, to time.Time, amount int64) error {
	id, err := t.number("SELECT 1 + coalesce(max(id), 0) FROM entry")
	if err != nil {
		return err
	}
	n, err := t.number("SELECT count(*) FROM entry WHERE instance_id = ?", i.ID)
	if err != nil {
		return err
	}
	for account, side := range map[string]int64{"team:" + i.TeamID: amount, "revenue:" + string(i.Kind): -amount} {
		if _, err := t.exec("INSERT INTO posting (entry_id, account, amount) VALUES (?, ?, ?)", id, account, side); err != nil {
			return err
		}
	}
	_, err = t.exec("INSERT INTO entry (id, key, kind, instance_id, team_id, at, from_at, to_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		id, fmt.Sprintf("%s:%d", i.ID, n+1), kind, i.ID, i.TeamID, micros(t.now), micros(from), micros(to))
	t.emit("ledger", i.ID)
	return err
}

// postDueBatch is how many instances one transaction books: a few milliseconds' worth, so that others are not held up.
const postDueBatch = 100

// PostDue books open segments up to each midnight of the site's zone that has passed and up to which the instance is
// proven to have lived, and returns how many entries that took. Once a minute is often enough; again at once finds nothing.
func (s *Store) PostDue(ctx context.Context) (posted int, err error) {
	for {
		var due []string
		err := s.read(ctx, func(t *tx) error {
			due, err = t.postDue()
			return err
		})
		if err != nil || len(due) == 0 {
			return posted, err
		}
		batch := 0
		err = s.write(ctx, func(t *tx) error {
			batch = 0
			for _, id := range due {
				n, err := t.postInstance(id)
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
	midnight, _ := budget.Day.Bounds(t.now, zone)
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
	before, err := t.number("SELECT count(*) FROM entry WHERE instance_id = ?", id)
	if err != nil {
		return 0, err
	}
	if err := t.book(&i, through); err != nil {
		return 0, err
	}
	after, err := t.number("SELECT count(*) FROM entry WHERE instance_id = ?", id)
	return int(after - before), err
}

// LedgerSum adds all postings up: zero, or something is very wrong.
func (s *Store) LedgerSum(ctx context.Context) (sum int64, err error) {
	err = s.read(ctx, func(t *tx) error {
		sum, err = t.number("SELECT sum(amount) FROM posting")
		return err
	})
	return sum, err
}

// billBatch is how many instances' segments are held in memory at once.
const billBatch = 1000

// CheckLedger folds every instance's bill anew and compares it with its postings: equal to the micro-unit for what ended,
// and equal through what is booked for what goes on.
func (s *Store) CheckLedger(ctx context.Context) (result CheckResult, err error) {
	errDifference := errors.New("difference")
	err = s.read(ctx, func(t *tx) error {
		postings, err := t.bookedByInstance()
		if err != nil {
			return err
		}
		all, err := list(t, scanInstance, instanceQuery+"WHERE i.started_at IS NOT NULL ORDER BY i.seq")
		if err != nil {
			return err
		}
		sum, err := t.number("SELECT sum(amount) FROM posting")
		if err != nil {
			return err
		}
		if sum != 0 {
			result.FirstDifference = fmt.Sprintf("the ledger sums to %d", sum)
			return errDifference
		}
		for some := range slices.Chunk(all, billBatch) {
			if err := t.checkBills(some, postings, &result); err != nil {
				return err
			}
		}
		return nil
	})
	if result.FirstDifference != "" {
		return result, nil
	}
	result.OK = err == nil
	return result, err
}

func (t *tx) bookedByInstance() (map[string]int64, error) {
	postings := map[string]int64{}
	err := t.each(func(r scanner) error {
		var id string
		var amount int64
		err := r.Scan(&id, &amount)
		postings[id] = amount
		return err
	}, "SELECT e.instance_id, sum(p.amount) FROM entry e JOIN posting p ON p.entry_id = e.id WHERE p.account = 'team:' || e.team_id GROUP BY e.instance_id")
	return postings, err
}

func (t *tx) checkBills(some []Instance, postings map[string]int64, result *CheckResult) error {
	ids := make([]string, len(some))
	for k, i := range some {
		ids[k] = i.ID
	}
	segments, err := t.segmentsOf(ids)
	if err != nil {
		return err
	}
	for _, i := range some {
		result.Instances++
		bill := meter.Cost(segments[i.ID], i.terms(), *i.bookedThrough, *i.bookedThrough)
		if bill != i.bookedMicros || postings[i.ID] != bill {
			result.FirstDifference = fmt.Sprintf("instance %s: its bill is %d, its postings %d, noted as booked %d", i.ID, bill, postings[i.ID], i.bookedMicros)
			return errors.New(result.FirstDifference)
		}
	}
	return nil
}
