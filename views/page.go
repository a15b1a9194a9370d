// Package views draws the pages and the mail. A view is a templ component that takes one struct of plain values, which its
// handler fills; it may import web/lang and static, never the store, the hardware or the clock. Every number, time and
// amount is written by format.go, every word by web/lang: a literal text in a template fails a test.
package views

import (
	"time"

	"github.com/meterhouse/meterhouse/web/lang"
)

// Page is what every page is given. Only Format, CSRF and Path are needed where nobody is signed in.
type Page struct {
	Format
	Path   string // the request's path, e.g. "/instances/i-7f3a91"; marks the place in the navigation
	CSRF   string // goes into the hidden field "csrf" of every form and the header X-CSRF-Token
	Key    string // goes into the hidden field "idempotency_key" of forms that make something: one sent twice has one effect
	Nonce  string // CSP nonce of this answer; used for <style> on the page with a terminal alone
	Person *Person
	Budget *BudgetBar
	Nav    NavCounts
	Flash  *Flash
	Now    time.Time // when the page was made: what "in 5 min" and "3 s old" are counted from
	// SimulatedOnly says that this site has simulated GPUs alone, so that each page can say so once.
	SimulatedOnly bool
}

// Format says how numbers are written: its methods are in format.go. Zero values mean English, UTC and "USD".
type Format struct {
	T        lang.T
	Zone     *time.Location // the site's time zone
	Currency string         // ISO 4217 code of the site's currency
}

// Person is who is signed in.
type Person struct {
	ID, Name, Email string
	Role            string // "viewer", "member", "manager", "admin"
	Team            string // the team's name
}

// Can reports whether the person's role is at least as strong as role.
func (p *Person) Can(role string) bool {
	return p != nil && roleRank(p.Role) >= roleRank(role)
}

func roleRank(role string) int {
	for i, r := range []string{"viewer", "member", "manager", "admin"} {
		if r == role {
			return i + 1
		}
	}
	return 0
}

// BudgetBar is the tightest budget of the person's team, shown at the foot of the navigation. Amounts are micro-units.
type BudgetBar struct {
	Team        string
	SpentMicros int64
	LimitMicros int64
	Period      string // "day", "week", "month", "quarter", "rolling"
	Until       time.Time
	URL         string // where the budget is explained, "" for /budgets
}

// NavCounts are the numbers beside the navigation's entries; 0 is not shown.
type NavCounts struct {
	Inbox     int // what needs the person
	Instances int // that are not stopped or failed
	GPUs      int
}

// Flash is a message about what was just done, shown once at the top of the next page.
type Flash struct {
	Kind string // "done", "warn", "bad"
	Text string // from the catalogue
	// Undo, if set, is the path that a POST takes back; the button shows for 10 s (PAGES.md).
	Undo string
}
