package idle

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestWhatIsIdleIsACostsPart is M5 and M6: no part is negative or more than the whole, and all add up to the micro-unit,
// whatever the weights, also where all are zero.
func TestWhatIsIdleIsACostsPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cost := rapid.Int64Range(0, 1<<62).Draw(t, "cost")
		draw := func(name string) time.Duration {
			return time.Duration(rapid.Int64Range(0, 1<<62).Draw(t, name))
		}
		billed, known, used := draw("billed"), draw("known"), draw("used")
		p := Split(cost, billed, known, used)
		if p.Cost() != cost || p.Used < 0 || p.Idle < 0 || p.Unknown < 0 {
			t.Fatalf("%d: %+v", cost, p)
		}
		if used >= known && p.Idle > 1 && billed > 0 || known <= 0 && p.Idle > 0 {
			t.Fatalf("%d of a time that was used or is not known is idle", p.Idle)
		}
	})
	for _, c := range []struct {
		cost                int64
		billed, known, used time.Duration
		want                Parts
	}{
		{27_000_000, 0, 0, 0, Parts{Unknown: 27_000_000}}, // M6: no weights at all
		{100, time.Hour, time.Hour, 15 * time.Minute, Parts{25, 75, 0}},
		{100, 3 * time.Hour, 2 * time.Hour, time.Hour, Parts{34, 33, 33}},
		{100, time.Hour, 0, 0, Parts{Unknown: 100}},
		{-5, time.Hour, time.Hour, 0, Parts{Unknown: -5}}, // a credit
		{0, time.Hour, time.Hour, 0, Parts{}},
	} {
		if got := Split(c.cost, c.billed, c.known, c.used); got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}
