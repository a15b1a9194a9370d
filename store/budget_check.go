package store

import (
	"context"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
)

// periodsBack bounds how many past periods a check looks at after a time in which nobody looked: two months of days.
const periodsBack = 62

// What a threshold is held against.
const (
	fireActual   = "actual"
	fireForecast = "forecast"
)

// crossing is a threshold found crossed that has not fired yet.
type crossing struct {
	budget     Budget
	kind       string
	start, end time.Time
	threshold  int
	spent      int64 // or expected
}

// CheckBudgets fires every threshold that is crossed, each once a budget's version, period and kind, with its mail in the
// same transaction; it tells of what will be stopped and stops it when the notice is over. It returns how many thresholds
// fired. After a time in which nobody looked it finds what was crossed in periods that are over.
func (s *Store) CheckBudgets(ctx context.Context) (fired int, err error) {
	var found []crossing
	var stale, stops []string
	err = s.read(ctx, func(t *tx) error {
		all, err := t.budgets("")
		if err != nil {
			return err
		}
		spent, err := t.spending()
		if err != nil {
			return err
		}
		for k := range all {
			b := &all[k]
			crossed, err := spent.crossings(b)
			if err != nil {
				return err
			}
			found = append(found, crossed...)
			if start, _ := b.bounds(t.now, spent.zone); b.checkedAt.Before(start) {
				stale = append(stale, b.ID)
			}
			if due, err := spent.stopDue(b); err != nil {
				return err
			} else if due != stopNothing {
				stops = append(stops, b.ID)
			}
		}
		return nil
	})
	if err != nil || len(found)+len(stale)+len(stops) == 0 {
		return 0, err
	}
	err = s.write(ctx, func(t *tx) error {
		fired = 0
		for k := range found {
			ok, err := t.fire(&found[k])
			if err != nil {
				return err
			}
			if ok {
				fired++
			}
		}
		for _, id := range stops {
			if err := t.tendStop(id); err != nil {
				return err
			}
		}
		for _, id := range stale {
			if _, err := t.exec("UPDATE budget SET checked_at = max(checked_at, ?) WHERE id = ?", micros(t.now), id); err != nil {
				return err
			}
		}
		return nil
	})
	return fired, err
}

// crossings finds what is to be told of a budget now.
func (s *spending) crossings(b *Budget) ([]crossing, error) {
	look := s.crossedPeriods
	if b.rolls() {
		look = s.crossedRolling
	}
	found, err := look(b)
	if err != nil {
		return nil, err
	}
	expected, err := s.crossedForecast(b)
	return append(found, expected...), err
}

// crossedPeriods looks at the period that runs, the one before (a correction may still cross something there) and all since
// the last look.
func (s *spending) crossedPeriods(b *Budget) (found []crossing, err error) {
	start, end := b.bounds(s.now, s.zone)
	for back := 0; back < periodsBack && (back == 0 || end.After(b.versionAt)); back++ { // a clock set back can be before the version
		if back > 1 && end.Before(b.checkedAt) {
			break
		}
		spent, err := s.of(b, start, end)
		if err != nil {
			return nil, err
		}
		due, err := s.due(b, fireActual, start, budget.Crossed(b.Thresholds, spent, b.LimitMicros))
		if err != nil {
			return nil, err
		}
		for _, threshold := range due {
			found = append(found, crossing{budget: *b, kind: fireActual, start: start, end: end, threshold: threshold, spent: spent})
		}
		start, end = b.bounds(start.Add(-time.Microsecond), s.zone)
	}
	return found, nil
}

// due returns which of the thresholds crossed were not told in a period yet.
func (s *spending) due(b *Budget, kind string, start time.Time, crossed []int) ([]int, error) {
	if len(crossed) == 0 {
		return nil, nil
	}
	fired, err := s.fired(b, kind, start)
	told := make([]int, len(fired))
	for k := range fired {
		told[k] = fired[k].Threshold
	}
	return budget.Due(crossed, told), err
}

// crossedRolling looks at the days up to today: a threshold is told once for as long as the days that pass all reach it.
func (s *spending) crossedRolling(b *Budget) (found []crossing, err error) {
	start, end := b.bounds(s.now, s.zone)
	type telling struct {
		threshold int
		day       time.Time
	}
	told, err := list(s.tx, func(r scanner) (telling, error) {
		var f telling
		var window int64
		err := r.Scan(&f.threshold, &window)
		_, tomorrow := budget.RollingBounds(b.RollingDays, fromMicros(window), s.zone)
		f.day = s.plusDays(tomorrow, b.RollingDays-2)
		return f, err
	}, "SELECT threshold, max(period_start) FROM budget_fire WHERE budget_id = ? AND version = ? AND kind = 'actual' GROUP BY threshold", b.ID, b.Version)
	if err != nil {
		return nil, err
	}
	first := start
	for _, f := range told {
		first = earlier(first, s.plusDays(f.day, 1-b.RollingDays))
	}
	days, err := s.days(b, first)
	if err != nil {
		return nil, err
	}
	fired := make([]budget.FiredDay, len(told))
	for k, f := range told {
		fired[k] = budget.FiredDay{Percent: f.threshold, Day: s.daysBetween(first, f.day)}
	}
	var spent int64
	for _, day := range days[max(len(days)-b.RollingDays, 0):] {
		spent += day
	}
	for _, threshold := range budget.DueRolling(b.Thresholds, b.RollingDays, days, b.LimitMicros, fired) {
		found = append(found, crossing{budget: *b, kind: fireActual, start: start, end: end, threshold: threshold, spent: spent})
	}
	slices.SortFunc(found, func(a, b crossing) int { return a.threshold - b.threshold })
	return found, nil
}

// plusDays is the midnight so many calendar days after one.
func (s *spending) plusDays(midnight time.Time, days int) time.Time {
	y, m, d := midnight.In(s.zone).Date()
	return budget.Midnight(y, m, d+days, s.zone)
}

// daysBetween counts the calendar days from one midnight to another.
func (s *spending) daysBetween(from, to time.Time) int {
	day := func(at time.Time) time.Time {
		y, m, d := at.In(s.zone).Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return int(day(to).Sub(day(from)) / (24 * time.Hour))
}
