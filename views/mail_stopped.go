package views

import (
	"strconv"
	"time"
)

// StoppedMail says that an instance was stopped, why and what it cost.
type StoppedMail struct {
	MailBase
	Instance   string
	InstanceID string
	Reason     string // "person", "hours", "budget", "reservation", "exited", "failed", "lost", "admin", …
	By         string // who, for "person" and "admin"
	ExitCode   int    // for "exited"
	StartedAt  time.Time
	StoppedAt  time.Time
	Seconds    int64 // billed
	CostMicros int64
	Simulated  bool
}

// Letter is what stands in the mail.
func (m StoppedMail) Letter() Letter {
	facts := []Fact{}
	if !m.StartedAt.IsZero() {
		facts = append(facts, Fact{m.T.StartedHeading(), m.moment(m.StartedAt)})
	}
	facts = append(facts, Fact{m.T.EndedHeading(), m.moment(m.StoppedAt)}, Fact{m.T.MailBilled(), m.Format.Seconds(m.Seconds)}, Fact{m.T.CostTotal(), m.Exact(m.CostMicros)})
	if m.Simulated {
		facts = append(facts, Fact{m.T.Hardware(), m.T.Simulated()})
	}
	return Letter{MailBase: m.MailBase, Title: m.T.MailStoppedSubject(m.Instance, m.Cost(m.CostMicros)), Lead: m.T.MailStoppedLead(m.Instance),
		Means: m.T.MailStoppedWhy(m.Reason, m.By, strconv.Itoa(m.ExitCode)), Facts: facts, Button: m.T.MailStoppedButton(), Link: m.Site + "/instances/" + id(m.InstanceID)}
}
