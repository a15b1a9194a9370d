package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

var (
	budgetPeriods = []string{"day", "week", "month", "quarter"}
	budgetActions = []string{"notify", "block"}
)

func (s *Server) budgetsPage(c *call) error {
	v, list, err := s.budgetsView(c)
	if err != nil {
		return err
	}
	v.Form.Values = url.Values{"period": {"month"}, "thresholds": {"50, 80, 100"}, "action": {"notify"}, "scope": {"team:" + c.who.TeamID}}
	for i, b := range list {
		switch {
		case !v.Rows[i].CanEdit:
		case b.ID == c.QueryParam("edit"):
			v.EditID, v.Form.Values = b.ID, budgetValues(b)
		case b.ID == c.QueryParam("delete"):
			v.Ask = &v.Rows[i]
		}
	}
	return s.show(c, views.Budgets(v))
}

// budgetsView is the page with its list; the budgets stand in the order of its rows.
func (s *Server) budgetsView(c *call) (views.BudgetsPage, []store.Budget, error) {
	v := views.BudgetsPage{Page: s.page(c), Actions: budgetActions, Periods: budgetPeriods, CanEdit: c.can(store.Manager)}
	list, err := s.store.Budgets(c.Request().Context(), c.team())
	if err != nil {
		return v, nil, err
	}
	for _, b := range list {
		v.Rows = append(v.Rows, budgetRow(c, b))
		for _, f := range b.Fired {
			v.Fired = append(v.Fired, views.FiredRow{At: f.At, Budget: b.Name, Percent: f.Threshold, SpentMicros: f.SpentMicros, LimitMicros: b.LimitMicros, Action: b.Action})
		}
	}
	slices.SortFunc(v.Fired, func(a, b views.FiredRow) int { return b.At.Compare(a.At) })
	if v.CanEdit {
		v.Scopes, err = s.budgetScopes(c)
	}
	return v, list, err
}

// pageThreshold and less is told on the page alone.
const pageThreshold = 50

func budgetRow(c *call, b store.Budget) views.BudgetRow {
	row := views.BudgetRow{ID: b.ID, Name: b.Name, Scope: b.Scope, ScopeName: b.TeamName, Period: b.Period, From: b.PeriodStart, To: b.PeriodEnd, LimitMicros: b.LimitMicros,
		SpentMicros: b.SpentMicros, Forecast: views.Unknown("no_history"), Action: b.Action, CanEdit: c.can(store.Manager) && c.sees(b.TeamID)}
	switch b.Scope {
	case "member":
		row.ScopeName = b.PersonName
	case "label":
		row.ScopeName = b.Label
	}
	for _, percent := range b.Thresholds {
		t := views.Threshold{Percent: percent, Mail: percent > pageThreshold}
		for _, f := range b.Fired {
			if f.Threshold == percent {
				t.Fired = f.At
			}
		}
		row.Thresholds = append(row.Thresholds, t)
	}
	return row
}

// budgetScopes are what a budget can be set for: the person's teams and their members.
func (s *Server) budgetScopes(c *call) ([]views.Option, error) {
	ctx := c.Request().Context()
	teams := []store.Team{{ID: c.who.TeamID, Name: c.who.TeamName}}
	if c.who.Admin {
		all, err := s.store.Teams(ctx)
		if err != nil {
			return nil, err
		}
		teams = all
	}
	var list []views.Option
	for _, team := range teams {
		list = append(list, views.Option{Value: "team:" + team.ID, Label: c.t.BudgetScope("team") + " " + team.Name})
		members, err := s.store.TeamMembers(ctx, team.ID)
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			list = append(list, views.Option{Value: "member:" + team.ID + ":" + m.ID, Label: c.t.BudgetScope("member") + " " + m.Name})
		}
	}
	return list, nil
}

