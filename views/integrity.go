package views

import "time"

// IntegrityPage is /costs/integrity: whether every bill, folded anew from its segments, equals what is booked. POST
// /costs/integrity begins a check, POST /costs/integrity/cancel gives it up.
type IntegrityPage struct {
	Page
	Form    Form
	Running *IntegrityRun  // nil: none
	Last    *IntegrityRun  // the last one that came to a result; nil: none yet
	Runs    []IntegrityRun // the newest first
}

// IntegrityRun is one check.
type IntegrityRun struct {
	Status       string // "queued", "running", "done", "failed", "cancelled"
	By           string
	At           time.Time // when it ended; while it runs, when it was asked for
	Done, Total  int64     // bills; Total 0: not known yet
	Instances    int64
	Reservations int64
	OK           bool
	Difference   string // the first one, in words; "" for none
	Error        string // why it failed
}
