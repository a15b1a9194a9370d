package views

import "time"

// MailPage is /admin/mail: what waits, what was given up and why, and how every mail looks. Its forms: POST
// /admin/mail/{id}/retry and /admin/mail/{id}/drop, and POST /admin/mail/test for a mail to who asks.
type MailPage struct {
	Page
	On        bool // a mail server is set
	Address   string
	Counts    []MailCount
	Dead      []MailRow
	Open      []MailRow
	Over      []MailRow
	Templates []string
}

// MailCount is how many mails stand somewhere.
type MailCount struct {
	State   string
	N       int64
	LastDay bool // of the last day alone
}

// MailRow is one mail of the outbox.
type MailRow struct {
	ID             int64
	At             time.Time // queued; of what is over: sent or dropped
	To, Template   string
	State          string // "waiting", "gathered", "sent", "dead", "dropped"
	Why            string // in words: the last error, or why it was dropped
	Tries          int
	NextTry        time.Time
	CanTry, CanCut bool
}

// MailPreview is /admin/mail/{template}: a mail with sample data, in the language that ?lang= says.
type MailPreview struct {
	Page
	Template, Lang string
	Letter         Letter
}

// MailStopPage is /mail/stop/{token}: switching off a kind of mail without signing in. Its form is POST to the same address.
type MailStopPage struct {
	Page
	Token, Address string
	Kinds          []string
	Done           bool
}

// MailWish is a kind of mail that a person can switch off.
type MailWish struct {
	Kind string
	On   bool
}
