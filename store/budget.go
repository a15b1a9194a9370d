package store

import (
	"context"
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
	Period                 string // "day", "week" (from Monday), "month", "quarter" or "rolling", of the site's zone
	RollingDays            int    // how many days a rolling period has, today included; else 0
	LimitMicros            int64
	Thresholds             []int    // percent, ascending
	Forecasts              []int    // percent, ascending: of what is expected at the period's end
	Action                 string   // at the limit: "notify", "spot_only", "block" or "stop", as store/budget has them
	Emails                 []string // who is told; none: the member, or the team's managers
	Version                int      // a new limit, period or scope starts a new one
	CreatedAt              time.Time
	PeriodStart, PeriodEnd time.Time  // of the period that runs
	SpentMicros            int64      // in it, open time included
	ForecastMicros         *int64     // expected at its end; of a rolling one in as many days from now; nil: too little is known
	Fired, ForecastFired   []Fire     // in it, by this version
	StopsAt                *time.Time // what runs on it is stopped then, unless there is money again

	versionAt, checkedAt time.Time
	labelKey, labelValue string
	zone                 string // the site's
}

// Fire is a threshold that was crossed.
type Fire struct {
	Threshold   int // percent
	At          time.Time
	SpentMicros int64     // or expected, where the forecast crossed it
	Mail        MailState // of what tells it: waiting, sent or dead; "" for none
}

const budgetQuery = `SELECT b.id, b.name, b.scope, b.team_id, t.name, coalesce(b.person_id, ''), coalesce(p.name, ''), coalesce(b.label_key, ''), coalesce(b.label_value, ''),
	b.period, coalesce(b.rolling_days, 0), b.limit_micros, b.thresholds, b.forecasts, b.action, b.emails, b.version, b.version_at, b.created_at, b.checked_at, site.time_zone
	FROM site, budget b JOIN team t ON t.id = b.team_id LEFT JOIN person p ON p.id = b.person_id WHERE b.deleted_at IS NULL `

func scanBudget(r scanner) (Budget, error) {
	var b Budget
	var thresholds, forecasts, emails string
	var version, created, checked int64
	err := r.Scan(&b.ID, &b.Name, &b.Scope, &b.TeamID, &b.TeamName, &b.PersonID, &b.PersonName, &b.labelKey, &b.labelValue,
		&b.Period, &b.RollingDays, &b.LimitMicros, &thresholds, &forecasts, &b.Action, &emails, &b.Version, &version, &created, &checked, &b.zone)
	if err != nil {
		return b, err
	}
	if b.Scope == "label" {
		b.Label = b.labelKey + "=" + b.labelValue
	}
	b.versionAt, b.CreatedAt, b.checkedAt = fromMicros(version), fromMicros(created), fromMicros(checked)
	return b, firstError(json.Unmarshal([]byte(thresholds), &b.Thresholds), json.Unmarshal([]byte(forecasts), &b.Forecasts), json.Unmarshal([]byte(emails), &b.Emails))
}

// Budgets returns a team's budgets by name, every team's for "", as they stand now.
func (s *Store) Budgets(ctx context.Context, teamID string) (all []Budget, err error) {
	err = s.read(ctx, func(t *tx) error {
		if all, err = t.budgets(teamID); err != nil {
			return err
		}
		spent, err := t.spending()
		if err != nil {
			return err
		}
		for k := range all {
			if err := spent.standing(&all[k]); err != nil {
				return err
			}
		}
		return nil
	})
	return all, err
}

func (t *tx) budgets(teamID string) ([]Budget, error) {
	all, err := list(t, scanBudget, budgetQuery+"AND (b.team_id = ?1 OR ?1 = '') ORDER BY b.name, b.id", teamID)
	if err == nil && len(all) > 0 {
		t.zone, err = location(all[0].zone) // read with them: this look is made before everything that is rented
	}
	return all, err
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
	spent, err := t.spending()
	if err != nil {
		return b, err
	}
	return b, spent.standing(&b)
}

// bounds is the period that a moment is in.
func (b *Budget) bounds(at time.Time, zone *time.Location) (start, end time.Time) {
	if b.rolls() {
		return budget.RollingBounds(b.RollingDays, at, zone)
	}
	return budget.Period(b.Period).Bounds(at, zone)
}

func (b *Budget) rolls() bool { return budget.Period(b.Period) == budget.Rolling }

// inForce is what the budget does by now, "" below its limit.
func (b *Budget) inForce(spent int64) budget.Action {
	return budget.InForce([]budget.Response{{Percent: 100, Action: budget.Action(b.Action)}}, spent, b.LimitMicros)
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
