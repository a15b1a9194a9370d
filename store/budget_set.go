package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/meterhouse/meterhouse/store/budget"
)

const (
	budgetLimitMax   = 1_000_000_000_000_000 // micro-units: a thousand million of the currency
	thresholdMax     = 1000                  // percent
	budgetThresholds = 10
	budgetEmails     = 20
	rollingDaysMax   = 366
)

// NewBudget is a budget to be made, or what a budget becomes.
type NewBudget struct {
	Name     string
	Scope    string // "": team, or member or label where PersonID or Label is set
	TeamID   string // "": the home team of the person, or of who makes it
	PersonID string
	Label    string // key=value
	Period   string // "": month

	RollingDays int // of a rolling period; 0: 30
	LimitMicros int64
	Thresholds  []int    // percent; nil: 50, 80, 100, 120
	Forecasts   []int    // percent of what is expected; nil: 100
	Action      string   // "": notify
	Emails      []string // nil: the member, or the team's managers

	Request Request // of who makes it: the same again returns the budget of the first time
}

// CreateBudget makes a budget. It takes a manager of the team or an admin: Forbidden else; "" is the console itself.
func (s *Store) CreateBudget(ctx context.Context, by string, n NewBudget) (b Budget, err error) {
	if n, err = cleanBudget(n); err != nil {
		return Budget{}, err
	}
	err = s.write(ctx, func(t *tx) error {
		if err := t.budgetTeam(by, &n); err != nil {
			return err
		}
		id, _, err := t.once(by, n.Request, func() (string, error) { return t.insertBudget(by, n) })
		if err == nil {
			b, err = t.budget(id)
		}
		return err
	})
	return b, err
}

func (t *tx) insertBudget(by string, n NewBudget) (id string, err error) {
	row, err := n.columns()
	if err != nil {
		return "", err
	}
	id = newID("b-")
	_, err = t.exec(`INSERT INTO budget (name, scope, team_id, person_id, label_key, label_value, period, rolling_days, limit_micros, thresholds, forecasts,
		action, emails, id, version, version_at, created_at, checked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)`,
		append(row, id, micros(t.now), micros(t.now), micros(t.now))...)
	if err != nil {
		return "", err
	}
	t.emit("budget", id)
	return id, t.audit(AuditRecord{PersonID: by, Action: "budget_created", Target: id, Detail: n.Name})
}

// UpdateBudget changes a budget. A new limit, period or scope starts a new version, whose thresholds fire anew.
func (s *Store) UpdateBudget(ctx context.Context, by, id string, n NewBudget) (b Budget, err error) {
	if n, err = cleanBudget(n); err != nil {
		return Budget{}, err
	}
	err = s.write(ctx, func(t *tx) error {
		old, err := t.budget(id)
		if err != nil {
			return err
		}
		if err := t.mayBudget(by, old.TeamID); err != nil {
			return err
		}
		if n.TeamID == "" {
			n.TeamID = old.TeamID
		}
		if err := t.budgetTeam(by, &n); err != nil {
			return err
		}
		row, err := n.columns()
		if err != nil {
			return err
		}
		fresh := old.LimitMicros != n.LimitMicros || old.Period != n.Period || old.RollingDays != n.RollingDays || old.Scope != n.Scope || old.TeamID != n.TeamID || old.PersonID != n.PersonID || old.Label != n.Label
		_, err = t.exec(`UPDATE budget SET name = ?, scope = ?, team_id = ?, person_id = ?, label_key = ?, label_value = ?, period = ?, rolling_days = ?, limit_micros = ?,
			thresholds = ?, forecasts = ?, action = ?, emails = ?, version = version + ?, version_at = CASE WHEN ? THEN ? ELSE version_at END WHERE id = ?`,
			append(row, fresh, fresh, micros(t.now), id)...)
		if err != nil {
			return err
		}
		if err := t.tendStop(id); err != nil { // more money calls a stop off at once
			return err
		}
		b, err = t.budget(id)
		t.emit("budget", id)
		return firstError(err, t.audit(AuditRecord{PersonID: by, Action: "budget_changed", Target: id, Detail: b.Name}))
	})
	return b, err
}

