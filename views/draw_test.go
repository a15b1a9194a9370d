package views

import (
	"strings"
	"testing"
)

func TestAReasonThatAllResultsHaveIsSaidOnce(t *testing.T) {
	for _, c := range []struct {
		why  []string
		want string
	}{
		{nil, ""}, {[]string{"noise"}, ""}, {[]string{"", ""}, ""}, {[]string{"noise", ""}, ""}, {[]string{"noise", "heat"}, ""},
		{[]string{"noise", "noise"}, "noise"},
	} {
		var results []BenchResult
		for _, w := range c.why {
			results = append(results, BenchResult{Why: w})
		}
		if got := sharedWhy(results); got != c.want {
			t.Errorf("%q share %q, want %q", c.why, got, c.want)
		}
	}
}

func TestAMonthThatCostNothingHasNoScaleButZero(t *testing.T) {
	labels := dayScaleOf([]CostDay{{}, {}}).labels(Format{Currency: "USD"})
	if labels[0] != "" || labels[1] != "" || !strings.Contains(labels[2], "0.00") {
		t.Errorf("the scale of nothing is %q", labels)
	}
}
