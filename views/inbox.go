package views

import "time"

// InboxPage is /inbox. Deciding is POST /quotas/requests/{id}/decide with do ("grant" or "refuse"), limit, hours and reason;
// POST /quotas/requests/{id}/withdraw; POST /inbox/read with up_to (RFC 3339).
type InboxPage struct {
	Page
	Decide  []QuotaRequestRow
	Own     []QuotaRequestRow
	Notices []NoticeRow
	Unread  int
	UpTo    string // what was sent with the page: what comes later stays new
}

// QuotaRequestRow is a request to raise a limit. Wanted and Granted are in the kind's unit.
type QuotaRequestRow struct {
	ID, Who         string
	Row             QuotaRow
	Wanted, Granted int64
	Hours           int
	Why             string
	AskedAt         time.Time
	State           string // "open", "granted", "refused", "withdrawn"
	By, Reason      string
	Until           time.Time
	Form            Form // of the decision
}

// NoticeRow is something that happened. What is a stop's reason, a forecast or not, a decision, an error, in words where
// there are some.
type NoticeRow struct {
	Kind, Name, What string
	At, Moment       time.Time
	Number           int64 // per cent
	SpentMicros      int64
	LimitMicros      int64
	URL              string // "" for none
	Unread           bool
}

// wanted is what a request asks for, "" where the limit is to be lifted.
func (r QuotaRequestRow) wanted(p Page) string {
	if !limited(r.Row.Kind) {
		return ""
	}
	return p.QuotaAmount(r.Row.Kind, r.Wanted)
}

// words say what a notice is of.
func (n NoticeRow) words(p Page) string {
	name, moment := n.Name, ""
	if n.Kind == "quota_decided" {
		name = p.T.QuotaKind(n.Name)
	}
	if !n.Moment.IsZero() {
		moment = p.Near(n.Moment, p.Now)
	}
	return p.T.InboxNotice(n.Kind, name, n.What, Percent(n.Number*10), p.Amount(n.SpentMicros), p.Amount(n.LimitMicros), moment)
}
