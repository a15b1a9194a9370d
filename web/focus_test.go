package web_test

import (
	"encoding/csv"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/money"
	"github.com/meterhouse/meterhouse/store/storetest"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// focus reads an export as rows of column → cell.
func focus(t *testing.T, c *webtest.Client, query string) []map[string]string {
	t.Helper()
	a := c.Call("GET", "/export/focus.csv"+query, nil, nil)
	if a.Status != http.StatusOK || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/csv") {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	all, err := csv.NewReader(strings.NewReader(a.Body)).ReadAll() // each row as long as the first
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, cells := range all[1:] {
		row := map[string]string{}
		for k, name := range all[0] {
			row[name] = cells[k]
		}
		rows = append(rows, row)
	}
	return rows
}

// focusNeeded must never be empty.
var focusNeeded = []string{"BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency", "BillingPeriodEnd", "BillingPeriodStart", "ChargeCategory", "ChargeDescription", "ChargePeriodEnd",
	"ChargePeriodStart", "ContractedCost", "EffectiveCost", "InvoiceIssuerName", "ListCost", "ProviderName", "PublisherName", "ServiceCategory", "ServiceName"}

func checkFocusRow(t *testing.T, row map[string]string) {
	t.Helper()
	for _, name := range append([]string{"ChargeClass", "PricingQuantity", "PricingUnit", "SkuId", "SkuPriceId", "Tags"}, focusNeeded...) {
		if _, there := row[name]; !there {
			t.Fatalf("there is no column %s", name)
		}
	}
	for _, name := range focusNeeded {
		if row[name] == "" {
			t.Errorf("%s is empty in %v", name, row)
		}
	}
	start, err := time.Parse("2006-01-02T15:04:05Z", row["ChargePeriodStart"])
	end, err2 := time.Parse("2006-01-02T15:04:05Z", row["ChargePeriodEnd"])
	if err != nil || err2 != nil || !end.After(start) {
		t.Errorf("charged for %s to %s", row["ChargePeriodStart"], row["ChargePeriodEnd"])
	}
	if row["ListUnitPrice"] == "" {
		return
	}
	for price, cost := range map[string]string{"ListUnitPrice": "ListCost", "ContractedUnitPrice": "ContractedCost"} {
		p, q, want := rational(t, row[price]), rational(t, row["PricingQuantity"]), rational(t, row[cost])
		if off := new(big.Rat).Sub(p.Mul(p, q), want); off.Abs(off).Cmp(big.NewRat(1, 1_000_000)) > 0 {
			t.Errorf("%s × %s is %s off %s", row[price], row["PricingQuantity"], off.FloatString(9), row[cost])
		}
	}
}

func rational(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return r
}

func billedCost(t *testing.T, rows []map[string]string) (sum int64) {
	t.Helper()
	for _, row := range rows {
		micros, err := money.Parse(row["BilledCost"])
		if err != nil {
			t.Fatal(err)
		}
		sum += micros
	}
	return sum
}

func TestTheFOCUSExportAddsUpToTheLedger(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	ctx := t.Context()
	if err := site.Store.UpdateSite(ctx, store.Site{TimeZone: "Europe/Berlin"}); err != nil {
		t.Fatal(err)
	}
	storetest.Price(t, site.Store, "a100-sxm4-80gb-x1", 2_500_001)
	post := func() {
		t.Helper()
		if _, err := site.Store.PostDue(ctx); err != nil {
			t.Fatal(err)
		}
	}
	at := func(month time.Month, day, hour int) {
		site.Clock.Set(time.Date(2026, month, day, hour, 7, 13, 5000, time.UTC))
	}
	at(time.March, 27, 20)
	in := site.Running(t, site.Member, "training")
	if _, err := site.Store.Reserve(ctx, store.NewReservation{PersonID: site.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: 1, Start: site.Clock.Now().Add(time.Hour), End: site.Clock.Now().AddDate(0, 0, 3)}); err != nil {
		t.Fatal(err)
	}
	at(time.March, 31, 3) // over the night in which the clocks go forward
	if err := site.Store.MarkEnded(ctx, in.ID, store.End{At: site.Clock.Now()}); err != nil {
		t.Fatal(err)
	}
	post()
	at(time.April, 1, 12)
	if n, err := site.Store.IssueInvoices(ctx); err != nil || n != 1 {
		t.Fatalf("%d %v", n, err)
	}
	entries, _, err := site.Store.Entries(ctx, store.EntryFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for k, kind := range []string{store.EntryCredit, store.EntryCorrection} {
		if _, err := site.Store.Correct(ctx, site.Admin.ID, store.Correction{CorrectsID: entries[k].ID, Kind: kind, AmountMicros: -1_000_003, Note: "@why"}); err != nil {
			t.Fatal(err)
		}
	}
	entries, _, err = site.Store.Entries(ctx, store.EntryFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var want int64
	days := map[string]int64{}
	for _, e := range entries {
		want, days[e.Day] = want+e.AmountMicros, days[e.Day]+e.AmountMicros
	}
	c := site.Program(t, site.Member)
	rows := focus(t, c, "?from=2026-03-01&to=2026-05-01")
	if got := billedCost(t, rows); got != want || len(rows) != len(entries) || want == 0 {
		t.Errorf("%d rows of %d, the ledger's %d entries are %d", len(rows), got, len(entries), want)
	}
	corrected := 0
	for _, row := range rows {
		checkFocusRow(t, row)
		if row["ChargeClass"] == "Correction" {
			corrected++
			if row["x_Note"] != "'@why" || row["InvoiceId"] != "" || row["BillingPeriodStart"] != "2026-03-31T22:00:00Z" || row["x_CorrectsEntryId"] == "" {
				t.Errorf("%v", row)
			}
		} else if row["InvoiceId"] != "1" || row["BillingPeriodStart"] != "2026-02-28T23:00:00Z" || row["BillingPeriodEnd"] != "2026-03-31T22:00:00Z" {
			t.Errorf("%v", row)
		}
		if row["CapacityReservationId"] != "" && row["CapacityReservationStatus"] != "Unused" {
			t.Errorf("%v", row)
		}
	}
	if corrected != 2 {
		t.Errorf("%d corrections", corrected)
	}
	for day, sum := range days { // the 29th of March has 23 hours
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		if got := billedCost(t, focus(t, c, "?from="+day+"&to="+at.AddDate(0, 0, 1).Format(time.DateOnly))); got != sum {
			t.Errorf("on %s %d, the ledger %d", day, got, sum)
		}
	}
	if rows := focus(t, site.Program(t, site.Stranger), "?from=2026-03-01&to=2026-05-01"); len(rows) != 0 {
		t.Errorf("a stranger sees %v", rows)
	}
	if a := c.Call("GET", "/export/focus.csv?from=2026-05-01&to=2026-03-01", nil, nil); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("%d", a.Status)
	}
}

func TestADayOfTwoPricesIsExportedAtTheirMean(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	ctx := t.Context()
	storetest.Price(t, site.Store, "a100-sxm4-80gb-x1", 2_000_000)
	start := time.Date(2026, time.March, 4, 6, 0, 0, 0, time.UTC)
	r, err := site.Store.Reserve(ctx, store.NewReservation{PersonID: site.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: 1, Start: start, End: start.Add(12 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	storetest.Price(t, site.Store, "a100-sxm4-80gb-x1", 5_000_000)
	if _, err := site.Store.ExtendReservation(ctx, r.ID, site.Member.ID, start.Add(16*time.Hour), nil, store.Request{}); err != nil {
		t.Fatal(err)
	}
	site.Clock.Set(start.AddDate(0, 0, 2))
	if _, err := site.Store.PostDue(ctx); err != nil {
		t.Fatal(err)
	}
	rows := focus(t, site.Program(t, site.Member), "?from=2026-03-04&to=2026-03-05")
	if len(rows) != 1 {
		t.Fatalf("%v", rows)
	}
	checkFocusRow(t, rows[0])
	for column, want := range map[string]string{"ListCost": "44.00", "ListUnitPrice": "2.75", "PricingQuantity": "16"} { // 12 h at 2, 4 h at 5
		if rational(t, rows[0][column]).Cmp(rational(t, want)) != 0 {
			t.Errorf("%s is %s, want %s", column, rows[0][column], want)
		}
	}
}
