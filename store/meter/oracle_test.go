package meter

import (
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
)

// history is a random life: segments with gaps, the last perhaps open, and how it ended, if it did.
func history(r *rand.Rand) (segments []Segment, terms Terms, now time.Time) {
	long := []int64{1, 1e3, 1e6, 6e7, 4e9, 1e13}[r.IntN(6)] // microseconds
	terms, at := Terms{RateMicrosPerHour: r.Int64N(1e8)}, start
	for range r.IntN(7) {
		at = at.Add(time.Duration(r.Int64N(2)*r.Int64N(long)) * time.Microsecond)
		to := at.Add(time.Duration(r.Int64N(long)) * time.Microsecond)
		segments = append(segments, Segment{State: life.Running, Billable: r.IntN(4) > 0, RateMicrosPerHour: r.Int64N(1e8), From: at, To: &to})
		at = to
	}
	if r.IntN(20) > 0 {
		terms.StartedAt = &start
	}
	switch {
	case r.IntN(3) > 0:
		terms.EndedAt, terms.HostFault = &at, r.IntN(3) == 0
		if notice := at.Add(-time.Duration(r.Int64N(2*long)) * time.Microsecond); r.IntN(3) == 0 {
			terms.ReclaimedAt = &notice
		}
	case len(segments) > 0:
		segments[len(segments)-1].To = nil
	}
	return segments, terms, at.Add(time.Duration(r.Int64N(long)-r.Int64N(2)*long/2) * time.Microsecond)
}

var inHour = new(big.Rat).SetInt64(time.Hour.Microseconds())

// exactly is the rule as a fraction: Σ rate × time, the minimum added, nothing of what is waived, rounded half away from 0.
func exactly(segments []Segment, terms Terms, now time.Time) int64 {
	if terms.StartedAt == nil {
		return 0
	}
	sum, used, rate := new(big.Rat), time.Duration(0), terms.RateMicrosPerHour
	add := func(rate int64, d time.Duration) {
		used += d
		sum.Add(sum, new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(rate), big.NewInt(d.Microseconds()))))
	}
	for _, g := range segments {
		to := now
		if g.To != nil {
			to = *g.To
		}
		if g.Billable {
			rate = g.RateMicrosPerHour
			add(rate, max(to.Sub(g.From), 0))
		}
	}
	if terms.EndedAt != nil {
		lasted := terms.EndedAt.Sub(*terms.StartedAt)
		if terms.HostFault && lasted < time.Minute || terms.ReclaimedAt != nil && terms.ReclaimedAt.Sub(*terms.StartedAt) < time.Hour {
			return 0
		}
		add(rate, max(time.Minute-used, 0))
	}
	sum.Quo(sum, inHour).Add(sum, big.NewRat(1, 2)) // nothing here is below zero
	return new(big.Int).Div(sum.Num(), sum.Denom()).Int64()
}

func TestAHundredThousandHistoriesAgreeWithExactFractions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for k := range 100_000 {
		segments, terms, now := history(r)
		want := exactly(segments, terms, now)
		bill := Fold(segments, terms, now)
		var lines int64
		for _, l := range bill.Lines {
			lines += l.AmountMicros
		}
		if total := Total(segments, terms, now); total != want || bill.TotalMicros != want || lines != want {
			t.Fatalf("history %d: total %d, bill %d, lines %d, want %d: %+v %+v at %v", k, total, bill.TotalMicros, lines, want, segments, terms, now)
		}
		cut := start.Add(time.Duration(r.Int64N(1 + max(int64(now.Sub(start)), 0) + int64(time.Minute))))
		if got, want := Cost(segments, terms, cut, now), exactly(shortened(segments, terms, cut, now)); got != want {
			t.Fatalf("history %d: %d until %v, want %d", k, got, cut, want)
		}
	}
}

// shortened is a history as far as it lies before a cut.
func shortened(segments []Segment, terms Terms, cut, now time.Time) (before []Segment, open Terms, at time.Time) {
	for _, g := range segments {
		to := now
		if g.To != nil {
			to = *g.To
		}
		if cut.Before(to) {
			to = cut
		}
		g.To = &to
		before = append(before, g)
	}
	if terms.EndedAt != nil && cut.Before(*terms.EndedAt) {
		terms.EndedAt = nil
	}
	return before, terms, cut
}
