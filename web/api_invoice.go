package web

import (
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// Invoices is a page of them, newest first, without their lines.
type Invoices struct {
	Invoices   []Invoice `json:"invoices"`
	NextCursor string    `json:"next_cursor"`
}

// Invoice is a team's month, final once it is issued.
type Invoice struct {
	Number       int64         `json:"number"`
	TeamID       string        `json:"team_id"`
	Team         string        `json:"team"`
	Site         string        `json:"site"`
	Currency     string        `json:"currency"`
	TimeZone     string        `json:"time_zone"`
	Month        string        `json:"month"`
	From         time.Time     `json:"from"`
	To           time.Time     `json:"to"`
	IssuedAt     time.Time     `json:"issued_at"`
	AmountMicros int64         `json:"amount_micros"` // exact
	Amount       string        `json:"amount"`        // what is asked for, a decimal in the currency's smallest unit
	Lines        []InvoiceLine `json:"lines"`
}

// InvoiceLine is what one person used of one thing, or a correction.
type InvoiceLine struct {
	Month        string `json:"month"` // an earlier one than the invoice's is a correction
	PersonID     string `json:"person_id"`
	Person       string `json:"person"`
	Item         string `json:"item"`
	GPUModel     string `json:"gpu_model"`
	Kind         string `json:"kind"`
	GPUSeconds   int64  `json:"gpu_seconds"`
	AmountMicros int64  `json:"amount_micros"`
	Amount       string `json:"amount"`
	EntryID      int64  `json:"entry_id"`    // of a correction by hand, else 0
	CorrectsID   int64  `json:"corrects_id"` // the entry that it puts right, else 0
	Note         string `json:"note"`
}

func invoiceOut(v store.Invoice) Invoice {
	out := Invoice{Number: v.Number, TeamID: v.TeamID, Team: v.TeamName, Site: v.SiteName, Currency: v.Currency, TimeZone: v.TimeZone, Month: v.Month, From: v.From, To: v.To,
		IssuedAt: v.IssuedAt, AmountMicros: v.AmountMicros, Amount: minorText(v.AmountMinor, v.Currency), Lines: make([]InvoiceLine, 0, len(v.Lines))}
	for _, l := range v.Lines {
		out.Lines = append(out.Lines, InvoiceLine{Month: l.Month, PersonID: l.PersonID, Person: l.PersonName, Item: string(l.Item), GPUModel: l.GPUModel, Kind: l.Kind,
			GPUSeconds: int64(l.GPUTime / time.Second), AmountMicros: l.AmountMicros, Amount: minorText(l.AmountMinor, v.Currency), EntryID: l.EntryID, CorrectsID: l.CorrectsID, Note: l.Note})
	}
	return out
}

func (s *Server) listInvoices(c *call) error {
	cursor, limit, err := paging(c)
	if err != nil {
		return err
	}
	list, next, err := s.store.Invoices(c.Request().Context(), c.team(), cursor, limit)
	if err != nil {
		return err
	}
	out := Invoices{Invoices: make([]Invoice, 0, len(list)), NextCursor: next}
	for _, v := range list {
		out.Invoices = append(out.Invoices, invoiceOut(v))
	}
	return ok(c, out)
}

func (s *Server) getInvoice(c *call) error {
	v, err := s.invoice(c)
	if err != nil {
		return err
	}
	return ok(c, invoiceOut(v))
}
