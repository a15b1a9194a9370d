package web

import "github.com/meterhouse/meterhouse/store"

// bookPages are the table's rows of pages about what was spent.
var bookPages = []route{
	{get, "/costs/ledger", store.Viewer, page, (*Server).ledgerPage, nil},
	{post, "/costs/ledger/:id/correct", store.Admin, page, (*Server).correctForm, nil},
	{get, "/costs/integrity", store.Admin, page, (*Server).integrityPage, nil},
	{post, "/costs/integrity", store.Admin, page, (*Server).integrityForm, nil},
	{post, "/costs/integrity/cancel", store.Admin, page, (*Server).integrityCancelForm, nil},
	{get, "/admin/prices", store.Admin, page, (*Server).pricesPage, nil},
	{post, "/admin/prices", store.Admin, page, (*Server).pricesForm, nil},
	{get, "/admin/prices/replay", store.Admin, page, (*Server).replayPage, nil},
	{post, "/admin/prices/replay", store.Admin, page, (*Server).replayForm, nil},
	{post, "/admin/prices/replay/cancel", store.Admin, page, (*Server).replayCancelForm, nil},
	{post, "/admin/prices/discounts", store.Admin, page, (*Server).discountForm, nil},
	{post, "/admin/prices/terms", store.Admin, page, (*Server).termsForm, nil},
	{post, "/admin/prices/spot", store.Admin, page, (*Server).spotForm, nil},
	{get, "/costs/focus.csv", store.Viewer, page, (*Server).focusCSV, nil},
	{get, "/costs/invoices", store.Viewer, page, (*Server).invoicesPage, nil},
	{get, "/costs/invoices/:id", store.Viewer, page, (*Server).invoicePage, nil},
	{get, "/costs/invoices/:id/lines.csv", store.Viewer, page, (*Server).invoiceCSV, nil},
}

// bookCalls are the API's.
var bookCalls = []route{
	{get, apiRoot + "/ledger/:id", store.Viewer, api, (*Server).getEntry, &operation{says: "One entry.", out: Entry{}}},
	{post, apiRoot + "/ledger/:id/corrections", store.Admin, api, (*Server).createCorrection, &operation{says: "Books a correction or a credit that names an entry and why; it stands on the team's next invoice. A retry with the same idempotency_key within a day has one effect.",
		in: CorrectionBody{}, out: Entry{}, made: true}},
	{get, apiRoot + "/export/focus.csv", store.Viewer, api, (*Server).focusCSV, &operation{says: "The ledger's entries of the days in [from, to) as charges in FOCUS 1.2, a file.", csv: true,
		query: []parameter{{"from", "RFC 3339 or a date; default: this month's begin", ""}, {"to", "RFC 3339 or a date, not included; default: this month's end", ""}}}},
	{get, apiRoot + "/invoices", store.Viewer, api, (*Server).listInvoices, &operation{says: "Invoices of the person's team, newest first, without their lines.", out: Invoices{},
		query: []parameter{cursorParameter, limitParameter}}},
	{get, apiRoot + "/invoices/:id", store.Viewer, api, (*Server).getInvoice, &operation{says: "One invoice, by its number: final, whatever is booked later.", out: Invoice{}}},
	{get, apiRoot + "/invoices/:id/lines.csv", store.Viewer, api, (*Server).invoiceCSV, &operation{says: "The same as a file with a line each.", csv: true}},
}
