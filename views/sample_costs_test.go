package views

import (
	"time"

	"github.com/a-h/templ"

	"github.com/meterhouse/meterhouse/web/lang"
)

// bookPages are the samples of the pages about what was spent, by the name of their golden.
func bookPages(t lang.T) map[string]templ.Component {
	return map[string]templ.Component{
		"invoices": Invoices(sampleInvoices(t)),
		"invoice":  Invoice(sampleInvoice(t)),
	}
}

func november(t lang.T) InvoiceRow {
	return InvoiceRow{Format: Format{T: t, Zone: berlin, Currency: "EUR"}, Number: 12, Team: "research", Places: 2, From: time.Date(2026, 11, 1, 0, 0, 0, 0, berlin),
		IssuedAt: at(6, 0, 12), AskedMicros: 412_600_000}
}

func sampleInvoices(t lang.T) InvoicesPage {
	yen := november(t)
	yen.Number, yen.Team, yen.Currency, yen.Places, yen.AskedMicros = 11, "operations", "JPY", 0, 98_000_000
	return InvoicesPage{Page: samplePage(t, "/costs/invoices"), Teams: true, Rows: []InvoiceRow{november(t), yen}, Next: "11"}
}

func sampleInvoice(t lang.T) InvoicePage {
	october := time.Date(2026, 10, 1, 0, 0, 0, 0, berlin)
	return InvoicePage{Page: samplePage(t, "/costs/invoices/12"), Invoice: november(t), Site: "GPU house", To: time.Date(2026, 12, 1, 0, 0, 0, 0, berlin), ExactMicros: 412_599_877,
		Lines: []InvoiceLine{
			{Member: "Operator", Item: "on_demand", Model: "A100-SXM4-80GB", Kind: "use", GPUSeconds: 401_220, ExactMicros: 420_000_001, AskedMicros: 420_000_000},
			{Member: "Operator", Item: "reserved", Model: "L4", Kind: "fee", ExactMicros: 2_599_876, AskedMicros: 2_600_000},
			{Month: october, Member: "Operator", Item: "on_demand", Model: "", Kind: "credit", Corrects: "812", Note: "The site was down for an hour.", ExactMicros: -10_000_000, AskedMicros: -10_000_000},
		}}
}
