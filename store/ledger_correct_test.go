package store_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func TestACorrectionNamesWhatItPutsRightAndStandsOnTheNextInvoice(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	seed := storetest.SeedQuick(t, s)
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)
	start := clock.Now()
	b, err := s.CreateBudget(ctx, "", store.NewBudget{Name: "team", TeamID: seed.Team.ID, Period: "month", LimitMicros: 10_000_000, Thresholds: []int{50, 80}, Emails: []string{"a@example.org"}})
	if err != nil {
		t.Fatal(err)
	}
	used(t, s, clock, seed, start, start.Add(2*time.Hour))
	fires := func(want int) {
		t.Helper()
		if n, err := s.CheckBudgets(ctx); err != nil || n != want {
			t.Errorf("%d thresholds fired, want %d (%v)", n, want, err)
		}
	}
	fires(1)
	entries, _, err := s.Entries(ctx, store.EntryFilter{})
	if err != nil || len(entries) != 1 {
		t.Fatalf("%+v %v", entries, err)
	}
	clock.Set(start.AddDate(0, 1, 0))
	first := issue(t, s, 1)[0]

	book := func(c store.Correction) store.Entry {
		t.Helper()
		e, err := s.Correct(ctx, seed.Admin.ID, c)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	more := store.Correction{CorrectsID: entries[0].ID, Kind: store.EntryCorrection, AmountMicros: 3_000_001, Note: "The GPU was a larger one.", Request: store.NewRequest("k", "1")}
	e := book(more)
	if again := book(more); again.ID != e.ID {
		t.Errorf("sent again it is entry %d, not %d", again.ID, e.ID)
	}
	if e.CorrectsID != entries[0].ID || e.Note != more.Note || e.AmountMicros != 3_000_001 || e.Day != entries[0].Day || e.PersonID != seed.Member.ID || e.InstanceID != entries[0].InstanceID {
		t.Errorf("%+v", e)
	}
	fires(1) // M9: a late one fires what it crosses, in the month that it is for
	less := book(store.Correction{CorrectsID: entries[0].ID, Kind: store.EntryCredit, AmountMicros: -6_000_000, Note: "The site was down."})
	fires(0) // and what fired stays
	if after, err := s.Budget(ctx, b.ID); err != nil || len(after.Fired) != 0 {
		t.Errorf("the new month: %+v %v", after.Fired, err)
	}
	if of, err := s.Entry(ctx, entries[0].ID); err != nil || !reflect.DeepEqual(of.CorrectedBy, []int64{e.ID, less.ID}) {
		t.Errorf("%+v %v", of, err)
	}
	if byHand, _, err := s.Entries(ctx, store.EntryFilter{ByHand: true, Month: first.Month}); err != nil || len(byHand) != 2 {
		t.Errorf("%+v %v", byHand, err)
	}

	if again, err := s.Invoice(ctx, first.Number); err != nil || !reflect.DeepEqual(again, first) {
		t.Errorf("the invoice was changed: %+v %v", again, err)
	}
	issue(t, s, 0)
	clock.Set(start.AddDate(0, 2, 0))
	next := issue(t, s, 1)[0]
	if len(next.Lines) != 2 || next.AmountMicros != -2_999_999 || next.AmountMinor != -300 {
		t.Fatalf("%+v", next)
	}
	for k, want := range []store.Entry{e, less} {
		l := next.Lines[k]
		if l.Kind != want.Kind || l.EntryID != want.ID || l.CorrectsID != entries[0].ID || l.Note != want.Note || l.Month != first.Month || l.AmountMicros != want.AmountMicros {
			t.Errorf("line %+v, entry %+v", l, want)
		}
	}
	if check, err := s.CheckLedger(ctx); err != nil || !check.OK {
		t.Errorf("%+v %v", check, err)
	}
	db := raw(t, dir)
	refused(t, db, "correction_wrong", "BEGIN; INSERT INTO posting VALUES (99, 'team:"+seed.Team.ID+"', 1), (99, 'revenue:on_demand', -1); INSERT INTO entry SELECT 99, 'k', 'correction', NULL, NULL, NULL, 1, team_id, person_id, item, gpu_model, at, from_at, to_at, day, 0, '' FROM entry WHERE id = 1")
}

func TestACorrectionThatCanNotBeIsRefused(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	used(t, s, clock, seed, clock.Now(), clock.Now().Add(time.Hour))
	good := store.Correction{CorrectsID: 1, Kind: store.EntryCorrection, AmountMicros: 1, Note: "why"}
	for name, c := range map[string]struct {
		by    string
		bad   func(*store.Correction)
		kind  store.Kind
		field string
	}{
		"by a member":           {seed.Member.ID, func(*store.Correction) {}, store.Forbidden, ""},
		"by nobody":             {"", func(*store.Correction) {}, store.NotFound, ""},
		"of nothing":            {seed.Admin.ID, func(c *store.Correction) { c.CorrectsID = 99 }, store.NotFound, ""},
		"without a reason":      {seed.Admin.ID, func(c *store.Correction) { c.Note = " " }, store.Invalid, "note"},
		"with a long reason":    {seed.Admin.ID, func(c *store.Correction) { c.Note = strings.Repeat("x", 301) }, store.Invalid, "note"},
		"of another kind":       {seed.Admin.ID, func(c *store.Correction) { c.Kind = "usage" }, store.Invalid, "kind"},
		"of no amount":          {seed.Admin.ID, func(c *store.Correction) { c.AmountMicros = 0 }, store.Invalid, "amount_micros"},
		"of too much":           {seed.Admin.ID, func(c *store.Correction) { c.AmountMicros = 1 << 60 }, store.Invalid, "amount_micros"},
		"a credit that charges": {seed.Admin.ID, func(c *store.Correction) { c.Kind = store.EntryCredit }, store.Invalid, "amount_micros"},
	} {
		n := good
		c.bad(&n)
		_, err := s.Correct(ctx, c.by, n)
		if store.KindOf(err) != c.kind {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.field != "" {
			kind(t, err, c.kind, c.field)
		}
	}
}
