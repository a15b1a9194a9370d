package spot

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func TestThePriceFollowsTheCurve(t *testing.T) {
	for use, want := range map[int64]int64{-5: 300_000, 0: 300_000, 500_000: 300_000, 500_001: 300_001, 700_000: 500_000, 900_000: 700_000,
		900_001: 700_002, 950_000: 800_000, Whole: 900_000, 2 * Whole: 900_000} {
		if got := Curve(use); got != want {
			t.Errorf("at a use of %d: %d, want %d", use, got, want)
		}
	}
	for _, c := range []struct{ onDemand, factor, want int64 }{{2_500_000, 300_000, 750_000}, {1, 500_000, 1}, {3, 300_000, 1}, {2_800_001, 777_777, 2_177_776}} {
		if got := Price(c.onDemand, c.factor); got != c.want {
			t.Errorf("%d of %d: %d, want %d", c.factor, c.onDemand, got, c.want)
		}
	}
}

func TestTheAverageHasATimeConstantOfFifteenMinutes(t *testing.T) {
	if want := int64(math.Round((1 - math.Exp(-1.0/15)) * weightWhole)); weight != want {
		t.Fatalf("weight %d, want %d", int64(weight), want)
	}
	m := Open(0, LowestMinimum, start).Observe(Whole, LowestMinimum, start)
	for minutes, want := range map[int]float64{1: 1 - math.Exp(-1.0/15), 15: 1 - math.Exp(-1), 45: 1 - math.Exp(-3), 1000: 1} {
		got := m.Tick(LowestMinimum, start.Add(time.Duration(minutes)*time.Minute)).AveragePPM()
		if math.Abs(float64(got)-want*1e6) > 1 {
			t.Errorf("after %d min: %d, want %.0f", minutes, got, want*1e6)
		}
	}
}

func TestAPriceTakesTwoPercentEveryFiveMinutes(t *testing.T) {
	m := Open(0, LowestMinimum, start).Observe(Whole, LowestMinimum, start)
	for _, c := range []struct {
		after time.Duration
		want  int64
	}{{5*time.Minute - time.Microsecond, 300_000}, {5 * time.Minute, 300_000}, {15 * time.Minute, 306_000}, {20 * time.Minute, 312_120}, {24 * time.Hour, 900_000}} {
		if got := m.Tick(LowestMinimum, start.Add(c.after)).FactorPPM; got != c.want {
			t.Errorf("after %v: %d, want %d", c.after, got, c.want)
		}
	}
	if got := Open(0, 450_000, start).FactorPPM; got != 450_000 {
		t.Errorf("with a minimum of 45 %%: %d", got)
	}
}

// However a market is looked at, it is the same; it never jumps and never leaves its bounds.
func TestTickingOftenOrOnceComesToTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		floor := rapid.Int64Range(LowestMinimum, Whole).Draw(t, "minimum")
		at := start.Add(time.Duration(rapid.Int64Range(0, 6e8).Draw(t, "phase")) * time.Microsecond)
		once := Open(rapid.Int64Range(0, Whole).Draw(t, "use"), floor, at)
		often := once
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			to := at.Add(time.Duration(rapid.Int64Range(0, 4e10).Draw(t, "long")) * time.Microsecond)
			for at.Before(to) {
				at = at.Add(time.Duration(rapid.Int64Range(1, 3e9).Draw(t, "tick")) * time.Microsecond)
				if at.After(to) {
					at = to
				}
				before := often
				often = often.Tick(floor, at)
				paces := at.Sub(before.At)/Pace + 1
				if most := int64(float64(before.FactorPPM) * math.Pow(1.02, float64(paces))); often.FactorPPM > most+1 || often.FactorPPM < floor || often.FactorPPM > Whole {
					t.Fatalf("from %+v to %+v", before, often)
				}
			}
			use := rapid.Int64Range(-1, Whole+1).Draw(t, "use")
			once, often = once.Observe(use, floor, to), often.Observe(use, floor, to)
			if once != often {
				t.Fatalf("once %+v, often %+v", once, often)
			}
		}
	})
}

