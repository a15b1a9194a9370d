package views

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/web/lang"
)

func sampleSpot(t lang.T) SpotPage {
	p := samplePage(t, "/rent/spot")
	m := SpotMarket{ID: "a100-sxm4-80gb", Model: "NVIDIA A100-SXM4-80GB", FactorPPM: 412_300, MinimumPPM: 100_000, UsePPM: 612_300, PriceMicros: 1_030_750,
		NextMove: p.Now.Add(3 * time.Minute), Runs: 41, Reclaims: 6, ReclaimsPerHour: 25_000}
	for k, factor := range []int64{300_000, 306_000, 360_000, 520_000, 412_300} {
		m.Prices = append(m.Prices, SpotPrice{At: p.Now.Add(time.Duration(k-5) * 24 * time.Hour), FactorPPM: factor})
	}
	quiet := SpotMarket{ID: "l4", Model: "NVIDIA L4", Simulated: true, FactorPPM: 300_000, MinimumPPM: 100_000, PriceMicros: 30_000, NextMove: p.Now.Add(time.Minute),
		Prices: []SpotPrice{{At: p.Now.Add(-30 * 24 * time.Hour), FactorPPM: 300_000}}}
	return SpotPage{Page: p, From: p.Now.Add(-7 * 24 * time.Hour), To: p.Now, Markets: []SpotMarket{m, quiet}}
}

func sampleReclaimed(t lang.T) InstancePage {
	v := sampleInstance(t)
	notice := v.Now.Add(-40 * time.Second)
	v.Kind, v.Status = "spot", "reclaiming"
	v.Spot = &SpotFacts{ListMicrosPerHour: v.RateMicrosPerHour * 2, SavedMicros: Known(4_210_000), Requeue: true, Run: 2, EarlierID: "i-7q2m4x8k1c5d", NoticeAt: notice,
		ReclaimsAt: notice.Add(2 * time.Minute), NeededBy: "reservation", Free: true, Checkpoint: "make checkpoint", CheckpointState: "ended", CheckpointExit: "0",
		Signals: []SpotSignal{{"SIGUSR1", notice, true}, {"SIGTERM", notice.Add(90 * time.Second), false}, {"SIGKILL", notice.Add(2 * time.Minute), false}}}
	v.Events = append([]Event{{At: notice, Kind: "reclaim_step", Args: map[string]string{"signal": "SIGUSR1"}},
		{At: notice, Kind: "reclaim_notice", Args: map[string]string{"for": "reservation", "until": notice.Add(2 * time.Minute).Format(time.RFC3339)}}}, v.Events...)
	return v
}

func TestAPricesStepsAreDrawnWithinTheirTime(t *testing.T) {
	from := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s := spotScale{from, from.Add(10 * time.Hour)}
	got := s.steps([]SpotPrice{{from.Add(-time.Hour), 300_000}, {from.Add(5 * time.Hour), 500_000}})
	if want := "M0.0,70.0 H500.0 V50.0 H1000.0"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := s.steps(nil); got != "" {
		t.Errorf("of nothing %q", got)
	}
}
