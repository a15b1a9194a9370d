package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
)

// Budget is a limit on what a team, a member of it, or one of its labels spends in a period.
type Budget struct {
	ID, Name               string
	Scope                  string // "team", "member" or "label"
	TeamID, TeamName       string
	PersonID, PersonName   string // for scope member: what this person spends in the team
	Label                  string // "key=value", for scope label: what the team spends under it
	Period                 string // "day", "week" (from Monday), "month" or "quarter", of the site's zone
	LimitMicros            int64
	Thresholds             []int    // percent, ascending
	Action                 string   // "notify", or "block": nothing more is rented once the limit is reached
	Emails                 []string // who is told; none: the member, or the team's managers
	Version                int      // a new limit, period or scope starts a new one
	CreatedAt              time.Time
	PeriodStart, PeriodEnd time.Time // of the period that runs
	SpentMicros            int64     // in it, open time included
	Fired                  []Fire    // in it, by this version

	versionAt, checkedAt time.Time
	labelKey, labelValue string
}

// Fire is a threshold that was crossed.
type Fire struct {
	Threshold   int // percent
	At          time.Time
	SpentMicros int64
}

const budgetQuery = `SELECT b.id, b.name, b.scope, b.team_id, t.name, coalesce(b.person_id, ''), coalesce(p.name, ''), coalesce(b.label_key, ''), coalesce(b.label_value, ''),
	b.period, b.limit_micros, b.thresholds, b.action, b.emails, b.version, b.version_at, b.created_at, b.checked_at
	FROM budget b JOIN team t ON t.id = b.team_id LEFT JOIN person p ON p.id = b.person_id WHERE b.deleted_at IS NULL `

func scanBudget(r scanner) (Budget, error) {
	var b Budget
	var thresholds, emails string
	var version, created, checked int64
	err := r.Scan(&b.ID, &b.Name, &b.Scope, &b.TeamID, &b.TeamName, &b.PersonID, &b.PersonName, &b.labelKey, &b.labelValue,
		&b.Period, &b.LimitMicros, &thresholds, &b.Action, &emails, &b.Version, &version, &created, &checked)
	if err != nil {
		return b, err
	}
	if b.Scope == "label" {
		b.Label = b.labelKey + "=" + b.labelValue
	}
	b.versionAt, b.CreatedAt, b.checkedAt = fromMicros(version), fromMicros(created), fromMicros(checked)
	if err := json.Unmarshal([]byte(thresholds), &b.Thresholds); err != nil {
		return b, err
	}
	return b, json.Unmarshal([]byte(emails), &b.Emails)
}

// Budgets returns a team's budgets by name, every team's for "", as they stand now.
func (s *Store) Budgets(ctx context.Context, teamID string) (all []Budget, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = t.budgets(teamID)
		if err != nil {
			return err
		}
		for k := range all {
			if err := t.standing(&all[k]); err != nil {
				return err
			}
		}
		return nil
	})
	return all, err
}

func (t *tx) budgets(teamID string) ([]Budget, error) {
	return list(t, scanBudget, budgetQuery+"AND (b.team_id = ?1 OR ?1 = '') ORDER BY b.name, b.id", teamID)
}

// Budget returns one budget as it stands now.
func (s *Store) Budget(ctx context.Context, id string) (b Budget, err error) {
	err = s.read(ctx, func(t *tx) error {
		b, err = t.budget(id)
		return err
	})
	return b, err
}

func (t *tx) budget(id string) (Budget, error) {
	b, err := scanBudget(t.row(budgetQuery+"AND b.id = ?", id))
	if err != nil {
		return b, orNotFound(err, "budget", id)
	}
	return b, t.standing(&b)
}

// standing fills in what depends on the moment.
func (t *tx) standing(b *Budget) error {
	zone, err := t.siteZone()
	if err != nil {
		return err
	}
	b.PeriodStart, b.PeriodEnd = budget.Period(b.Period).Bounds(t.now, zone)
	if b.SpentMicros, err = t.spentOf(b, b.PeriodStart, b.PeriodEnd); err != nil {
		return err
	}
	b.Fired, err = t.fired(b, b.PeriodStart)
	return err
}