func TestTheClockGoingBackChangesNothing(t *testing.T) {
	m := Open(700_000, LowestMinimum, start)
	if got := m.Tick(LowestMinimum, start.Add(-time.Hour)); got != m {
		t.Errorf("%+v", got)
	}
}

func TestTenYearsDownAreCaughtUpAtOnce(t *testing.T) {
	m := Open(100_000, LowestMinimum, start).Observe(950_000, LowestMinimum, start)
	began := time.Now()
	for range 100 {
		if got := m.Tick(LowestMinimum, start.AddDate(10, 0, 0)); got.FactorPPM != 800_000 || got.AveragePPM() != 950_000 {
			t.Fatalf("%+v", got)
		}
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("100 times took %v", took)
	}
}

func TestTheSignalsComeAtTheirTimes(t *testing.T) {
	for seconds, want := range map[int]int{-1: 0, 0: 1, 89: 1, 90: 2, 119: 2, 120: 3, 9999: 3} {
		due := Due(start, start.Add(time.Duration(seconds)*time.Second))
		if len(due) != want || !slices.Equal(due, []Step{{0, "SIGUSR1"}, {90 * time.Second, "SIGTERM"}, {120 * time.Second, "SIGKILL"}}[:want]) {
			t.Errorf("after %d s: %v", seconds, due)
		}
	}
	for done, want := range []time.Duration{0, 90 * time.Second, 120 * time.Second} {
		if at, step, ok := Next(start, done); !ok || !at.Equal(start.Add(want)) || step.After != want {
			t.Errorf("after %d steps: %v %v %v", done, at, step, ok)
		}
	}
	if _, _, ok := Next(start, 3); ok {
		t.Error("a fourth step")
	}
}

func TestTheFirstQuarterIsSafeAndTheFirstHourFree(t *testing.T) {
	for _, c := range []struct {
		after             time.Duration
		reclaimable, free bool
	}{{0, false, true}, {Safe - 1, false, true}, {Safe, true, true}, {Free - 1, true, true}, {Free, true, false}} {
		if may, free := MayReclaim(start, start.Add(c.after)), IsFree(start, start.Add(c.after)); may != c.reclaimable || free != c.free {
			t.Errorf("after %v: %v %v", c.after, may, free)
		}
	}
}

func TestSavingAndRisk(t *testing.T) {
	if got := Saving(2_500_000, 3723*time.Second, 775_625); got != 2_585_417-775_625 {
		t.Errorf("saving %d", got)
	}
	if _, ok := (History{}).Risk(); ok {
		t.Error("a risk from nothing")
	}
	h := History{}.With(30*time.Hour, true).With(10*time.Hour, false)
	if risk, ok := h.Risk(); !ok || risk != 25_000 || h.Runs != 2 {
		t.Errorf("%d %v of %+v", risk, ok, h)
	}
}

func TestEachMoveOfThePriceIsTold(t *testing.T) {
	m := Open(0, LowestMinimum, start).Observe(Whole, LowestMinimum, start)
	var told []Market
	end := m.Follow(LowestMinimum, start.AddDate(1, 0, 0), func(moved Market) { told = append(told, moved) })
	if end != m.Tick(LowestMinimum, start.AddDate(1, 0, 0)) {
		t.Fatal("who is told changes the market")
	}
	last := m.FactorPPM
	for _, moved := range told {
		if moved.FactorPPM == last || !moved.At.Equal(moved.At.Truncate(Pace)) || moved.FactorPPM != m.Tick(LowestMinimum, moved.At).FactorPPM {
			t.Fatalf("%+v after %d", moved, last)
		}
		last = moved.FactorPPM
	}
	if last != end.FactorPPM || len(told) < 50 {
		t.Errorf("%d moves up to %d, the end is %d", len(told), last, end.FactorPPM)
	}
	if next := m.NextMove(); !next.Equal(start.Add(Pace)) {
		t.Errorf("it moves at %v", next)
	}
}
