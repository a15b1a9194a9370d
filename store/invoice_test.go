package store_test

import (
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// issue issues what is due and holds how many that were.
func issue(t *testing.T, s *store.Store, want int) []store.Invoice {
	t.Helper()
	n, err := s.IssueInvoices(ctx)
	if err != nil || n != want {
		t.Fatalf("%d invoices issued, want %d (%v)", n, want, err)
	}
	all, _, err := s.Invoices(ctx, "", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	for k := range all {
		if all[k], err = s.Invoice(ctx, all[k].Number); err != nil {
			t.Fatal(err)
		}
		v := all[k]
		var exact, shown int64
		for _, l := range v.Lines {
			exact, shown = exact+l.AmountMicros, shown+l.AmountMinor
		}
		if exact != v.AmountMicros || shown != v.AmountMinor || v.Number != int64(len(all)-k) {
			t.Errorf("invoice %d: lines are %d and %d, its amounts %d and %d", v.Number, exact, shown, v.AmountMicros, v.AmountMinor)
		}
	}
	return all
}

// used runs an instance from one moment to another.
func used(t *testing.T, s *store.Store, clock *storetest.Clock, seed storetest.Seeded, from, to time.Time) store.Instance {
	t.Helper()
	clock.Set(from)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	running(t, s, i, from)
	clock.Set(to)
	ended(t, s, i, store.End{})
	if err := s.MarkStopped(ctx, i.ID, store.Proof{Clean: true}); err != nil {
		t.Fatal(err)
	}
	return i
}

func TestInvoicesAreNumberedAndFinal(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)
	if err := s.UpdateSite(ctx, store.Site{TimeZone: "Europe/Berlin"}); err != nil {
		t.Fatal(err)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	midnight := func(m time.Month, d int) time.Time { return time.Date(2026, m, d, 0, 0, 0, 0, berlin) }

	// M1: the whole of March has 743 hours, M3: the last second counts.
	used(t, s, clock, seed, midnight(time.March, 3), midnight(time.April, 1))
	clock.Set(midnight(time.April, 1).Add(5 * time.Hour))
	issue(t, s, 0) // too early
	clock.Set(midnight(time.April, 1).Add(7 * time.Hour))
	march := issue(t, s, 1)[0]
	hours := int64(743 - 48)
	if march.AmountMicros != hours*2_500_000 || march.AmountMinor != hours*250 || march.Month != "2026-03" || !march.To.Equal(midnight(time.April, 1)) {
		t.Errorf("March: %+v", march)
	}
	issue(t, s, 0)

	// M4: use over the month's end that is proven only after the invoice stands on the next one, which names the month.
	clock.Set(midnight(time.April, 30).Add(23 * time.Hour))
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	running(t, s, i, clock.Now())
	clock.Advance(30 * time.Minute)
	if err := s.MarkUnreachable(ctx, i.ID, clock.Now(), "node_lost"); err != nil {
		t.Fatal(err)
	}
	clock.Set(midnight(time.May, 1).Add(7 * time.Hour))
	april := issue(t, s, 1)[0]
	if april.AmountMicros != 1_250_000 {
		t.Errorf("April: %+v", april)
	}
	if err := s.MarkReachable(ctx, i.ID, true, clock.Now()); err != nil {
		t.Fatal(err)
	}
	ended(t, s, i, store.End{})
	if again, err := s.Invoice(ctx, april.Number); err != nil || !reflect.DeepEqual(again, april) {
		t.Errorf("April was changed: %+v, %v", again, err)
	}
	issue(t, s, 0)
	clock.Set(midnight(time.June, 2))
	may := issue(t, s, 1)[0]
	if len(may.Lines) != 2 || may.Lines[0].Month != "2026-05" || may.Lines[0].AmountMicros != 17_500_000 || may.Lines[1].Month != "2026-04" || may.Lines[1].AmountMicros != 1_250_000 {
		t.Errorf("May: %+v", may)
	}
	db := raw(t, dir)
	refused(t, db, "invoice_is_final", "UPDATE invoice SET amount_micros = 0")
	refused(t, db, "invoice_is_final", "DELETE FROM invoice WHERE number = 1")
	refused(t, db, "invoice_is_final", "UPDATE invoice_line SET amount_micros = 0")
	refused(t, db, "invoice_is_final", "INSERT INTO invoice_line SELECT number, 9, month, person_id, person_name, item, gpu_model, kind, 0, 5, 0, NULL, NULL, '' FROM invoice_line WHERE number = 1")
	refused(t, db, "invoice_number_wrong", "INSERT INTO invoice SELECT 9, team_id, team_name, site_name, currency, time_zone, '2027-01-01', '2027-02-01', 0, 0, 0, 0 FROM invoice WHERE number = 1")
}

func TestEveryInvoiceIsIssuedOnceHoweverManyTry(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	start := clock.Now()
	for m := range 4 {
		used(t, s, clock, seed, start.AddDate(0, m, 0), start.AddDate(0, m, 0).Add(time.Hour))
	}
	clock.Set(start.AddDate(0, 4, 0))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := s.IssueInvoices(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if all := issue(t, s, 0); len(all) != 4 {
		t.Errorf("%d invoices for 4 months", len(all))
	}
}
