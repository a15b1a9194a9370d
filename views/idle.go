package views

import "time"

// IdleFacts is what an instance's page says of its being idle.
type IdleFacts struct {
	Since     time.Time // zero: it is not, or nobody looked
	StopsAt   time.Time // zero: no stop was told
	KeptUntil time.Time // zero: nobody keeps it
	KeptBy    string    // "": by the link in the mail
	CanKeep   bool
}

// KeepPage is /keep/{token}: keeping an instance without signing in. Its form is POST to the same address.
type KeepPage struct {
	Page
	Token, Name       string
	RateMicrosPerHour int64
	Until             time.Time // once it is kept
}

// IdlePage is /admin/idle. Its form is POST to the same address with on, mail, stop, minimum (hours) and do, "try" or "save".
type IdlePage struct {
	Page
	Form        Form
	On          bool      // what holds
	SetAt       time.Time // zero: as it is by default
	SetBy       string    // "": the command line
	Would       []IdleWould
	SavedMicros int64
}

// IdleWould is a stop that the settings would have made.
type IdleWould struct {
	ID, Name, Owner, Team string
	Since, At             time.Time
	SavedMicros           int64
}

// idleSetAt is when what holds was set, "" for never.
func idleSetAt(v IdlePage) string {
	if v.SetAt.IsZero() {
		return ""
	}
	return v.Near(v.SetAt, v.Now)
}
