package web

import (
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// Usage is what was used in a period; the rows add up to the total.
type Usage struct {
	From        time.Time  `json:"from"`
	To          time.Time  `json:"to"`
	GroupBy     string     `json:"group_by"`
	Rows        []UsageRow `json:"rows"`
	TotalMicros int64      `json:"total_micros"`
}

// UsageRow is one group.
type UsageRow struct {
	Key        string `json:"key"`
	Name       string `json:"name"`
	CostMicros int64  `json:"cost_micros"`
	GPUSeconds int64  `json:"gpu_seconds"`
}

func (s *Server) getUsage(c *call) error {
	zone, err := s.zone(c)
	if err != nil {
		return err
	}
	now := s.now()
	from, to, err := s.interval(c, monthOf(now, zone), now)
	if err != nil {
		return err
	}
	group := c.QueryParam("group_by")
	if group == "" {
		group = "team"
	}
	if !usageGroup(group) {
		return invalid("group_by", "unknown_group")
	}
	out := Usage{From: from, To: to, GroupBy: group, Rows: []UsageRow{}}
	list, err := s.store.Usage(c.Request().Context(), store.UsageQuery{From: from, To: to, GroupBy: group, TeamID: c.team()})
	if err != nil {
		return err
	}
	for _, r := range list {
		out.Rows = append(out.Rows, UsageRow(r))
		out.TotalMicros += r.CostMicros
	}
	return ok(c, out)
}

func usageGroup(g string) bool {
	switch g {
	case "team", "member", "gpu_model", "day", "kind":
		return true
	}
	key, found := strings.CutPrefix(g, "label:")
	return found && key != "" && len(key) <= 100 && printable(key)
}

// monthOf is the midnight with which a moment's month begins in a zone.
func monthOf(at time.Time, zone *time.Location) time.Time {
	y, m, _ := at.In(zone).Date()
	return time.Date(y, m, 1, 0, 0, 0, 0, zone).UTC()
}

// Ledger is a page of entries.
type Ledger struct {
	Entries    []Entry `json:"entries"`
	NextCursor string  `json:"next_cursor"`
}

// Entry is one double entry; its postings add up to zero.
type Entry struct {
	ID           int64     `json:"id"`
	Kind         string    `json:"kind"`
	At           time.Time `json:"at"`
	From         time.Time `json:"from"`
	To           time.Time `json:"to"`
	InstanceID   string    `json:"instance_id"`
	Instance     string    `json:"instance"`
	TeamID       string    `json:"team_id"`
	Team         string    `json:"team"`
	PersonID     string    `json:"person_id"`
	Person       string    `json:"person"`
	AmountMicros int64     `json:"amount_micros"`
	Postings     []Posting `json:"postings"`
}

// Posting is one side of an entry.
type Posting struct {
	Account      string `json:"account"`
	AmountMicros int64  `json:"amount_micros"`
}

func (s *Server) getLedger(c *call) error {
	f := store.EntryFilter{TeamID: c.team(), InstanceID: c.QueryParam("instance")}
	var err error
	if f.Cursor, f.Limit, err = paging(c); err != nil {
		return err
	}
	if f.InstanceID != "" && !plainID(f.InstanceID) {
		return invalid("instance", "wrong_id")
	}
	if c.QueryParam("from") != "" || c.QueryParam("to") != "" {
		if f.From, f.To, err = s.interval(c, time.Unix(0, 0).UTC(), s.now().Add(time.Second)); err != nil {
			return err
		}
	}
	list, next, err := s.store.Entries(c.Request().Context(), f)
	if err != nil {
		return err
	}
	out := Ledger{Entries: make([]Entry, 0, len(list)), NextCursor: next}
	for _, e := range list {
		entry := Entry{ID: e.ID, Kind: e.Kind, At: e.At, From: e.From, To: e.To, InstanceID: e.InstanceID, Instance: e.InstanceName, TeamID: e.TeamID,
			Team: e.TeamName, PersonID: e.PersonID, Person: e.PersonName, AmountMicros: e.AmountMicros, Postings: make([]Posting, 0, len(e.Postings))}
		for _, p := range e.Postings {
			entry.Postings = append(entry.Postings, Posting(p))
		}
		out.Entries = append(out.Entries, entry)
	}
	return ok(c, out)
}
