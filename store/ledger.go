package store

import "time"

// Entry is one double entry of the ledger.
type Entry struct {
	ID                                                               int64
	Key, Kind                                                        string    // Kind: "usage", "minimum", "waiver" or "correction"
	At, From, To                                                     time.Time // booked at; for use in [From, To)
	InstanceID, InstanceName, TeamID, TeamName, PersonID, PersonName string
	AmountMicros                                                     int64 // the team's side
	Postings                                                         []Posting
}

// Posting is one side of an entry. An entry's postings add up to zero.
type Posting struct {
	Account      string // such as "team:t-…" or "revenue:on_demand"
	AmountMicros int64
}

// EntryFilter chooses entries. Zero values choose all.
type EntryFilter struct {
	TeamID, InstanceID string
	From, To           time.Time // booked in [From, To)
	Cursor             string
	Limit              int // 0: 100; at most 1000
}

// CheckResult is what comparing every bill with its postings found.
type CheckResult struct {
	Instances       int
	FirstDifference string // in words; "" where there is none
	OK              bool
}
