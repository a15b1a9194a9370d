package store

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/money"
)

// Charge is an entry of the ledger with the prices behind it and the invoice that it stands on, as exports have it.
type Charge struct {
	Entry
	Labels                 map[string]string // of its instance
	PlanID                 string            // "" where it is for neither an instance nor a reservation
	RateMicrosPerHour      int64             // of the whole plan, as it was locked; 0 for what is put right by hand
	ListMicrosPerHour      int64             // before the discount
	ListMicros             int64             // what it would have cost at the list price
	Claimed                bool              // a reservation that somebody used by then
	Invoice                int64             // its number; 0 while it is not issued
	BillingFrom, BillingTo time.Time         // the month of that invoice, [from, to)
	AnotherMonth           bool              // put right after the month of its use was invoiced
}

// chargeBatch is how many charges one transaction reads, so that a slow reader holds none open.
const chargeBatch = 500

// Charges visits, in the order in which they were booked, what a team (every team for "") was charged for days from first
// to before next, such as "2026-03-01". It sees the ledger as it is at the beginning; visit may take its time.
func (s *Store) Charges(ctx context.Context, teamID, first, next string, visit func(Charge) error) error {
	var invoices map[string][]Invoice
	var last int64
	var zone *time.Location
	err := s.read(ctx, func(t *tx) (err error) {
		if zone, err = t.siteZone(); err != nil {
			return err
		}
		if last, err = t.number("SELECT max(id) FROM entry"); err != nil {
			return err
		}
		invoices, err = t.invoicesOf(teamID)
		return err
	})
	if err != nil {
		return err
	}
	for at := int64(0); at < last; {
		var some []Charge
		err := s.read(ctx, func(t *tx) (err error) {
			some, err = list(t, scanCharge, chargeQuery, at, last, first, next, teamID, chargeBatch)
			return err
		})
		if err != nil || len(some) == 0 {
			return err
		}
		for k := range some {
			if err := some[k].bill(invoices[some[k].TeamID], zone); err != nil {
				return err
			}
			if err := visit(some[k]); err != nil {
				return err
			}
		}
		at = some[len(some)-1].ID
	}
	return nil
}

const chargeColumns = `, coalesce(i.plan_id, r.plan_id, ''), coalesce(i.rate, ` + partPrice + `p.rate` + partsOfEntry + `, 0),
	coalesce(i.list_rate, i.rate, ` + partPrice + `p.list_rate` + partsOfEntry + `, 0), coalesce(r.claimed_at < e.to_at, 0)`

// A reservation's price is that of its parts in which the entry lies, each for as long as it does: whoever extends it within a
// day has two of them. Whole seconds keep the products within 64 bits.
const (
	partTime     = "max(1, (min(p.to_at, e.to_at) - max(p.from_at, e.from_at)) / 1000000)"
	partPrice    = "(SELECT (sum(" + partTime + ") / 2 + sum(" + partTime + " * "
	partsOfEntry = ")) / sum(" + partTime + ") FROM reservation_part p WHERE p.reservation_id = r.id AND p.from_at < e.to_at AND p.to_at > e.from_at)"
)

const chargeQuery = "SELECT " + entryColumns + chargeColumns + `
	FROM entry e LEFT JOIN instance i ON i.id = e.instance_id LEFT JOIN reservation r ON r.id = e.reservation_id LEFT JOIN volume v ON v.id = e.volume_id
	JOIN team t ON t.id = e.team_id JOIN person p ON p.id = e.person_id
	WHERE e.id > ?1 AND e.id <= ?2 AND e.day >= ?3 AND e.day < ?4 AND (?5 = '' OR e.team_id = ?5) ORDER BY e.id LIMIT ?6`

// scanCharge scans an entry and what goes with it.
func scanCharge(r scanner) (Charge, error) {
	var c Charge
	var err error
	c.Entry, err = scanEntry(more{r, []any{&c.PlanID, &c.RateMicrosPerHour, &c.ListMicrosPerHour, &c.Claimed}})
	c.Labels = c.labels
	return c, err
}

// more scans further columns behind those that are asked for.
type more struct {
	scanner
	dest []any
}

func (m more) Scan(dest ...any) error { return m.scanner.Scan(append(dest, m.dest...)...) }

// invoicesOf returns the invoices of each team in the order in which they were issued, without their lines.
func (t *tx) invoicesOf(teamID string) (map[string][]Invoice, error) {
	all, err := list(t, scanInvoice, invoiceQuery+"WHERE ?1 = '' OR v.team_id = ?1 ORDER BY v.number", teamID)
	of := map[string][]Invoice{}
	for _, v := range all {
		of[v.TeamID] = append(of[v.TeamID], v)
	}
	return of, err
}

// bill fills in what the prices and the invoices say of a charge.
func (c *Charge) bill(invoices []Invoice, zone *time.Location) error {
	c.ListMicros = c.AmountMicros
	if c.CorrectsID != 0 || c.Kind == "fee" || c.Kind == "refund" {
		c.RateMicrosPerHour, c.ListMicrosPerHour = 0, 0
	}
	if c.RateMicrosPerHour > 0 {
		c.ListMicros = money.Product(c.AmountMicros, c.ListMicrosPerHour).Over(c.RateMicrosPerHour)
	}
	day := c.Day
	for k, v := range invoices {
		if v.dayBeyond <= c.Day {
			continue
		}
		c.AnotherMonth = v.firstDay > c.Day || v.throughEntry < c.ID
		if v.throughEntry >= c.ID {
			c.Invoice, c.BillingFrom, c.BillingTo = v.Number, v.From, v.To
			return nil
		}
		day = invoices[k].dayBeyond // not earlier than the month after
	}
	from, err := midnightOf(day, zone)
	if err != nil {
		return err
	}
	c.BillingFrom, c.BillingTo = budget.Month.Bounds(from, zone)
	return nil
}
