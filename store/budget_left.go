package store

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
)

// BudgetLeft is how much may still be spent.
type BudgetLeft struct {
	BudgetID, Name                       string
	LeftMicros, LimitMicros, SpentMicros int64 // LeftMicros may be negative
	RunningRateMicrosPerHour             int64 // of all that runs and counts into it
	Period                               string
	PeriodEnd                            time.Time
	RunsOutAt                            *time.Time    // at that rate; nil: not in this period
	Action                               budget.Action // what it does at its limit
	InForce                              budget.Action // what it does now; "": nothing
}

// BudgetLeft returns the tightest budget that a person's next instance would count into, whatever its labels; ok is false
// if there is none. Of two with as little left the stricter one counts. teamID "" is the home team.
func (s *Store) BudgetLeft(ctx context.Context, personID, teamID string) (left BudgetLeft, ok bool, err error) {
	err = s.read(ctx, func(t *tx) error {
		if teamID == "" {
			p, err := t.person(personID)
			if err != nil {
				return err
			}
			teamID = p.TeamID
		}
		left, ok, err = t.budgetLeft(personID, teamID)
		return err
	})
	return left, ok, err
}

func (t *tx) budgetLeft(personID, teamID string) (left BudgetLeft, ok bool, err error) {
	all, err := t.budgets(teamID)
	if err != nil {
		return left, false, err
	}
	spent, err := t.spending()
	if err != nil {
		return left, false, err
	}
	var tightest *Budget
	var running int64
	for k := range all {
		b := &all[k]
		if !b.applies(personID, teamID, nil) {
			continue
		}
		b.PeriodStart, b.PeriodEnd = b.bounds(t.now, spent.zone)
		var rate int64
		if b.SpentMicros, rate, err = spent.withRate(b); err != nil {
			return left, false, err
		}
		if tightest == nil || b.tighter(tightest) {
			tightest, running = b, rate
		}
	}
	if tightest == nil {
		return left, false, nil
	}
	return tightest.left(running, t.now), true, nil
}

// tighter reports whether a budget leaves less than another: what refuses now does, whatever the others leave.
func (b *Budget) tighter(than *Budget) bool {
	now, then := b.inForce(b.SpentMicros), than.inForce(than.SpentMicros)
	if now.Allows(false) != then.Allows(false) {
		return !now.Allows(false)
	}
	if now.Allows(true) != then.Allows(true) {
		return !now.Allows(true)
	}
	return b.LimitMicros-b.SpentMicros < than.LimitMicros-than.SpentMicros
}

// left is what a budget leaves while instances run at a rate.
func (b *Budget) left(rate int64, now time.Time) BudgetLeft {
	left := BudgetLeft{BudgetID: b.ID, Name: b.Name, LeftMicros: b.LimitMicros - b.SpentMicros, LimitMicros: b.LimitMicros, SpentMicros: b.SpentMicros,
		RunningRateMicrosPerHour: rate, Period: b.Period, PeriodEnd: b.PeriodEnd, Action: budget.Action(b.Action), InForce: b.inForce(b.SpentMicros)}
	if at, ok := budget.RunsOut(left.LeftMicros, rate, now, b.PeriodEnd); ok {
		left.RunsOutAt = &at
	}
	return left
}
