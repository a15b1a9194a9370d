package views

import (
	"strconv"

	"github.com/a-h/templ"
)

// Subject is the mail's subject, one line.
func (m StoppedMail) Subject() string {
	return oneLine(m.T.MailStoppedSubject(m.Instance, m.Cost(m.CostMicros)))
}

// why says why it was stopped.
func (m StoppedMail) why() string {
	return m.T.MailStoppedWhy(m.Reason, m.By, strconv.Itoa(m.ExitCode))
}

func (m StoppedMail) facts() []Fact {
	facts := []Fact{}
	if !m.StartedAt.IsZero() {
		facts = append(facts, Fact{m.T.StartedHeading(), m.DateTime(m.StartedAt) + " " + m.ZoneAbbr(m.StartedAt)})
	}
	facts = append(facts,
		Fact{m.T.EndedHeading(), m.DateTime(m.StoppedAt) + " " + m.ZoneAbbr(m.StoppedAt)},
		Fact{m.T.MailBilled(), m.billed()},
		Fact{m.T.CostTotal(), m.Exact(m.CostMicros)})
	if m.Simulated {
		facts = append(facts, Fact{m.T.Hardware(), m.T.Simulated()})
	}
	return facts
}

// billed is the billed time in words.
func (m StoppedMail) billed() string { return m.Format.Seconds(m.Seconds) }

func (m StoppedMail) link() string { return m.Site + "/instances/" + id(m.InstanceID) }

// Text is the mail's plain part.
func (m StoppedMail) Text() string {
	return m.text(m.T.MailStoppedLead(m.Instance), m.why(), m.facts(), m.T.MailStoppedButton(), m.link())
}

// HTML is the mail's HTML part.
func (m StoppedMail) HTML() templ.Component {
	return mailHTML(m.MailBase, m.Subject(), m.T.MailStoppedLead(m.Instance), m.why(), m.facts(), m.T.MailStoppedButton(), m.link())
}
