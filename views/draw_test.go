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

func TestFiguresOfTheMachineAreWrittenForPeople(t *testing.T) {
	for f, want := range map[Fact]string{
		{Name: "quota_millis", Value: "2000"}: "2", {Name: "quota_millis", Value: "1500"}: "1.5", {Name: "quota_millis", Value: "?"}: "?",
		{Name: "ram_bytes", Value: "4294967296"}: "4\u00a0GiB", {Name: "kernel", Value: "7"}: "7",
	} {
		if got := factText(f); got != want {
			t.Errorf("%v is written %q, want %q", f, got, want)
		}
	}
	for size, want := range map[string]string{"33554432": "33,554,432", "64 MiB": "64 MiB", "": ""} {
		if got := sizeText(size); got != want {
			t.Errorf("the size %q is written %q, want %q", size, got, want)
		}
	}
}
