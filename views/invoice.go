package views

import "time"

// InvoicesPage is /costs/invoices.
type InvoicesPage struct {
	Page
	Rows         []InvoiceRow // newest first
	Teams        bool         // of several teams
	Cursor, Next string       // "" on the first and on the last page
}

// InvoiceRow is an invoice as a list has it. Its numbers and times are written as they were when it was issued, so Format is
// its own.
type InvoiceRow struct {
	Format
	Number      int64
	Team        string
	From        time.Time // where its month begins
	IssuedAt    time.Time
	AskedMicros int64 // what is asked for
	Places      int   // with so many decimals
}

// Asked writes what is asked for.
func (r InvoiceRow) Asked(micros int64) string { return r.money(micros, r.Places) }

// InvoicePage is /costs/invoices/{number}: what it says never changes.
type InvoicePage struct {
	Page
	Invoice     InvoiceRow
	Site        string
	To          time.Time // half-open
	ExactMicros int64
	Lines       []InvoiceLine // they add up
}

// InvoiceLine is what one person used of one thing, or a correction.
type InvoiceLine struct {
	Month       time.Time // of an earlier month that is put right; zero: the invoice's own
	Member      string
	Item        string // "on_demand", "reserved", "spot"
	Model       string // "": CPU only
	Kind        string // "use", "fee", "refund", "credit", "correction"
	Corrects    string // the number of the entry that is put right by hand, else ""
	Note        string // why
	GPUSeconds  int64
	ExactMicros int64
	AskedMicros int64
}