// DeleteBudget ends a budget; what it fired stays known.
func (s *Store) DeleteBudget(ctx context.Context, by, id string) error {
	return s.write(ctx, func(t *tx) error {
		old, err := t.budget(id)
		if err != nil {
			return err
		}
		if err := t.mayBudget(by, old.TeamID); err != nil {
			return err
		}
		if err := t.callOffStop(&old); err != nil {
			return err
		}
		if _, err := t.exec("UPDATE budget SET deleted_at = ? WHERE id = ?", micros(t.now), id); err != nil {
			return err
		}
		t.emit("budget", id)
		return t.audit(AuditRecord{PersonID: by, Action: "budget_deleted", Target: id, Detail: old.Name})
	})
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// mayBudget refuses who may not set a team's budgets.
func (t *tx) mayBudget(by, teamID string) error {
	if by == "" {
		return nil
	}
	role, err := t.roleIn(by, teamID)
	switch {
	case err != nil || role.AtLeast(Manager):
		return err
	case !role.Sees():
		return &Error{Kind: NotFound, Field: "team", Message: "team_not_found", Args: map[string]string{"id": teamID}}
	}
	return &Error{Kind: Forbidden, Message: "budget_needs_manager"}
}

// budgetTeam finds whose budget it is and checks that the team and the person exist.
func (t *tx) budgetTeam(by string, n *NewBudget) error {
	if n.TeamID == "" {
		home := n.PersonID
		if home == "" {
			home = by
		}
		if home == "" {
			return invalid("team", "required")
		}
		p, err := t.person(home)
		if err != nil {
			return err
		}
		n.TeamID = p.TeamID
	}
	if err := t.mayBudget(by, n.TeamID); err != nil {
		return err
	}
	if _, err := scanTeam(t.row("SELECT "+teamColumns+" FROM team WHERE id = ?", n.TeamID)); err != nil {
		return orNotFound(err, "team", n.TeamID)
	}
	if n.PersonID == "" {
		return nil
	}
	_, err := t.person(n.PersonID)
	return err
}

func cleanBudget(n NewBudget) (_ NewBudget, err error) {
	if n.Name, err = cleanText("name", n.Name, 1, nameMax); err != nil {
		return n, err
	}
	if n.Scope == "" {
		n.Scope = map[bool]string{true: "member", false: "team"}[n.PersonID != ""]
		if n.Label != "" {
			n.Scope = "label"
		}
	}
	if n.Period == "" {
		n.Period = string(budget.Month)
	}
	if n.Action == "" {
		n.Action = "notify"
	}
	if n.Thresholds == nil {
		n.Thresholds = budget.DefaultThresholds
	}
	n.Thresholds = slices.Compact(slices.Sorted(slices.Values(n.Thresholds)))
	if n.Forecasts == nil {
		n.Forecasts = budget.ForecastThresholds
	}
	n.Forecasts = slices.Compact(slices.Sorted(slices.Values(n.Forecasts)))
	rolls := budget.Period(n.Period) == budget.Rolling
	switch {
	case !rolls:
		n.RollingDays = 0
	case n.RollingDays == 0:
		n.RollingDays = budget.RollingDays
	}
	switch key, value, ok := strings.Cut(n.Label, "="); {
	case !slices.Contains([]string{"team", "member", "label"}, n.Scope):
		return n, invalid("scope", "scope_unknown")
	case n.Scope == "member" && n.PersonID == "":
		return n, invalid("person", "required")
	case n.Scope == "label" && (!ok || key == "" || value == "" || len(n.Label) > labelKeyMax+labelMax+1):
		return n, invalid("label", "label_wrong")
	case !budget.Period(n.Period).Known() && !rolls:
		return n, invalid("period", "period_unknown")
	case rolls && (n.RollingDays < 1 || n.RollingDays > rollingDaysMax):
		return n, invalid("rolling_days", "out_of_range")
	case !budget.Action(n.Action).Known():
		return n, invalid("action", "action_unknown")
	case n.LimitMicros <= 0 || n.LimitMicros > budgetLimitMax:
		return n, invalid("limit", "out_of_range")
	case !thresholdsFine(n.Thresholds):
		return n, invalid("thresholds", "out_of_range")
	case !thresholdsFine(n.Forecasts):
		return n, invalid("forecasts", "out_of_range")
	case len(n.Emails) > budgetEmails:
		return n, invalid("emails", "too_many_emails")
	}
	if n.Scope != "member" {
		n.PersonID = ""
	}
	if n.Scope != "label" {
		n.Label = ""
	}
	n.Emails = slices.Clone(n.Emails)
	for k := range n.Emails {
		if n.Emails[k], err = cleanEmail("emails", n.Emails[k]); err != nil {
			return n, err
		}
	}
	return n, nil
}

// thresholdsFine reports whether sorted thresholds are few enough and in range.
func thresholdsFine(percent []int) bool {
	return len(percent) <= budgetThresholds && (len(percent) == 0 || percent[0] >= 1 && percent[len(percent)-1] <= thresholdMax)
}

// columns are the values of a budget's row, in the order in which both statements name them.
func (n *NewBudget) columns() ([]any, error) {
	thresholds, err := json.Marshal(append([]int{}, n.Thresholds...))
	if err != nil {
		return nil, err
	}
	forecasts, err := json.Marshal(append([]int{}, n.Forecasts...))
	if err != nil {
		return nil, err
	}
	emails, err := json.Marshal(orEmpty(n.Emails))
	if err != nil {
		return nil, err
	}
	var key, value any
	if k, v, ok := strings.Cut(n.Label, "="); ok {
		key, value = k, v
	}
	var days any
	if n.RollingDays > 0 {
		days = n.RollingDays
	}
	return []any{n.Name, n.Scope, n.TeamID, nullIfEmpty(n.PersonID), key, value, n.Period, days, n.LimitMicros, string(thresholds), string(forecasts), n.Action, string(emails)}, nil
}
