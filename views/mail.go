package views

import (
	"time"

	"github.com/a-h/templ"
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

// Subject is the mail's subject, one line.
func (m BudgetMail) Subject() string { return "" }

// Text is the mail's plain part.
func (m BudgetMail) Text() string { return "" }

// HTML is the mail's HTML part.
func (m BudgetMail) HTML() templ.Component { return budgetHTML(m) }

// Subject is the mail's subject, one line.
func (m StoppedMail) Subject() string { return "" }

// Text is the mail's plain part.
func (m StoppedMail) Text() string { return "" }

// HTML is the mail's HTML part.
func (m StoppedMail) HTML() templ.Component { return stoppedHTML(m) }

// Subject is the mail's subject, one line.
func (m InvitationMail) Subject() string { return "" }

// Text is the mail's plain part.
func (m InvitationMail) Text() string { return "" }

// HTML is the mail's HTML part.
func (m InvitationMail) HTML() templ.Component { return invitationHTML(m) }
