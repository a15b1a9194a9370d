package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/store"
)

func TestAPriceOfAModelIsThatOfEachGPUInEveryPlan(t *testing.T) {
	plans := []store.Plan{{ID: "l4-x1", GPUModel: "NVIDIA L4", GPUCount: 1}, {ID: "l4-x4", GPUModel: "NVIDIA L4", GPUCount: 4}, {ID: "t4-x1", GPUModel: "Tesla T4", GPUCount: 1}, {ID: "cpu-2"}}
	for name, want := range map[string][]store.PriceChange{
		"nvidia l4": {{PlanID: "l4-x1", Kind: store.OnDemand, MicrosPerHour: 450_000}, {PlanID: "l4-x4", Kind: store.OnDemand, MicrosPerHour: 1_800_000}},
		"l4-x4":     {{PlanID: "l4-x4", Kind: store.OnDemand, MicrosPerHour: 450_000}},
		"cpu-2":     {{PlanID: "cpu-2", Kind: store.OnDemand, MicrosPerHour: 450_000}},
	} {
		if got, err := pricesOf(plans, name, store.OnDemand, 450_000); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, want)
		}
	}
	for _, name := range []string{"", "L5"} {
		if _, err := pricesOf(plans, name, store.OnDemand, 1); err == nil || !strings.Contains(inWords(err), "Plans: l4-x1, l4-x4, t4-x1, cpu-2. Models: NVIDIA L4, Tesla T4.") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := pricesOf(plans[3:], "L4", store.OnDemand, 1); err == nil || !strings.HasSuffix(inWords(err), "There are: cpu-2.") {
		t.Errorf("where there is no GPU: %v", err)
	}
}
