package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/views"
)

var (
	budgetPeriods = []string{"day", "week", "month", "quarter", "rolling"}
	budgetActions = []string{"notify", "spot_only", "block", "stop"}
)

func (s *Server) budgetsPage(c *call) error {
	v, list, err := s.budgetsView(c)
	if err != nil {
		return err
	}
	v.Form.Values = url.Values{"period": {"month"}, "thresholds": {"50, 80, 100, 120"}, "forecasts": {"100"}, "action": {"notify"}, "scope": {scopeValue(c.who.TeamID, "")}}
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
	v := views.BudgetsPage{Page: s.page(c), Actions: budgetActions, Periods: budgetPeriods, CanEdit: c.can(store.Manager), MailOff: !s.mailer.On()}
	list, err := s.store.Budgets(c.Request().Context(), c.team())
	if err != nil {
		return v, nil, err
	}
	for _, b := range list {
		v.Rows = append(v.Rows, budgetRow(c, b))
		v.Fired = append(append(v.Fired, firedRows(b, b.Fired, false)...), firedRows(b, b.ForecastFired, true)...)
	}
	slices.SortFunc(v.Fired, func(a, b views.FiredRow) int { return b.At.Compare(a.At) })
	if v.CanEdit {
		v.Scopes, err = s.budgetScopes(c)
	}
	return v, list, err
}

func firedRows(b store.Budget, fired []store.Fire, forecast bool) (rows []views.FiredRow) {
	for _, f := range fired {
		rows = append(rows, views.FiredRow{At: f.At, Budget: b.Name, Percent: f.Threshold, Forecast: forecast, SpentMicros: f.SpentMicros, LimitMicros: b.LimitMicros, Action: b.Action, Mail: string(f.Mail)})
	}
	return rows
}

func budgetRow(c *call, b store.Budget) views.BudgetRow {
	row := views.BudgetRow{ID: b.ID, Name: b.Name, Scope: b.Scope, ScopeName: b.TeamName, Period: b.Period, From: b.PeriodStart, To: b.PeriodEnd, LimitMicros: b.LimitMicros,
		SpentMicros: b.SpentMicros, RollingDays: b.RollingDays, Forecast: numberOr(b.ForecastMicros, "no_history"), Action: b.Action,
		InForce: b.SpentMicros >= b.LimitMicros && b.Action != string(budget.Notify), StopsAt: timeOrZero(b.StopsAt), CanEdit: c.can(store.Manager) && c.sees(b.TeamID),
		Thresholds: thresholds(b.Thresholds, b.Fired, budget.PageOnly), Forecasts: thresholds(b.Forecasts, b.ForecastFired, 0)}
	switch b.Scope {
	case "member":
		row.ScopeName = b.PersonName
	case "label":
		row.ScopeName = b.Label
	}
	return row
}

// thresholds are a budget's, each with when it fired; up to pageOnly per cent they come by no mail.
func thresholds(percents []int, fired []store.Fire, pageOnly int) (all []views.Threshold) {
	for _, percent := range percents {
		t := views.Threshold{Percent: percent, Mail: percent > pageOnly}
		for _, f := range fired {
			if f.Threshold == percent {
				t.Fired = f.At
			}
		}
		all = append(all, t)
	}
	return all
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
		list = append(list, views.Option{Value: scopeValue(team.ID, ""), Label: c.t.BudgetScope("team") + " " + team.Name})
		members, err := s.store.TeamMembers(ctx, team.ID)
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			list = append(list, views.Option{Value: scopeValue(team.ID, m.ID), Label: c.t.BudgetScope("member") + " " + m.Name})
		}
	}
	return list, nil
}

// budgetValues is a budget as the form would have it.
func budgetValues(b store.Budget) url.Values {
	scope := scopeValue(b.TeamID, "")
	if b.Scope == "member" {
		scope = scopeValue(b.TeamID, b.PersonID)
	}
	v := url.Values{"scope": {scope}, "label": {b.Label}, "name": {b.Name}, "period": {b.Period}, "limit": {views.Plain(b.LimitMicros)}, "thresholds": {percents(b.Thresholds)},
		"forecasts": {percents(b.Forecasts)}, "action": {b.Action}, "emails": {strings.Join(b.Emails, ", ")}}
	if b.RollingDays > 0 {
		v.Set("rolling_days", strconv.Itoa(b.RollingDays))
	}
	return v
}

func percents(list []int) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ", ")
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
var budgetFields = map[string]string{"limit_micros": "limit", "team_id": "scope", "team": "scope", "person_id": "scope", "person": "scope"}

// readBudget reads the form; what it does not ask for stays as it was.
func (s *Server) readBudget(c *call, before store.Budget) (store.NewBudget, error) {
	n := store.NewBudget{Name: c.text("name"), Period: c.text("period"), Action: c.text("action"), Label: c.text("label"), Forecasts: []int{}}
	var bad wrong
	n.Scope, n.TeamID, n.PersonID = before.Scope, before.TeamID, before.PersonID
	if scope := c.text("scope"); scope != "" || before.ID == "" {
		n.Scope = "team"
		if n.TeamID, n.PersonID = c.scopeOf(scope); n.PersonID != "" {
			n.Scope = "member"
		}
		if n.TeamID == "" {
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
	if n.Label != "" && n.Scope == "team" {
		n.Scope = "label"
	}
	var err error
	if n.Thresholds, err = readPercents(c, "thresholds"); err != nil {
		bad = append(bad, explain(err))
	} else if len(n.Thresholds) == 0 {
		n.Thresholds = nil // the usual ones
	}
	if n.Forecasts, err = readPercents(c, "forecasts"); err != nil {
		bad = append(bad, explain(err))
	}
	if days := c.text("rolling_days"); days != "" {
		if n.RollingDays, err = strconv.Atoi(days); err != nil {
			bad = append(bad, invalid("rolling_days", "wrong_number"))
		}
	}
	n.Emails = strings.FieldsFunc(c.text("emails"), func(r rune) bool { return r == ',' || r == ' ' || r == ';' || r == '，' || r == '\n' })
	return n, bad.orNil()
}

// readPercents reads a list of per cent, such as "50, 80 %"; nil where the form has no such field.
func readPercents(c *call, field string) ([]int, error) {
	list := []int{}
	if !c.Request().PostForm.Has(field) {
		return nil, nil
	}
	for part := range strings.FieldsFuncSeq(c.text(field), func(r rune) bool { return r == ',' || r == ' ' || r == ';' || r == '%' || r == '，' }) {
		percent, err := strconv.Atoi(part)
		if err != nil {
			return nil, invalid(field, "wrong_thresholds")
		}
		list = append(list, percent)
	}
	return list, nil
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
