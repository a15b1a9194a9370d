package views

import "time"

// QuotaMail says that more of a quota is asked for, or what was decided about that.
type QuotaMail struct {
	MailBase
	Decided bool
	Granted bool
	By      string // who asks, or who decided
	Team    string
	Rule    string    // the rule in the way, as QuotaRule of the catalogue names it
	Pool    string    // "" for all
	Limit   string    // that is asked for or granted
	Until   time.Time // zero: for good
	Reason  string
}

// Letter is what stands in the mail.
func (m QuotaMail) Letter() Letter {
	l := Letter{MailBase: m.MailBase, Button: m.T.MailQuotaButton(m.Decided), Link: m.Site + "/inbox"}
	rule := m.T.MailQuotaRule(m.Rule)
	if m.Decided {
		l.Title, l.Lead = m.T.MailQuotaDecidedSubject(m.Granted, rule), m.T.MailQuotaDecidedLead(m.By, m.Granted, rule)
	} else {
		l.Title, l.Lead, l.Means = m.T.MailQuotaAskedSubject(m.By, rule), m.T.MailQuotaAskedLead(m.By, rule), m.T.MailQuotaAskedMeans()
	}
	l.Facts = []Fact{{m.T.Team(), m.Team}, {rule, m.Limit}}
	if m.Pool != "" {
		l.Facts = append(l.Facts, Fact{m.T.MailPool(), m.Pool})
	}
	if !m.Until.IsZero() {
		l.Facts = append(l.Facts, Fact{m.T.MailUntil(), m.moment(m.Until)})
	}
	if m.Reason != "" {
		l.Facts = append(l.Facts, Fact{m.T.MailReason(), m.Reason})
	}
	return l
}
