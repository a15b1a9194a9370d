package views

import "github.com/a-h/templ"

// Subject is the mail's subject, one line.
func (m BudgetMail) Subject() string {
	return oneLine(m.T.MailBudgetSubject(m.Budget, m.percent(), m.Percent >= 100))
}

func (m BudgetMail) percent() string { return Percent(int64(m.Percent) * 10) }

// lead is the mail's first sentence.
func (m BudgetMail) lead() string {
	return m.T.MailBudgetLead(m.Budget, m.percent(), m.Amount(m.SpentMicros), m.Amount(m.LimitMicros))
}

// means says what happens now, and what at the limit.
func (m BudgetMail) means() string {
	return m.T.MailBudgetMeans(m.Action, m.Percent >= 100)
}

func (m BudgetMail) facts() []Fact {
	return []Fact{
		{m.T.Team(), m.Team},
		{m.T.MailSpent(), m.Exact(m.SpentMicros)},
		{m.T.MailLimit(), m.Amount(m.LimitMicros)},
		{m.T.BudgetLeft(), m.Amount(m.LimitMicros - m.SpentMicros)},
		{m.T.MailPeriodEnds(), m.DateTime(m.PeriodEnd) + " " + m.ZoneAbbr(m.PeriodEnd)},
	}
}

func (m BudgetMail) link() string { return m.Site + "/budgets" }

// Text is the mail's plain part.
func (m BudgetMail) Text() string {
	return m.text(m.lead(), m.means(), m.facts(), m.T.MailBudgetButton(), m.link())
}

// HTML is the mail's HTML part.
func (m BudgetMail) HTML() templ.Component {
	return mailHTML(m.MailBase, m.Subject(), m.lead(), m.means(), m.facts(), m.T.MailBudgetButton(), m.link())
}
