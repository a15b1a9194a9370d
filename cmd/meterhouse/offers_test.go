package main

import (
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/store"
)

func TestARefusedRentIsSaidOnceWithWhatCanBeRentedInstead(t *testing.T) {
	c := withAdmin(t)
	var all instance
	c.cliJSON(&all, "rent", "--gpu-model", "L4", "--gpu-count", "2", "--", "sleep 600")
	for _, bad := range []struct {
		line  string
		words string
		next  []string
	}{
		{"rent --gpu-count 99", "number of GPUs", []string{"cpu-2", "rent --plan PLAN"}},
		{"rent --plan nothing", "no such plan", []string{"rent --plan PLAN"}},
		{"rent --gpu-model H999", "no GPU model", []string{"rent --plan PLAN"}},
		{"rent --gpu-model L4", "No GPU is free", []string{"a100-sxm4-80gb-x1", "rent --plan PLAN", "--queue"}},
		{"rent --kind nonsense", "no such kind", []string{"Kinds: on_demand"}},
	} {
		code, out, errOut := c.try("", strings.Fields(bad.line)...)
		if code != exitFailed || out != "" || strings.Count(errOut, bad.words) != 1 {
			t.Errorf("%s: status %d, %q, %q", bad.line, code, out, errOut)
		}
		for _, next := range bad.next {
			if !strings.Contains(errOut, next) {
				t.Errorf("%s does not say %q: %s", bad.line, next, errOut)
			}
		}
	}
	if code, _, errOut := c.try("", "rent", "--cpu-only", "--name", "a\nb"); code != exitFailed || strings.Contains(errOut, "PLAN") {
		t.Errorf("offers are no answer to a wrong name: status %d, %q", code, errOut)
	}
	c.cli("", "stop", all.ID, "--wait")
}

func TestHelpOffersNoKindThatIsRefused(t *testing.T) {
	for _, line := range []string{"rent --help", "admin price set --help"} {
		_, out, _ := typed(t, nil, "", strings.Fields(line)...)
		for _, kind := range []store.InstanceKind{store.OnDemand, store.Reserved, store.Spot} {
			offered := strings.Contains(offeredKinds(), string(kind))
			if strings.Contains(out, string(kind)) != offered {
				t.Errorf("%s: %s is offered: %v\n%s", line, kind, offered, out)
			}
		}
	}
}

func TestWhoEndsAConsoleIsToldWhatGoesOn(t *testing.T) {
	c := withAdmin(t)
	c.terminate()
	if strings.Contains(c.output.String(), "goes on") {
		t.Errorf("nothing was rented:\n%s", c.output)
	}
	c.start()
	var i instance
	c.cliJSON(&i, "rent", "--cpu-only", "--wait", "--", "sleep 600")
	c.terminate()
	if out := c.output.String(); !strings.Contains(out, "is billed on: 1 ("+i.ID+")") || !strings.Contains(out, "meterhouse stop "+i.ID) {
		t.Errorf("it said:\n%s", out)
	}
	c.start()
	c.cli("", "stop", i.ID, "--wait")
}
