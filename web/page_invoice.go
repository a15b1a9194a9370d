package web

import (
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

// invoicesPage is GET /costs/invoices?cursor=CURSOR.
func (s *Server) invoicesPage(c *call) error {
	cursor, limit, err := paging(c)
	if err != nil {
		return err
	}
	v := views.InvoicesPage{Page: s.page(c), Cursor: cursor, Teams: c.who.Admin}
	list, next, err := s.store.Invoices(c.Request().Context(), c.team(), cursor, limit)
	if err != nil {
		return err
	}
	v.Next = next
	for _, i := range list {
		v.Rows = append(v.Rows, views.InvoiceRow{Number: i.Number, Team: i.TeamName, Format: s.invoiceFormat(c, i), Places: minorPlaces(i.Currency), From: i.From, IssuedAt: i.IssuedAt,
			AskedMicros: i.AmountMinor * store.MinorUnit(i.Currency)})
	}
	return s.show(c, views.Invoices(v))
}

// invoiceFormat writes an invoice as it was when it was issued, whatever the site says today.
func (s *Server) invoiceFormat(c *call, i store.Invoice) views.Format {
	f := views.Format{T: c.t, Zone: time.UTC, Currency: i.Currency}
	if zone, err := s.loadZone(i.TimeZone); err == nil {
		f.Zone = zone
	}
	return f
}

// invoicePage is GET /costs/invoices/{number}.
func (s *Server) invoicePage(c *call) error {
	i, err := s.invoice(c)
	if err != nil {
		return err
	}
	unit := store.MinorUnit(i.Currency)
	v := views.InvoicePage{Page: s.page(c), Invoice: views.InvoiceRow{Number: i.Number, Team: i.TeamName, Format: s.invoiceFormat(c, i), Places: minorPlaces(i.Currency), From: i.From,
		IssuedAt: i.IssuedAt, AskedMicros: i.AmountMinor * unit}, Site: i.SiteName, To: i.To, ExactMicros: i.AmountMicros}
	for _, l := range i.Lines {
		line := views.InvoiceLine{Member: l.PersonName, Item: string(l.Item), Model: l.GPUModel, Kind: l.Kind, GPUSeconds: int64(l.GPUTime / time.Second),
			ExactMicros: l.AmountMicros, AskedMicros: l.AmountMinor * unit, Note: l.Note}
		if l.Month != i.Month {
			if line.Month, err = v.Invoice.ParseMonth(l.Month); err != nil {
				return err
			}
		}
		if l.CorrectsID != 0 {
			line.Corrects = strconv.FormatInt(l.CorrectsID, 10)
		}
		v.Lines = append(v.Lines, line)
	}
	return s.show(c, views.Invoice(v))
}
