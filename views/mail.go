package views

import (
	"strings"
	"time"
)

// A mail is a struct with three methods: Subject() string, Text() string and HTML() templ.Component. All of them begin
// with MailBase.

// MailBase is what every mail is given.
type MailBase struct {
	Format
	To          string // the person's name
	Site        string // the console's address, e.g. "https://gpu.example.com", without a slash at its end
	Unsubscribe string // address, "" for what can not be unsubscribed from
	Now         time.Time
}

// BudgetMail says that a threshold of a budget was crossed, or its limit reached.
type BudgetMail struct {
	MailBase
	Budget      string
	Team        string
	Percent     int
	SpentMicros int64
	LimitMicros int64
	PeriodEnd   time.Time // half-open
	Action      string    // "notify", "block", "spot_only", "stop": what happens at the limit
	BudgetID    string
}

// StoppedMail says that an instance was stopped, why and what it cost.
type StoppedMail struct {
	MailBase
	Instance   string
	InstanceID string
	Reason     string // "person", "hours", "budget", "reservation", "exited", "failed", "lost", "admin"
	By         string // who, for "person" and "admin"
	ExitCode   int    // for "exited"
	StartedAt  time.Time
	StoppedAt  time.Time
	Seconds    int64 // billed
	CostMicros int64
	Simulated  bool
}

// InvitationMail carries a link that signs a person in once.
type InvitationMail struct {
	MailBase
	Team    string
	By      string // who invites
	Link    string // one-time
	Expires time.Time
	New     bool // an invitation; a sign-in link else
}

// text is the one shape of all plain parts. What a person named is kept on one line, so that it can not pass for more mail.
func (m MailBase) text(lead, means string, facts []Fact, button, link string) string {
	var b strings.Builder
	line := func(s string) { b.WriteString(oneLine(s) + "\n") }
	line(m.T.MailHello(m.To))
	line("")
	line(lead)
	if means != "" {
		line(means)
	}
	if len(facts) > 0 {
		line("")
	}
	for _, f := range facts {
		line(f.Name + ": " + f.Value)
	}
	line("")
	line(button + ":")
	line(link)
	line("")
	line("-- ")
	line(m.T.MailFoot(m.Site))
	if m.Unsubscribe != "" {
		line(m.T.MailUnsubscribe() + ": " + m.Unsubscribe)
	}
	return b.String()
}

// oneLine takes line breaks and what else steers a terminal out of a text.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}
