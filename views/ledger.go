package views

import "time"

// LedgerPage is /costs/ledger?month=2026-11&team=TEAM&by_hand=1&correct=ENTRY. What is put right is POST /costs/ledger/{entry}/correct
// with the fields kind ("correction", "credit"), amount (a decimal number, below zero to let the team off it) and note.
type LedgerPage struct {
	Page
	Rows         []LedgerRow // newest first
	Teams        []Option    // to choose from; none for whose team is the only one they see
	Team, Month  string      // what is chosen
	ByHand       bool
	Cursor, Next string
	CanCorrect   bool
	Correct      *LedgerRow // the entry that the form is about
	Form         Form
}

// LedgerRow is one entry.
type LedgerRow struct {
	ID           string
	Kind         string // "usage", "minimum", "waiver", "correction", "fee", "refund", "credit"
	At, From, To time.Time
	Name, URL    string // what it is for; "" for nothing, and where nothing can be seen
	Team, Member string
	Item, Model  string
	AmountMicros int64
	Postings     []LedgerSide
	Corrects     string   // the entry that it puts right, "" for none
	CorrectedBy  []string // those that put it right
	Note         string
}

// LedgerSide is one side of an entry.
type LedgerSide struct {
	Account      string
	AmountMicros int64
}