// budgetValues is a budget as the form would have it.
func budgetValues(b store.Budget) url.Values {
	scope := "team:" + b.TeamID
	if b.Scope == "member" {
		scope = "member:" + b.TeamID + ":" + b.PersonID
	}
	thresholds := make([]string, len(b.Thresholds))
	for i, t := range b.Thresholds {
		thresholds[i] = strconv.Itoa(t)
	}
	return url.Values{"scope": {scope}, "name": {b.Name}, "period": {b.Period}, "limit": {views.Plain(b.LimitMicros)}, "thresholds": {strings.Join(thresholds, ", ")}, "action": {b.Action}}
}

// budgetForm is POST /budgets, and POST /budgets/{id} to change one.
func (s *Server) budgetForm(c *call) error {
	ctx, id := c.Request().Context(), c.Param("id")
	var before store.Budget
	if id != "" {
		var err error
		if before, err = s.budget(c, id); err != nil {
			return err
		}
	}
	n, err := s.readBudget(c, before)
	if err == nil && id != "" {
		_, err = s.store.UpdateBudget(ctx, c.who.ID, id, n)
	} else if err == nil {
		n.Request = c.request()
		_, err = s.store.CreateBudget(ctx, c.who.ID, n)
		err = sentBefore(err)
	}
	if err != nil && typed(err) {
		v, _, again := s.budgetsView(c)
		if again != nil {
			return again
		}
		v.Path, v.EditID, v.Form = "/budgets", id, c.typedForm(renamed(err, budgetFields))
		return s.showAgain(c, err, views.Budgets(v))
	}
	if err != nil {
		return err
	}
	return s.done(c, "/budgets", flash{Key: "budget_saved", Name: n.Name})
}

// budgetFields are the form's names of what the store calls otherwise.
var budgetFields = map[string]string{"limit_micros": "limit", "team_id": "scope", "team": "scope", "person_id": "scope", "person": "scope", "label": "scope", "emails": ""}

// readBudget reads the form; what it does not ask for stays as it was.
func (s *Server) readBudget(c *call, before store.Budget) (store.NewBudget, error) {
	n := store.NewBudget{Name: c.text("name"), Period: c.text("period"), Action: c.text("action"), Label: before.Label, Emails: before.Emails}
	var bad wrong
	n.Scope, n.TeamID, n.PersonID = before.Scope, before.TeamID, before.PersonID
	if scope := c.text("scope"); scope != "" || before.ID == "" {
		parts := strings.Split(scope, ":")
		switch {
		case len(parts) == 2 && parts[0] == "team":
			n.Scope, n.TeamID, n.PersonID = "team", parts[1], ""
		case len(parts) == 3 && parts[0] == "member":
			n.Scope, n.TeamID, n.PersonID = "member", parts[1], parts[2]
		}
		if n.TeamID == "" || !c.sees(n.TeamID) {
			bad = append(bad, invalid("scope", "unknown_scope"))
		}
	}
	if c.text("limit") == "" {
		bad = append(bad, invalid("limit", "required"))
	} else if micros, err := parseMoney("limit", c.text("limit")); err != nil {
		bad = append(bad, explain(err))
	} else {
		n.LimitMicros = micros
	}
	for part := range strings.FieldsFuncSeq(c.text("thresholds"), func(r rune) bool { return r == ',' || r == ' ' || r == ';' || r == '%' || r == '，' }) {
		percent, err := strconv.Atoi(part)
		if err != nil {
			bad = append(bad, invalid("thresholds", "wrong_thresholds"))
			break
		}
		n.Thresholds = append(n.Thresholds, percent)
	}
	return n, bad.orNil()
}

func (s *Server) budgetDeleteForm(c *call) error {
	b, err := s.budget(c, c.Param("id"))
	if store.KindOf(err) == store.NotFound {
		return seeOther(c, "/budgets") // it is gone, as was asked
	}
	if err != nil {
		return err
	}
	if err := s.store.DeleteBudget(c.Request().Context(), c.who.ID, b.ID); err != nil {
		return err
	}
	return s.done(c, "/budgets", flash{Key: "budget_deleted", Name: b.Name})
}
