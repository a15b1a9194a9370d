package store

import (
	"context"
	"encoding/json"
	"time"
)

// Entry is one double entry of the ledger. Entries are never changed: what was wrong is put right by another.
type Entry struct {
	ID                       int64
	Key                      string    // doing it twice has one effect
	Kind                     string    // "usage", "minimum", "waiver" or "correction"
	At                       time.Time // when it was booked
	From, To                 time.Time // the use it is for
	InstanceID, InstanceName string
	TeamID, TeamName         string
	PersonID, PersonName     string
	AmountMicros             int64 // the team's side
	Postings                 []Posting
}

// Posting is one side of an entry. An entry's postings add up to zero.
type Posting struct {
	Account      string `json:"account"` // such as "team:t-…" or "revenue:on_demand"
	AmountMicros int64  `json:"amount_micros"`
}

// EntryFilter chooses entries. Zero values choose all.
type EntryFilter struct {
	TeamID, InstanceID string
	From, To           time.Time // booked in [From, To)
	Cursor             string    // next of the page before
	Limit              int       // 0: 100; at most 1000
}

// CheckResult is what comparing every bill with its postings found.
type CheckResult struct {
	Instances       int    // compared
	FirstDifference string // in words; "" where there is none
	OK              bool
}

// Entries returns the newest first, a page at a time; next is "" on the last page.
func (s *Store) Entries(ctx context.Context, f EntryFilter) (all []Entry, next string, err error) {
	before, err := beforeCursor(f.Cursor)
	if err != nil {
		return nil, "", err
	}
	limit := pageLimit(f.Limit, 100, 1000)
	where, args := "e.id < ?", []any{before}
	if f.TeamID != "" {
		where, args = where+" AND e.team_id = ?", append(args, f.TeamID)
	}
	if f.InstanceID != "" {
		where, args = where+" AND e.instance_id = ?", append(args, f.InstanceID)
	}
	if !f.From.IsZero() {
		where, args = where+" AND e.at >= ?", append(args, micros(f.From))
	}
	if !f.To.IsZero() {
		where, args = where+" AND e.at < ?", append(args, micros(f.To))
	}
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanEntry, `SELECT e.id, e.key, e.kind, e.at, e.from_at, e.to_at, e.instance_id, i.name, e.team_id, t.name, i.person_id, p.name,
			(SELECT json_group_array(json_object('account', account, 'amount_micros', amount)) FROM posting WHERE entry_id = e.id)
			FROM entry e JOIN instance i ON i.id = e.instance_id JOIN team t ON t.id = e.team_id JOIN person p ON p.id = i.person_id
			WHERE `+where+` ORDER BY e.id DESC LIMIT ?`, append(args, limit+1)...)
		return err
	})
	all, next = page(all, limit, func(e Entry) int64 { return e.ID })
	return all, next, err
}

func scanEntry(r scanner) (Entry, error) {
	var e Entry
	var at, from, to int64
	var postings string
	if err := r.Scan(&e.ID, &e.Key, &e.Kind, &at, &from, &to, &e.InstanceID, &e.InstanceName, &e.TeamID, &e.TeamName, &e.PersonID, &e.PersonName, &postings); err != nil {
		return e, err
	}
	e.At, e.From, e.To = fromMicros(at), fromMicros(from), fromMicros(to)
	if err := json.Unmarshal([]byte(postings), &e.Postings); err != nil {
		return e, err
	}
	for _, p := range e.Postings {
		if p.Account == "team:"+e.TeamID {
			e.AmountMicros = p.AmountMicros
		}
	}
	return e, nil
}
