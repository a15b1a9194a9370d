package views

import "time"

// BudgetMail says that a threshold of a budget was crossed, that it is expected to be, or that the limit is reached.
type BudgetMail struct {
	MailBase
	Budget      string
	Team        string
	Percent     int
	Forecast    bool // SpentMicros is what the period is expected to come to
	SpentMicros int64
	LimitMicros int64
	RollingDays int       // of a budget of the last days; 0: of a period
	PeriodEnd   time.Time // half-open
	Action      string    // "notify", "block", "spot_only", "stop": what happens at the limit
	BudgetID    string
}

func (m BudgetMail) percent() string { return Percent(int64(m.Percent) * 10) }

// Letter is what stands in the mail.
func (m BudgetMail) Letter() Letter {
	l := Letter{MailBase: m.MailBase, Button: m.T.MailBudgetButton(), Link: m.Site + "/budgets#budget-" + id(m.BudgetID)}
	spent, reached := m.T.MailSpent(), m.Percent >= 100
	if m.Forecast {
		l.Title = m.T.MailForecastSubject(m.Budget, m.percent())
		l.Lead = m.T.MailForecastLead(m.Budget, m.percent(), m.Amount(m.SpentMicros), m.Amount(m.LimitMicros))
		l.Means = m.T.MailForecastMeans() + " " + m.T.MailBudgetMeans(m.Action, false)
		spent = m.T.MailExpected()
	} else {
		l.Title = m.T.MailBudgetSubject(m.Budget, m.percent(), reached)
		l.Lead = m.T.MailBudgetLead(m.Budget, m.percent(), m.Amount(m.SpentMicros), m.Amount(m.LimitMicros))
		l.Means = m.T.MailBudgetMeans(m.Action, reached)
	}
	l.Facts = []Fact{{m.T.Team(), m.Team}, {spent, m.Exact(m.SpentMicros)}, {m.T.MailLimit(), m.Amount(m.LimitMicros)}}
	if !m.Forecast {
		l.Facts = append(l.Facts, Fact{m.T.BudgetLeft(), m.Amount(m.LimitMicros - m.SpentMicros)})
	}
	return l.withPeriod(m.RollingDays, m.PeriodEnd)
}

// withPeriod adds how long a budget's limit is for.
func (l Letter) withPeriod(rollingDays int, end time.Time) Letter {
	if rollingDays > 0 {
		l.Facts = append(l.Facts, Fact{l.T.PeriodHeading(), l.T.PeriodDays(Number(int64(rollingDays)))})
	} else {
		l.Facts = append(l.Facts, Fact{l.T.MailPeriodEnds(), l.moment(end)})
	}
	return l
}

// BudgetStopMail says that what runs on a budget will be stopped, unless there is money again.
type BudgetStopMail struct {
	MailBase
	Budget      string
	Team        string
	Instances   string // names, with commas between
	At          time.Time
	SpentMicros int64
	LimitMicros int64
	RollingDays int
	PeriodEnd   time.Time
	BudgetID    string
}

// Letter is what stands in the mail.
func (m BudgetStopMail) Letter() Letter {
	l := Letter{MailBase: m.MailBase, Title: m.T.MailBudgetStopSubject(m.Budget, m.Clock(m.At)+" "+m.ZoneAbbr(m.At)), Lead: m.T.MailBudgetStopLead(m.Budget, m.moment(m.At)),
		Means: m.T.MailBudgetStopMeans(), Button: m.T.MailBudgetButton(), Link: m.Site + "/budgets#budget-" + id(m.BudgetID)}
	l.Facts = []Fact{{m.T.MailStopsWhat(), m.Instances}, {m.T.MailStopsAt(), m.moment(m.At)}, {m.T.Team(), m.Team}, {m.T.MailSpent(), m.Exact(m.SpentMicros)}, {m.T.MailLimit(), m.Amount(m.LimitMicros)}}
	return l.withPeriod(m.RollingDays, m.PeriodEnd)
}
