package store

import (
	"context"
	"encoding/json"
	"strconv"
	"time"
)

// Entry is one double entry of the ledger. Entries are never changed: what was wrong is put right by another.
type Entry struct {
	ID                       int64
	Key                      string    // doing it twice has one effect
	Kind                     string    // "usage", "minimum", "waiver", "correction", "fee", "refund" or "credit"
	At                       time.Time // when it was booked
	From, To                 time.Time // the use it is for, within a day of the site's zone
	InstanceID, InstanceName string    // what it is for: an instance,
	ReservationID            string    // a reservation,
	ReservationName          string
	VolumeID, VolumeName     string // or a volume; with a credit, none of them
	TeamID, TeamName         string
	PersonID, PersonName     string
	Item                     InstanceKind // what was rented
	GPUModel                 string       // "": CPU-only work
	AmountMicros             int64        // the team's side
	GPUTime                  time.Duration
	Postings                 []Posting
	CorrectsID               int64   // of a correction or credit by hand: the entry that it puts right; else 0
	CorrectedBy              []int64 // by hand, the first one first
	Note                     string  // why, of a correction or credit by hand
	Day                      string  // of the use, in the site's zone of that time, such as "2026-03-29"

	labels map[string]string
}

// Posting is one side of an entry. An entry's postings add up to zero.
type Posting struct {
	Account      string `json:"account"` // such as "team:t-…" or "revenue:on_demand"
	AmountMicros int64  `json:"amount_micros"`
}

// EntryFilter chooses entries. Zero values choose all.
type EntryFilter struct {
	TeamID, InstanceID, ReservationID string
	Month                             string    // of the use, such as "2026-03"
	ByHand                            bool      // corrections and credits by hand alone
	From, To                          time.Time // booked in [From, To)
	Cursor                            string    // next of the page before
	Limit                             int       // 0: 100; at most 1000
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
	if f.ReservationID != "" {
		where, args = where+" AND e.reservation_id = ?", append(args, f.ReservationID)
	}
	if f.Month != "" {
		where, args = where+" AND e.day BETWEEN ? AND ?", append(args, f.Month+"-01", f.Month+"-31")
	}
	if f.ByHand {
		where += " AND e.corrects_id IS NOT NULL"
	}
	if !f.From.IsZero() {
		where, args = where+" AND e.at >= ?", append(args, micros(f.From))
	}
	if !f.To.IsZero() {
		where, args = where+" AND e.at < ?", append(args, micros(f.To))
	}
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanEntry, entryQuery+`
			WHERE `+where+` ORDER BY e.id DESC LIMIT ?`, append(args, limit+1)...)
		return err
	})
	all, next = page(all, limit, func(e Entry) int64 { return e.ID })
	return all, next, err
}

// Entry returns one entry.
func (s *Store) Entry(ctx context.Context, id int64) (e Entry, err error) {
	err = s.read(ctx, func(t *tx) error {
		e, err = t.getEntry(id)
		return err
	})
	return e, err
}

func (t *tx) getEntry(id int64) (Entry, error) {
	e, err := scanEntry(t.row(entryQuery+"WHERE e.id = ?", id))
	return e, orNotFound(err, "entry", strconv.FormatInt(id, 10))
}

const entryColumns = `e.id, e.key, e.kind, e.at, e.from_at, e.to_at, coalesce(e.instance_id, ''), coalesce(i.name, ''), coalesce(e.reservation_id, ''),
	coalesce(r.name, ''), coalesce(e.volume_id, ''), coalesce(v.name, ''), e.team_id, t.name, e.person_id, p.name, e.item, e.gpu_model, e.gpu_micros,
	(SELECT json_group_array(json_object('account', account, 'amount_micros', amount)) FROM posting WHERE entry_id = e.id),
	coalesce(e.corrects_id, 0), (SELECT json_group_array(c.id) FROM entry c WHERE c.corrects_id = e.id), e.note, e.day, coalesce(i.labels, '{}')`

const entryQuery = "SELECT " + entryColumns + `
	FROM entry e LEFT JOIN instance i ON i.id = e.instance_id LEFT JOIN reservation r ON r.id = e.reservation_id LEFT JOIN volume v ON v.id = e.volume_id
	JOIN team t ON t.id = e.team_id JOIN person p ON p.id = e.person_id `

func scanEntry(r scanner) (Entry, error) {
	var e Entry
	var at, from, to, gpuMicros int64
	var postings, corrected, labels string
	if err := r.Scan(&e.ID, &e.Key, &e.Kind, &at, &from, &to, &e.InstanceID, &e.InstanceName, &e.ReservationID, &e.ReservationName,
		&e.VolumeID, &e.VolumeName, &e.TeamID, &e.TeamName, &e.PersonID, &e.PersonName, &e.Item, &e.GPUModel, &gpuMicros, &postings,
		&e.CorrectsID, &corrected, &e.Note, &e.Day, &labels); err != nil {
		return e, err
	}
	e.At, e.From, e.To, e.GPUTime = fromMicros(at), fromMicros(from), fromMicros(to), time.Duration(gpuMicros)*time.Microsecond
	for text, into := range map[string]any{postings: &e.Postings, corrected: &e.CorrectedBy, labels: &e.labels} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			return e, err
		}
	}
	for _, p := range e.Postings {
		if p.Account == "team:"+e.TeamID {
			e.AmountMicros = p.AmountMicros
		}
	}
	return e, nil
}
