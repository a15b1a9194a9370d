package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/money"
)

// issueAfter is how long after a month's end its invoices are issued: what ran over the end is booked by then.
const issueAfter = 6 * time.Hour

// IssueInvoices issues every invoice that is due: for each team, in order, every month that has been over for six hours and
// in which it has used anything, or in which something of an earlier month was booked. A team of which something runs that
// is not booked up to that month's end waits until it is. It returns how many that were. Doing it again at once issues none.
func (s *Store) IssueInvoices(ctx context.Context) (issued int, err error) {
	for {
		found := false
		err := s.read(ctx, func(t *tx) error {
			_, found, err = t.nextInvoice()
			return err
		})
		if err != nil || !found {
			return issued, err
		}
		err = s.write(ctx, func(t *tx) error {
			v, ok, err := t.nextInvoice()
			if found = ok; err != nil || !ok {
				return err
			}
			return t.issue(v)
		})
		if err != nil {
			return issued, err
		}
		if found {
			issued++
		}
	}
}

// nextInvoice finds the first team and month for which an invoice is due.
func (t *tx) nextInvoice() (v Invoice, ok bool, err error) {
	site, err := t.site()
	if err != nil {
		return v, false, err
	}
	zone, err := t.siteZone()
	if err != nil {
		return v, false, err
	}
	monthNow, _ := budget.Month.Bounds(t.now.Add(-issueAfter), zone)
	limit := monthNow.In(zone).Format(time.DateOnly)
	const open = "EXISTS (SELECT 1 FROM instance i WHERE i.team_id = t.id AND i.ended_at IS NULL AND i.state <> 'unreachable' AND i.booked_through < ?2) " +
		"OR EXISTS (SELECT 1 FROM volume w WHERE w.team_id = t.id AND w.deleted_at IS NULL AND w.booked_through < ?2)"
	// A team's next month is that of the first day after its last invoice with an entry, or the one after it if any came late.
	err = t.row(`SELECT t.id, t.name, coalesce(l.next_day, ''), coalesce(l.through_entry, 0),
		CASE WHEN EXISTS (SELECT 1 FROM entry e WHERE e.team_id = t.id AND e.id > l.through_entry AND +e.day < l.next_day) THEN l.next_day
			ELSE (SELECT min(e.day) FROM entry e WHERE e.team_id = t.id AND e.day >= coalesce(l.next_day, '')) END AS first
		FROM team t LEFT JOIN invoice l ON l.team_id = t.id AND l.first_day = (SELECT max(first_day) FROM invoice WHERE team_id = t.id)
		WHERE first < ?1 AND NOT (`+open+`) ORDER BY first, t.id LIMIT 1`, limit, micros(monthNow)).Scan(&v.TeamID, &v.TeamName, &v.dayBeyond, &v.throughEntry, &v.firstDay)
	if err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return v, false, err
	}
	first, err := midnightOf(v.firstDay, zone)
	if err != nil {
		return v, false, err
	}
	v.From, v.To = budget.Month.Bounds(first, zone)
	v.SiteName, v.Currency, v.TimeZone = site.Name, site.Currency, site.TimeZone
	return v, true, nil
}

// issue writes the invoice of the month [v.From, v.To): its own entries, and those of earlier months that were booked after
// the invoice before it.
func (t *tx) issue(v Invoice) error {
	zone, err := t.siteZone()
	if err != nil {
		return err
	}
	number, err := t.number("SELECT 1 + coalesce(max(number), 0) FROM invoice")
	if err != nil {
		return err
	}
	through, err := t.number("SELECT max(id) FROM entry")
	if err != nil {
		return err
	}
	first, beyond := v.From.In(zone).Format(time.DateOnly), v.To.In(zone).Format(time.DateOnly)
	lines, err := list(t, scanInvoiceLine, `SELECT substr(e.day, 1, 7) AS month, e.person_id, p.name, e.item, e.gpu_model,
		CASE WHEN e.kind IN ('fee', 'refund', 'credit') OR e.corrects_id IS NOT NULL THEN e.kind ELSE 'use' END AS line_kind, sum(e.gpu_micros), sum(o.amount), 0,
		CASE WHEN e.corrects_id IS NOT NULL THEN e.id ELSE 0 END AS by_hand, coalesce(e.corrects_id, 0), CASE WHEN e.corrects_id IS NOT NULL THEN e.note ELSE '' END
		FROM entry e JOIN posting o ON o.entry_id = e.id AND o.account = 'team:' || e.team_id JOIN person p ON p.id = e.person_id
		WHERE e.team_id = ?1 AND e.day < ?3 AND (e.day >= ?2 OR e.id > ?4)
		GROUP BY month, e.person_id, e.item, e.gpu_model, line_kind, by_hand ORDER BY month DESC, p.name, e.person_id, e.item, e.gpu_model, line_kind <> 'use', by_hand, line_kind`,
		v.TeamID, first, beyond, v.throughEntry)
	if err != nil {
		return err
	}
	amounts := make([]int64, len(lines))
	var exact int64
	for k, l := range lines {
		amounts[k] = l.AmountMicros
		exact += l.AmountMicros
	}
	minor, total := money.Minor(amounts, MinorUnit(v.Currency))
	for k, l := range lines {
		if _, err := t.exec(`INSERT INTO invoice_line (number, line, month, person_id, person_name, item, gpu_model, kind, gpu_micros, amount_micros, amount_minor, entry_id, corrects_id, note)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), nullif(?, 0), ?)`, number, k+1, l.Month, l.PersonID, l.PersonName, string(l.Item), l.GPUModel, l.Kind,
			l.GPUTime.Microseconds(), l.AmountMicros, minor[k], l.EntryID, l.CorrectsID, l.Note); err != nil {
			return err
		}
	}
	_, err = t.exec(`INSERT INTO invoice (number, team_id, team_name, site_name, currency, time_zone, first_day, next_day, issued_at, through_entry, amount_micros, amount_minor)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, number, v.TeamID, v.TeamName, v.SiteName, v.Currency, v.TimeZone, first, beyond, micros(t.now), through, exact, total)
	t.emit("invoice", "")
	return err
}

// midnightOf is where a day of a zone begins.
func midnightOf(day string, zone *time.Location) (time.Time, error) {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return at, err
	}
	return budget.Midnight(at.Year(), at.Month(), at.Day(), zone), nil
}

// noMinor are the currencies without a smaller unit, and milli those with a thousand of them (ISO 4217).
const (
	noMinor = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
	milli   = "BHD IQD JOD KWD LYD OMR TND"
)

// MinorUnit is how many micro-units the smallest unit of a currency has: 10,000 for a cent.
func MinorUnit(currency string) int64 {
	switch {
	case strings.Contains(noMinor, currency):
		return money.Unit
	case strings.Contains(milli, currency):
		return money.Unit / 1000
	}
	return money.Unit / 100
}
