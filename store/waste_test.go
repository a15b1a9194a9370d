package store_test

import (
	"testing"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/idle"
)

// TestWasteAddsUpToTheBill is M5: the same function gives what was used, idle and unknown, and they add up to what usage says.
func TestWasteAddsUpToTheBill(t *testing.T) {
	d := newIdler(t, idle.Defaults, store.RentRequest{})
	began := d.clock.Now()
	d.pass(60, 40)
	d.pass(60, 0)
	d.pass(31, -1)
	q := store.WasteQuery{From: began.AddDate(0, 0, -7), To: d.clock.Now()}
	rows, err := d.s.Waste(ctx, q)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%+v %v", rows, err)
	}
	used, err := d.s.Usage(ctx, store.UsageQuery{From: q.From, To: q.To, GroupBy: "instance"})
	if err != nil || len(used) != 1 || used[0].CostMicros != rows[0].Parts.Cost() {
		t.Errorf("%+v is not %+v, %v", rows, used, err)
	}
	if p := rows[0].Parts; p.Used < 399_990 || p.Used > 400_010 || p.Idle < 1_599_990 || p.Idle > 1_600_010 || p.Unknown < 516_600 || p.Unknown > 516_700 {
		t.Errorf("%+v", p)
	}
	for team, want := range map[string]int{d.seed.Team.ID: 1, other(t, d.s).TeamID: 0} {
		if rows, err := d.s.Waste(ctx, store.WasteQuery{From: q.From, To: q.To, TeamID: team}); err != nil || len(rows) != want {
			t.Errorf("%d rows, want %d, %v", len(rows), want, err)
		}
	}
}
