package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/meterhouse/meterhouse/store/meter"
)

// CheckResult is what comparing every bill with its postings found.
type CheckResult struct {
	Instances       int    // compared
	Reservations    int    // compared
	Volumes         int    // compared
	FirstDifference string // in words; "" where there is none
	OK              bool

	progress func(done, total int64) error
	total    int64
}

// errDifference ends a check that has found its first difference.
var errDifference = errors.New("difference")

// LedgerSum adds all postings up: zero, or something is very wrong.
func (s *Store) LedgerSum(ctx context.Context) (sum int64, err error) {
	err = s.read(ctx, func(t *tx) error {
		sum, err = t.ledgerSum()
		return err
	})
	return sum, err
}

func (t *tx) ledgerSum() (int64, error) { return t.number("SELECT sum(amount) FROM posting") }

// CheckLedger folds every bill anew and compares it with its postings (equal to the micro-unit for what ended, and equal
// through what is booked for what goes on), and the totals a day with the entries that they are the sum of.
func (s *Store) CheckLedger(ctx context.Context) (result CheckResult, err error) {
	return s.CheckLedgerWith(ctx, func(int64, int64) error { return nil })
}

// CheckLedgerWith is CheckLedger for who wants to know how far it is: progress is told, bill by bill, and ends it by an error.
func (s *Store) CheckLedgerWith(ctx context.Context, progress func(done, total int64) error) (result CheckResult, err error) {
	result.progress = progress
	err = s.read(ctx, func(t *tx) error {
		if result.total, err = t.number("SELECT (SELECT count(*) FROM instance WHERE started_at IS NOT NULL) + (SELECT count(*) FROM reservation WHERE booked_through IS NOT NULL) + (SELECT count(*) FROM volume WHERE booked_through IS NOT NULL)"); err != nil {
			return err
		}
		for _, check := range []func(*CheckResult) error{t.checkSum, t.checkInstances, t.checkReservations, t.checkVolumes, t.checkTotals} {
			if err := check(&result); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errDifference) {
		return result, nil
	}
	result.OK = err == nil
	return result, err
}

func (r *CheckResult) differs(format string, args ...any) error {
	r.FirstDifference = fmt.Sprintf(format, args...)
	return errDifference
}

func (t *tx) checkSum(result *CheckResult) error {
	sum, err := t.ledgerSum()
	if err != nil || sum == 0 {
		return err
	}
	return result.differs("the ledger sums to %d", sum)
}

// booked returns what the ledger holds of every bill, by what it is for: fees, refunds, credits and what was put right by hand
// are no part of the fold.
func (t *tx) booked(column string) (map[string]int64, error) {
	postings := map[string]int64{}
	err := t.each(func(r scanner) error {
		var id string
		var amount int64
		err := r.Scan(&id, &amount)
		postings[id] = amount
		return err
	}, "SELECT e."+column+", sum(p.amount) FROM entry e JOIN posting p ON p.entry_id = e.id WHERE e."+column+
		" IS NOT NULL AND "+folded+" AND p.account = 'team:' || e.team_id GROUP BY 1")
	return postings, err
}

func (t *tx) checkInstances(result *CheckResult) error {
	postings, err := t.booked("instance_id")
	if err != nil {
		return err
	}
	all, err := list(t, scanInstance, instanceQuery+"WHERE i.started_at IS NOT NULL ORDER BY i.seq")
	if err != nil {
		return err
	}
	return t.eachWithSegments(all, func(i *Instance, segments []meter.Segment) error {
		result.Instances++
		return result.compare("instance", i.billed(), segments, postings)
	})
}

func (t *tx) checkReservations(result *CheckResult) error {
	postings, err := t.booked("reservation_id")
	if err != nil {
		return err
	}
	all, err := list(t, scanReservation, reservationQuery+"WHERE r.booked_through IS NOT NULL ORDER BY r.seq")
	if err != nil {
		return err
	}
	for k := range all {
		result.Reservations++
		b := all[k].billed()
		segments, err := t.segmentsOfBilled(b)
		if err != nil {
			return err
		}
		if err := result.compare("reservation", b, segments, postings); err != nil {
			return err
		}
	}
	return nil
}

// compare holds a bill against its postings.
func (r *CheckResult) compare(what string, b *billed, segments []meter.Segment, postings map[string]int64) error {
	if err := r.progress(int64(r.Instances+r.Reservations+r.Volumes), r.total); err != nil {
		return err
	}
	bill := meter.Cost(segments, b.terms, b.bookedThrough, b.bookedThrough)
	if bill == b.bookedMicros && postings[b.id()] == bill {
		return nil
	}
	return r.differs("%s %s: its bill is %d, its postings %d, noted as booked %d", what, b.id(), bill, postings[b.id()], b.bookedMicros)
}

// totals are the tables of totals a day, each with the fold that it must equal.
var totals = []struct{ table, kept, folded string }{
	{"cost_day", "SELECT day || ' ' || team_id || ' ' || person_id || ' ' || item || ' ' || gpu_model AS k, amount, gpu_micros FROM cost_day",
		"SELECT e.day || ' ' || e.team_id || ' ' || e.person_id || ' ' || e.item || ' ' || e.gpu_model AS k, sum(p.amount), sum(e.gpu_micros) FROM " + teamSide + " GROUP BY 1"},
	{"cost_team_day", "SELECT team_id || ' ' || day AS k, amount, 0 FROM cost_team_day",
		"SELECT e.team_id || ' ' || e.day AS k, sum(p.amount), 0 FROM " + teamSide + " GROUP BY 1"},
	{"cost_member_day", "SELECT team_id || ' ' || person_id || ' ' || day AS k, amount, 0 FROM cost_member_day",
		"SELECT e.team_id || ' ' || e.person_id || ' ' || e.day AS k, sum(p.amount), 0 FROM " + teamSide + " GROUP BY 1"},
	{"cost_label_day", "SELECT team_id || ' ' || day || ' ' || key || '=' || value AS k, amount, gpu_micros FROM cost_label_day",
		"SELECT e.team_id || ' ' || e.day || ' ' || l.key || '=' || l.value AS k, sum(p.amount), sum(e.gpu_micros) FROM " + teamSide + " JOIN instance_label l ON l.instance_id = e.instance_id GROUP BY 1"},
}

// folded is what of the ledger a bill's segments say.
const folded = "e.kind NOT IN ('fee', 'refund', 'credit') AND e.corrects_id IS NULL"

// teamSide is every entry with what the team owes by it.
const teamSide = "entry e JOIN posting p ON p.entry_id = e.id AND p.account = 'team:' || e.team_id"

func (t *tx) checkTotals(result *CheckResult) error {
	for _, total := range totals {
		for _, side := range []string{total.kept + " EXCEPT " + total.folded, total.folded + " EXCEPT " + total.kept} {
			different, err := list(t, func(r scanner) (string, error) {
				var key string
				var amount, gpuMicros int64
				err := r.Scan(&key, &amount, &gpuMicros)
				return fmt.Sprintf("%s: %d (%d)", key, amount, gpuMicros), err
			}, side)
			if err != nil {
				return err
			}
			if len(different) > 0 {
				return result.differs("%s differs from its entries at %s", total.table, different[0])
			}
		}
	}
	return nil
}
