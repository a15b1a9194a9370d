package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/money"
)

// periodsBack bounds how many past periods a check looks at after a time in which nobody looked: two months of days.
const periodsBack = 62

// budgetsBlock refuses to rent what would count into a budget that is used up and blocks.
func (t *tx) budgetsBlock(personID, teamID string, labels map[string]string) error {
	all, err := list(t, scanBudget, budgetQuery+"AND b.team_id = ? AND b.action = 'block' ORDER BY b.id", teamID)
	if err != nil {
		return err
	}
	zone, err := t.siteZone()
	if err != nil {
		return err
	}
	for k := range all {
		b := &all[k]
		if !b.applies(personID, teamID, labels) {
			continue
		}
		start, end := budget.Period(b.Period).Bounds(t.now, zone)
		spent, err := t.spentOf(b, start, end)
		if err != nil {
			return err
		}
		if spent < b.LimitMicros {
			continue
		}
		site, err := t.site()
		if err != nil {
			return err
		}
		return &Error{Kind: BudgetBlocks, Message: "budget_blocks", Args: map[string]string{
			"budget": b.Name, "budget_id": b.ID, "period_end": end.Format(time.RFC3339),
			"spent": money.Format(spent) + " " + site.Currency, "limit": money.Format(b.LimitMicros) + " " + site.Currency,
			"spent_micros": strconv.FormatInt(spent, 10), "limit_micros": strconv.FormatInt(b.LimitMicros, 10)}}
	}
	return nil
}

// crossing is a threshold found crossed that has not fired yet.
type crossing struct {
	budget     Budget
	start, end time.Time
	threshold  int
	spent      int64
}

// CheckBudgets fires every threshold that is crossed, each once a budget's version and period, with its mail in the same
// transaction, and returns how many. After a time in which nobody looked it finds what was crossed in periods that are over.
func (s *Store) CheckBudgets(ctx context.Context) (fired int, err error) {
	var found []crossing
	var stale []string
	err = s.read(ctx, func(t *tx) error {
		all, err := t.budgets("")
		if err != nil {
			return err
		}
		for k := range all {
			crossed, old, err := t.crossings(&all[k])
			if err != nil {
				return err
			}
			found = append(found, crossed...)
			if old {
				stale = append(stale, all[k].ID)
			}
		}
		return nil
	})
	if err != nil || len(found)+len(stale) == 0 {
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
		for _, id := range stale {
			if _, err := t.exec("UPDATE budget SET checked_at = max(checked_at, ?) WHERE id = ?", micros(t.now), id); err != nil {
				return err
			}
		}
		return nil
	})
	return fired, err
}

// crossings looks at the period that runs, the one before (a correction may still cross something there) and all since the
// last look; old says that this look should be noted.
func (t *tx) crossings(b *Budget) (found []crossing, old bool, err error) {
	zone, err := t.siteZone()
	if err != nil {
		return nil, false, err
	}
	period := budget.Period(b.Period)
	start, end := period.Bounds(t.now, zone)
	old = b.checkedAt.Before(start)
	for back := 0; back < periodsBack && end.After(b.versionAt); back++ {
		if back > 1 && end.Before(b.checkedAt) {
			break
		}
		spent, err := t.spentOf(b, start, end)
		if err != nil {
			return nil, false, err
		}
		done, err := t.fired(b, start)
		if err != nil {
			return nil, false, err
		}
		for _, threshold := range budget.Crossed(b.Thresholds, spent, b.LimitMicros) {
			if !slices.ContainsFunc(done, func(f Fire) bool { return f.Threshold == threshold }) {
				found = append(found, crossing{budget: *b, start: start, end: end, threshold: threshold, spent: spent})
			}
		}
		start, end = period.Bounds(start.Add(-time.Microsecond), zone)
	}
	return found, old, nil
}

// fire notes a crossing and queues its mail. ok is false if it had fired already or the budget is another by now.
func (t *tx) fire(c *crossing) (ok bool, err error) {
	b := &c.budget
	n, err := t.exec(`INSERT INTO budget_fire (budget_id, version, period_start, kind, threshold, at, spent_micros)
		SELECT id, version, ?, 'actual', ?, ?, ? FROM budget WHERE id = ? AND version = ? AND deleted_at IS NULL ON CONFLICT DO NOTHING`,
		micros(c.start), c.threshold, micros(t.now), c.spent, b.ID, b.Version)
	if err != nil || n == 0 {
		return false, err
	}
	t.emit("budget", b.ID)
	if c.threshold <= budget.PageOnly {
		return true, nil
	}
	to, err := t.budgetReaders(b)
	if err != nil {
		return false, err
	}
	site, err := t.site()
	if err != nil {
		return false, err
	}
	template := "budget_threshold"
	if c.threshold >= 100 {
		template = "budget_reached"
	}
	data := map[string]string{"budget": b.ID, "name": b.Name, "team": b.TeamName, "person": b.PersonName, "label": b.Label, "scope": b.Scope, "action": b.Action,
		"threshold": strconv.Itoa(c.threshold), "spent_micros": strconv.FormatInt(c.spent, 10), "limit_micros": strconv.FormatInt(b.LimitMicros, 10),
		"currency": site.Currency, "time_zone": site.TimeZone, "period": b.Period, "period_start": c.start.Format(time.RFC3339), "period_end": c.end.Format(time.RFC3339)}
	for _, address := range to {
		id := fmt.Sprintf("budget.%s.%d.%d.%d.%s@meterhouse", b.ID, b.Version, c.start.Unix(), c.threshold, shortHash(foldKey(address)))
		if err := t.mail(Mail{MessageID: id, To: address, Template: template, Data: data}); err != nil {
			return false, err
		}
	}
	return true, nil
}

// budgetReaders returns who is told about a budget.
func (t *tx) budgetReaders(b *Budget) ([]string, error) {
	if len(b.Emails) > 0 {
		return b.Emails, nil
	}
	if b.Scope == "member" {
		p, err := t.person(b.PersonID)
		if err != nil || p.DisabledAt == nil {
			return []string{p.Email}, err
		}
	}
	people, err := t.managers(b.TeamID)
	var to []string
	for _, p := range people {
		to = append(to, p.Email)
	}
	return to, err
}
