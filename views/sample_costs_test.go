package views

import (
	"net/url"
	"time"

	"github.com/a-h/templ"

	"github.com/meterhouse/meterhouse/web/lang"
)

// bookPages are the samples of the pages about what was spent, by the name of their golden.
func bookPages(t lang.T) map[string]templ.Component {
	return map[string]templ.Component{
		"invoices": Invoices(sampleInvoices(t)),
		"invoice":  Invoice(sampleInvoice(t)),
		"ledger":   Ledger(sampleLedger(t)),
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

func sampleLedger(t lang.T) LedgerPage {
	use := LedgerRow{ID: "812", Kind: "usage", At: at(0, 0, 30), From: at(8, 12, 7).AddDate(0, 0, -1), To: at(0, 0, 0), Name: "bert-finetune", URL: "/instances/i-7f3a91", Team: "research", Member: "Operator",
		Item: "on_demand", Model: "A100-SXM4-80GB", AmountMicros: 42_100_000, Postings: []LedgerSide{{"revenue:on_demand", -42_100_000}, {"team:research", 42_100_000}}, CorrectedBy: []string{"820"}}
	credit := LedgerRow{ID: "820", Kind: "credit", At: at(9, 30, 0), From: use.From, To: use.To, Name: "bert-finetune", URL: use.URL, Team: "research", Member: "Operator", Item: "on_demand", Model: use.Model,
		AmountMicros: -1_500_000, Postings: []LedgerSide{{"revenue:on_demand", 1_500_000}, {"team:research", -1_500_000}}, Corrects: "812", Note: "The site was down."}
	return LedgerPage{Page: samplePage(t, "/costs/ledger"), Rows: []LedgerRow{credit, use}, Teams: []Option{{Label: t.All()}, {Value: "t-1", Label: "research"}}, Month: "2026-11", Next: "812", CanCorrect: true, Correct: &use,
		Form: Form{Values: url.Values{"kind": {"credit"}, "amount": {"x"}, "note": {""}}, Errors: []FieldError{{"amount", t.Error("wrong_signed_amount", nil)}, {"note", t.Error("required", nil)}}}}
}
