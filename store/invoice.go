package store

import (
	"context"
	"strconv"
	"time"
)

// Invoice is a team's month, final once it is issued.
type Invoice struct {
	Number              int64 // counted without gaps over all teams
	TeamID, TeamName    string
	SiteName, Currency  string
	TimeZone            string
	Month               string // of the use, such as "2026-03"
	From, To            time.Time
	IssuedAt            time.Time
	AmountMicros        int64 // what the entries add up to
	AmountMinor         int64 // what is asked for, in the currency's smallest unit
	Lines               []InvoiceLine
	throughEntry        int64
	firstDay, dayBeyond string
}

// InvoiceLine is what one person used of one thing. Lines add up to the invoice exactly, in micro-units and in what is shown.
type InvoiceLine struct {
	Month                string // an earlier one than the invoice's is a correction
	PersonID, PersonName string
	Item                 InstanceKind
	GPUModel             string // "": CPU-only work
	Kind                 string // "use", "fee", "refund", "credit" or "correction"
	GPUTime              time.Duration
	AmountMicros         int64
	AmountMinor          int64
	EntryID, CorrectsID  int64  // of a correction or credit by hand: its entry, and the one that it puts right; else 0
	Note                 string // why, of a correction or credit by hand
}

const lineQuery = `SELECT month, person_id, person_name, item, gpu_model, kind, gpu_micros, amount_micros, amount_minor,
	coalesce(entry_id, 0), coalesce(corrects_id, 0), note FROM invoice_line WHERE number = ? ORDER BY line`

const invoiceQuery = `SELECT v.number, v.team_id, v.team_name, v.site_name, v.currency, v.time_zone, v.first_day, v.next_day, v.issued_at, v.through_entry,
	v.amount_micros, v.amount_minor FROM invoice v `

func scanInvoice(r scanner) (Invoice, error) {
	var v Invoice
	var issued int64
	if err := r.Scan(&v.Number, &v.TeamID, &v.TeamName, &v.SiteName, &v.Currency, &v.TimeZone, &v.firstDay, &v.dayBeyond, &issued, &v.throughEntry,
		&v.AmountMicros, &v.AmountMinor); err != nil {
		return v, err
	}
	zone, err := location(v.TimeZone)
	if err != nil {
		return v, err
	}
	v.Month, v.IssuedAt = v.firstDay[:7], fromMicros(issued)
	if v.From, err = midnightOf(v.firstDay, zone); err != nil {
		return v, err
	}
	v.To, err = midnightOf(v.dayBeyond, zone)
	return v, err
}

// Invoices returns a team's invoices without their lines, every team's for "", newest first, a page at a time.
func (s *Store) Invoices(ctx context.Context, teamID, cursor string, limit int) (all []Invoice, next string, err error) {
	before, err := beforeCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	limit = pageLimit(limit, 50, 500)
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanInvoice, invoiceQuery+"WHERE v.number < ?1 AND (?2 = '' OR v.team_id = ?2) ORDER BY v.number DESC LIMIT ?3", before, teamID, limit+1)
		return err
	})
	all, next = page(all, limit, func(v Invoice) int64 { return v.Number })
	return all, next, err
}

// Invoice returns one invoice with its lines.
func (s *Store) Invoice(ctx context.Context, number int64) (v Invoice, err error) {
	err = s.read(ctx, func(t *tx) error {
		v, err = scanInvoice(t.row(invoiceQuery+"WHERE v.number = ?", number))
		if err != nil {
			return orNotFound(err, "invoice", strconv.FormatInt(number, 10))
		}
		v.Lines, err = list(t, scanInvoiceLine, lineQuery, number)
		return err
	})
	return v, err
}

func scanInvoiceLine(r scanner) (InvoiceLine, error) {
	var l InvoiceLine
	var gpuMicros int64
	err := r.Scan(&l.Month, &l.PersonID, &l.PersonName, &l.Item, &l.GPUModel, &l.Kind, &gpuMicros, &l.AmountMicros, &l.AmountMinor, &l.EntryID, &l.CorrectsID, &l.Note)
	l.GPUTime = time.Duration(gpuMicros) * time.Microsecond
	return l, err
}
