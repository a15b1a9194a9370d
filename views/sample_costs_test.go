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
		"invoices":  Invoices(sampleInvoices(t)),
		"invoice":   Invoice(sampleInvoice(t)),
		"ledger":    Ledger(sampleLedger(t)),
		"replay":    Replay(sampleReplay(t)),
		"prices":    Prices(samplePrices(t)),
		"integrity": Integrity(sampleIntegrity(t)),
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

func samplePrices(t lang.T) PricesPage {
	march := time.Date(2027, 3, 1, 0, 0, 0, 0, berlin)
	v := PricesPage{Page: samplePage(t, "/admin/prices"),
		Pools: []PricePool{
			{Name: "a100-sxm4-80gb", Plans: []PlanRow{
				{ID: "a100-sxm4-80gb-x1", GPUs: 1, Micros: 2_500_000, Since: at(9, 0, 0), Version: 3, By: "Operator", Next: Known(2_800_000), NextStart: march},
				{ID: "a100-sxm4-80gb-x2", GPUs: 2, Micros: 5_000_000, Version: 1, Next: Unknown("not_offered")}}},
			{Name: "sim-a100", Simulated: true, Plans: []PlanRow{{ID: "sim-a100-x1", GPUs: 1, Micros: 100_000, Version: 1, Next: Unknown("not_offered")}}},
			{Plans: []PlanRow{{ID: "cpu-2", Micros: 50_000, Version: 1, Next: Unknown("not_offered")}}},
		},
		Trial: &PriceTrial{From: time.Date(2026, 11, 1, 0, 0, 0, 0, berlin), To: at(0, 0, 0), Changes: 1, WasMicros: 412_600_000, WouldBe: 460_000_000,
			Rows: []TrialRow{{Team: "operations", GPUSeconds: 3_600, WasMicros: 12_600_000, WouldBe: 12_600_000}, {Team: "research", GPUSeconds: 601_220, WasMicros: 400_000_000, WouldBe: 447_400_000}}},
		Discounts: []DiscountRow{{TeamID: "t-1", Team: "research", PPM: 125_000, StartsAt: at(8, 0, 0)}, {PoolID: "sim-a100", Pool: "sim-a100", StartsAt: march, Later: true, Ends: true}},
		Teams:     []Option{{Label: t.EveryTeam()}, {Value: "t-1", Label: "research"}}, Where: []Option{{Label: t.EveryPool()}, {Value: "sim-a100", Label: "sim-a100"}},
		Terms: []TermStep{{Days: 1, PPM: 50_000}, {Days: 7, PPM: 200_000}, {Months: 1, PPM: 300_000}}, TermsNext: []TermStep{{Months: 6, PPM: 700_000}}, TermsStart: march,
		SpotPools: []Option{{Value: "sim-a100", Label: "sim-a100 · 30 %"}}}
	v.Form = Form{Values: url.Values{"price-a100-sxm4-80gb-x1": {"2.80"}, "price-cpu-2": {"x"}}, Errors: []FieldError{{"price-cpu-2", t.Error("wrong_amount", nil)}}}
	v.TermsForm = Form{Values: url.Values{"length-1": {"1"}, "percent-1": {"5"}}, Errors: []FieldError{{"terms", t.Error("terms_descending", nil)}}}
	v.DiscountForm = Form{Errors: []FieldError{{"team", t.Error("discount_of_nothing", nil)}}}
	return v
}

func sampleIntegrity(t lang.T) IntegrityPage {
	bad := IntegrityRun{Status: "done", By: "Operator", At: at(9, 0, 0), Instances: 1_204, Reservations: 17, Difference: "instance i-7f3a91: its bill is 7427380, its postings 7427379, noted as booked 7427379"}
	good := IntegrityRun{Status: "done", By: "Operator", At: at(8, 0, 0), Instances: 1_200, Reservations: 17, OK: true}
	return IntegrityPage{Page: samplePage(t, "/costs/integrity"), Running: &IntegrityRun{Status: "running", By: "Operator", At: at(10, 44, 0), Done: 300, Total: 1_221}, Last: &bad,
		Runs: []IntegrityRun{bad, good, {Status: "failed", At: at(7, 0, 0), Error: "disk_error"}}}
}

func sampleReplay(t lang.T) ReplayPage {
	done := ReplayRow{Status: "done", By: "Operator", Name: "week.csv", At: at(9, 0, 0), Model: "A100-SXM4-80GB", GPUs: 64, RateMicros: 2_500_000, Asked: 7_063, Served: 7_063, AskedHours: 51_498_700_000, ServedHours: 51_498_700_000,
		LostHours: 12_500_000, UtilizationPPM: 712_345, Reclaims: 41, OnDemandWait: [3]time.Duration{0, time.Minute, time.Hour}, SpotWait: [3]time.Duration{time.Minute, time.Hour, 30 * time.Hour}, OnDemandMicros: 90_000_000_000, SpotMicro: 12_345_678_901}
	return ReplayPage{Page: samplePage(t, "/admin/prices/replay"), Running: &IntegrityRun{Status: "running", At: at(10, 44, 0), Done: 300, Total: 7_063}, Runs: []ReplayRow{done, {Status: "failed", At: at(8, 0, 0), Error: "disk_error"}},
		Form: Form{Values: url.Values{"gpus": {"0"}}, Errors: []FieldError{{"gpus", t.Error("replay_gpus_wrong", nil)}}}}
}
