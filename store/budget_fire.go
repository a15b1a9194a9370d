package store

import (
	"fmt"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
)

// fireMail begins the Message-ID of what tells a crossing: the budget, its version, the period's start in Unix seconds, the kind
// and the threshold. SQLite's printf reads it as Go's does.
const fireMail = "budget.%s.%d.%d.%s.%d."

// fire notes a crossing and queues its mail. ok is false if it had fired already or the budget is another by now.
func (t *tx) fire(c *crossing) (ok bool, err error) {
	b := &c.budget
	n, err := t.exec(`INSERT INTO budget_fire (budget_id, version, period_start, kind, threshold, at, spent_micros)
		SELECT id, version, ?, ?, ?, ?, ? FROM budget WHERE id = ? AND version = ? AND deleted_at IS NULL ON CONFLICT DO NOTHING`,
		micros(c.start), c.kind, c.threshold, micros(t.now), c.spent, b.ID, b.Version)
	if err != nil || n == 0 {
		return false, err
	}
	t.emit("budget", b.ID)
	if c.kind == fireActual && c.threshold <= budget.PageOnly {
		return true, nil
	}
	to, err := t.budgetReaders(b)
	if err != nil {
		return false, err
	}
	data, err := t.budgetData(b, c.start, c.end, c.spent)
	if err != nil {
		return false, err
	}
	data["threshold"] = strconv.Itoa(c.threshold)
	for _, address := range to {
		id := fmt.Sprintf(fireMail, b.ID, b.Version, c.start.Unix(), c.kind, c.threshold) + shortHash(foldKey(address)) + "@meterhouse"
		if err := t.mail(Mail{MessageID: id, To: address, Template: c.template(), Data: data}); err != nil {
			return false, err
		}
	}
	return true, nil
}

// template is the mail that tells of a crossing.
func (c *crossing) template() string {
	switch {
	case c.kind == fireForecast:
		return "budget_forecast"
	case c.threshold >= 100:
		return "budget_reached"
	}
	return "budget_threshold"
}

// budgetData is what mails about a budget carry: which it is, whose, its period, what is spent or expected, and its action.
func (t *tx) budgetData(b *Budget, start, end time.Time, spent int64) (map[string]string, error) {
	site, err := t.site()
	return map[string]string{"budget": b.ID, "version": strconv.Itoa(b.Version), "name": b.Name, "team": b.TeamName, "person": b.PersonName, "label": b.Label,
		"scope": b.Scope, "action": b.Action, "spent_micros": strconv.FormatInt(spent, 10), "limit_micros": strconv.FormatInt(b.LimitMicros, 10),
		"currency": site.Currency, "time_zone": site.TimeZone, "period": b.Period, "days": strconv.Itoa(b.RollingDays),
		"period_start": start.Format(time.RFC3339), "period_end": end.Format(time.RFC3339)}, err
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
