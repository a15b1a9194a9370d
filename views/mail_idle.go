package views

import "time"

// IdleMail says that an instance does nothing but cost.
type IdleMail struct {
	MailBase
	Instance   string
	InstanceID string
	Since      time.Time
	At         time.Time // it is stopped then; zero: it is not
	Keep       string    // the secret of the link that keeps it
}

// Letter is what stands in the mail.
func (m IdleMail) Letter() Letter {
	page := m.Site + "/instances/" + id(m.InstanceID)
	l := Letter{MailBase: m.MailBase, Title: m.T.MailIdleSubject(m.Instance), Lead: m.T.MailIdleLead(m.Instance), Means: m.T.MailIdleMeans(!m.At.IsZero()),
		Facts: []Fact{{m.T.MailIdleSince(), m.moment(m.Since)}}, Button: m.T.MailIdleButton(), Link: page}
	if !m.At.IsZero() {
		l.Facts = append(l.Facts, Fact{m.T.MailIdleStops(), m.moment(m.At)})
	}
	if m.Keep != "" {
		l.Facts = append(l.Facts, Fact{m.T.MailIdlePage(), page})
		l.Button, l.Link = m.T.MailIdleKeep(), m.Site+"/keep/"+m.Keep
	}
	return l
}