// chooses is the condition on "instance i" for what counts into a budget.
func (b *Budget) chooses() (where string, args []any) {
	switch b.Scope {
	case "member":
		return "i.team_id = ? AND i.person_id = ?", []any{b.TeamID, b.PersonID}
	case "label":
		return "i.team_id = ? AND i.id IN (SELECT instance_id FROM instance_label WHERE key = ? AND value = ?)", []any{b.TeamID, b.labelKey, b.labelValue}
	}
	return "i.team_id = ?", []any{b.TeamID}
}

func (t *tx) fired(b *Budget, start time.Time) ([]Fire, error) {
	return list(t, func(r scanner) (Fire, error) {
		var f Fire
		var at int64
		err := r.Scan(&f.Threshold, &at, &f.SpentMicros)
		f.At = fromMicros(at)
		return f, err
	}, "SELECT threshold, at, spent_micros FROM budget_fire WHERE budget_id = ? AND version = ? AND period_start = ? AND kind = 'actual' ORDER BY threshold",
		b.ID, b.Version, micros(start))
}

// applies reports whether what a person would rent counts into a budget.
func (b *Budget) applies(personID, teamID string, labels map[string]string) bool {
	switch {
	case b.TeamID != teamID:
		return false
	case b.Scope == "member":
		return b.PersonID == personID
	case b.Scope == "label":
		value, ok := labels[b.labelKey]
		return ok && value == b.labelValue
	}
	return true
}

// BudgetLeft returns the tightest budget that a person's next instance would count into, whatever its labels; ok is false
// if there is none. teamID "" is the home team.
func (s *Store) BudgetLeft(ctx context.Context, personID, teamID string) (left BudgetLeft, ok bool, err error) {
	err = s.read(ctx, func(t *tx) error {
		if teamID == "" {
			p, err := t.person(personID)
			if err != nil {
				return err
			}
			teamID = p.TeamID
		}
		all, err := t.budgets(teamID)
		if err != nil {
			return err
		}
		for k := range all {
			b := &all[k]
			if !b.applies(personID, teamID, nil) {
				continue
			}
			if err := t.standing(b); err != nil {
				return err
			}
			if rest := b.LimitMicros - b.SpentMicros; !ok || rest < left.LeftMicros {
				if left, err = t.leftOf(b); err != nil {
					return err
				}
				ok = true
			}
		}
		return nil
	})
	return left, ok, err
}

// BudgetLeft is how much may still be spent.
type BudgetLeft struct {
	BudgetID, Name                       string
	LeftMicros, LimitMicros, SpentMicros int64 // LeftMicros may be negative
	RunningRateMicrosPerHour             int64 // of all that runs and counts into it
	PeriodEnd                            time.Time
	RunsOutAt                            *time.Time // at that rate; nil: not in this period
	Blocks                               bool       // nothing more is rented once the limit is reached
}

func (t *tx) leftOf(b *Budget) (BudgetLeft, error) {
	where, args := b.chooses()
	var rate sql.NullInt64
	err := t.row("SELECT sum(i.rate) FROM instance i WHERE "+where+" AND i.ended_at IS NULL AND i.state IN ('starting', 'running', 'suspended', 'reclaiming')", args...).Scan(&rate)
	left := BudgetLeft{BudgetID: b.ID, Name: b.Name, LeftMicros: b.LimitMicros - b.SpentMicros, LimitMicros: b.LimitMicros, SpentMicros: b.SpentMicros,
		RunningRateMicrosPerHour: rate.Int64, PeriodEnd: b.PeriodEnd, Blocks: b.Action == "block"}
	if at, ok := budget.RunsOut(left.LeftMicros, rate.Int64, t.now, b.PeriodEnd); ok {
		left.RunsOutAt = &at
	}
	return left, err
}
