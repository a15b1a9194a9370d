package web

import (
	"strconv"
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
	Day          string    `json:"day"` // of the use, in the site's zone
	InstanceID   string    `json:"instance_id"`
	Instance     string    `json:"instance"`
	Reservation  string    `json:"reservation_id"`
	TeamID       string    `json:"team_id"`
	Team         string    `json:"team"`
	PersonID     string    `json:"person_id"`
	Person       string    `json:"person"`
	Item         string    `json:"item"`
	GPUModel     string    `json:"gpu_model"`
	AmountMicros int64     `json:"amount_micros"`
	Postings     []Posting `json:"postings"`
	CorrectsID   int64     `json:"corrects_id"` // by hand: the entry that it puts right, else 0
	CorrectedBy  []int64   `json:"corrected_by"`
	Note         string    `json:"note"`
}

// Posting is one side of an entry.
type Posting struct {
	Account      string `json:"account"`
	AmountMicros int64  `json:"amount_micros"`
}

func (s *Server) getLedger(c *call) error {
	f := store.EntryFilter{TeamID: c.team(), InstanceID: c.QueryParam("instance"), Month: c.QueryParam("month"), ByHand: c.QueryParam("by_hand") == "1"}
	if c.who.Admin {
		f.TeamID = c.QueryParam("team")
	}
	var err error
	if f.Cursor, f.Limit, err = paging(c); err != nil {
		return err
	}
	if f.InstanceID != "" && !plainID(f.InstanceID) {
		return invalid("instance", "wrong_id")
	}
	if f.TeamID != "" && !plainID(f.TeamID) {
		return invalid("team", "wrong_id")
	}
	if _, err := time.Parse("2006-01", f.Month); f.Month != "" && err != nil {
		return invalid("month", "wrong_time")
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
		out.Entries = append(out.Entries, entryOut(e))
	}
	return ok(c, out)
}

func entryOut(e store.Entry) Entry {
	out := Entry{ID: e.ID, Kind: e.Kind, At: e.At, From: e.From, To: e.To, Day: e.Day, InstanceID: e.InstanceID, Instance: e.InstanceName, Reservation: e.ReservationID, TeamID: e.TeamID,
		Team: e.TeamName, PersonID: e.PersonID, Person: e.PersonName, Item: string(e.Item), GPUModel: e.GPUModel, AmountMicros: e.AmountMicros,
		CorrectsID: e.CorrectsID, CorrectedBy: append([]int64{}, e.CorrectedBy...), Note: e.Note, Postings: make([]Posting, 0, len(e.Postings))}
	for _, p := range e.Postings {
		out.Postings = append(out.Postings, Posting(p))
	}
	return out
}

// CorrectionBody is what POST takes: it names the entry by the path.
type CorrectionBody struct {
	Kind           string `json:"kind"`          // "correction" or "credit"
	AmountMicros   int64  `json:"amount_micros"` // what the team owes more; below zero less
	Note           string `json:"note"`          // why
	IdempotencyKey string `json:"idempotency_key"`
}

func (s *Server) createCorrection(c *call) error {
	of, err := s.entry(c, c.Param("id"))
	if err != nil {
		return err
	}
	var body CorrectionBody
	if err := decode(c, &body); err != nil {
		return err
	}
	request, err := c.bodyRequest(&body.IdempotencyKey, &body)
	if err != nil {
		return err
	}
	e, err := s.store.Correct(c.Request().Context(), c.who.ID, store.Correction{CorrectsID: of.ID, Kind: body.Kind, AmountMicros: body.AmountMicros, Note: body.Note, Request: request})
	if err != nil {
		return err
	}
	return created(c, apiRoot+"/ledger/"+strconv.FormatInt(e.ID, 10), entryOut(e))
}

func (s *Server) getEntry(c *call) error {
	e, err := s.entry(c, c.Param("id"))
	if err != nil {
		return err
	}
	return ok(c, entryOut(e))
}
