package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store/money"
)

// budgetsBlock refuses to rent what is not spot and would count into a budget that is used up and lets nothing more, or
// spot alone, be rented.
func (t *tx) budgetsBlock(personID, teamID string, labels map[string]string) error {
	return t.budgetsRefuse(personID, teamID, labels, false)
}

// BudgetRefuses returns what Rent would answer because of budgets, nil if they let it. teamID "" is the home team.
func (s *Store) BudgetRefuses(ctx context.Context, personID, teamID string, labels map[string]string, kind InstanceKind) error {
	if kind == Reserved {
		return nil
	}
	return s.read(ctx, func(t *tx) error {
		if teamID == "" {
			p, err := t.person(personID)
			if err != nil {
				return err
			}
			teamID = p.TeamID
		}
		return t.budgetsRefuse(personID, teamID, labels, kind == Spot)
	})
}

// budgetsRefuse is budgetsBlock for either kind.
func (t *tx) budgetsRefuse(personID, teamID string, labels map[string]string, spot bool) error {
	all, err := list(t, scanBudget, budgetQuery+"AND b.team_id = ? AND b.action <> 'notify' ORDER BY b.id", teamID)
	if err != nil || len(all) == 0 {
		return err
	}
	spending, err := t.spending()
	if err != nil {
		return err
	}
	for k := range all {
		b := &all[k]
		if !b.applies(personID, teamID, labels) {
			continue
		}
		start, end := b.bounds(t.now, spending.zone)
		spent, err := spending.of(b, start, end)
		if err != nil {
			return err
		}
		if !b.inForce(spent).Allows(spot) {
			b.PeriodEnd, b.SpentMicros = end, spent
			return t.budgetRefusal(b)
		}
	}
	return nil
}

// budgetRefusal says what is in the way: which budget, how much of it is spent, until when, and who can raise it.
func (t *tx) budgetRefusal(b *Budget) error {
	site, err := t.site()
	if err != nil {
		return err
	}
	people, err := t.managers(b.TeamID)
	if err != nil {
		return err
	}
	raisers := make([]string, len(people))
	for k := range people {
		raisers[k] = people[k].Name
	}
	zone, err := t.siteZone()
	if err != nil {
		return err
	}
	e := &Error{Kind: BudgetBlocks, Message: "budget_blocks", Args: map[string]string{
		"budget": b.Name, "budget_id": b.ID, "days": strconv.Itoa(b.RollingDays), "raised_by": strings.Join(raisers, ", "),
		"period_end": b.PeriodEnd.Format(time.RFC3339), "until": b.PeriodEnd.In(zone).Format("2006-01-02 15:04 MST"),
		"spent": money.Format(b.SpentMicros) + " " + site.Currency, "limit": money.Format(b.LimitMicros) + " " + site.Currency,
		"spent_micros": strconv.FormatInt(b.SpentMicros, 10), "limit_micros": strconv.FormatInt(b.LimitMicros, 10)}}
	spotAllowed := b.inForce(b.SpentMicros).Allows(true)
	switch {
	case spotAllowed && b.rolls():
		e.Message = "budget_spot_only_rolling"
	case spotAllowed:
		e.Message = "budget_spot_only"
	case b.rolls(): // what it lets through again depends on what is spent until then
		e.Message = "budget_blocks_rolling"
	}
	return e
}
