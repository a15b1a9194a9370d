package bench

import (
	"math"
	"testing"
)

func planned(tests ...string) Event {
	p := Plan{Version: formatVersion, Suite: SuiteMatmul, Backend: BackendCPU, Size: 64}
	for _, name := range tests {
		p.Tests = append(p.Tests, Planned{Test: name, Unit: unitCompute})
	}
	return Event{Kind: KindPlan, Plan: &p}
}

func stable(test string, median float64) Event {
	return Event{Kind: KindResult, Result: &Row{Test: test, Group: "g", Unit: unitCompute, Stable: true, Summary: &Summary{Median: median, N: 10}}}
}

func unstable(test string, why Reason) Event {
	return Event{Kind: KindResult, Result: &Row{Test: test, Group: "g", Unit: unitCompute, Reasons: []Reason{why}}}
}

func wrong(test string) Event {
	return Event{Kind: KindResult, Result: &Row{Test: test, Group: "g", Unit: unitCompute, Wrong: true, Reasons: []Reason{ReasonWrong}, ErrorRatio: 40}}
}

func TestFoldDecidesTheStatus(t *testing.T) {
	done := Event{Kind: KindDone, Done: &Done{Tests: 2, Seconds: 3}}
	sample := Event{Kind: KindSample, Sample: &Sample{Test: "a", Value: 1, Seconds: 1}}
	broken := Event{Kind: KindError, Error: &Failure{Reason: ReasonMemory, Detail: "no memory"}}
	cases := []struct {
		name   string
		events []Event
		status Status
		reason Reason
		detail string
	}{
		{"all stable", []Event{planned("a", "b"), sample, stable("a", 1), stable("b", 2), done}, StatusDone, "", ""},
		{"one unstable", []Event{planned("a", "b"), unstable("a", ReasonTime), stable("b", 2), done}, StatusUnstable, "", ""},
		{"one wrong, one unstable", []Event{planned("a", "b"), unstable("a", ReasonTime), wrong("b"), done}, StatusWrong, ReasonWrong,
			"b is outside the error bound, by a factor of 40"},
		{"nothing", nil, StatusFailed, ReasonEmpty, "the benchmark ended without an event"},
		{"died while measuring", []Event{planned("a"), sample}, StatusFailed, ReasonDied,
			"the benchmark ended before it was done; its last event was a sample of a"},
		{"died after its last result", []Event{planned("a"), stable("a", 1)}, StatusFailed, ReasonDied,
			"the benchmark ended before it was done; its last event was the result of a"},
		{"died early", []Event{planned("a"), {Kind: KindProgress, Progress: &Progress{Fraction: 0.5, Test: "a", Phase: PhaseCheck}}}, StatusFailed, ReasonDied,
			"the benchmark ended before it was done; its last event was progress 50 % (a check)"},
		{"said why", []Event{planned("a"), broken, stable("a", 1), done}, StatusFailed, ReasonMemory, "no memory"},
		{"done without results", []Event{planned("a", "b"), stable("a", 1), done}, StatusFailed, ReasonIncomplete, "done with 1 results"},
		{"done without a plan", []Event{stable("a", 1), done}, StatusFailed, ReasonIncomplete, "done with 0 results"},
		{"one result twice", []Event{planned("a", "b"), stable("a", 1), stable("a", 1), done}, StatusFailed, ReasonIncomplete, "done with 1 results"},
		{"a result nobody planned", []Event{planned("a", "b"), stable("a", 1), stable("c", 1), done}, StatusFailed, ReasonIncomplete, "done with 1 results"},
		{"words after the end", []Event{planned("a"), stable("a", 1), done, wrong("a"), broken}, StatusDone, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := Fold(c.events)
			if r.Status != c.status || r.Reason != c.reason || r.Detail != c.detail {
				t.Errorf("%s %q %q", r.Status, r.Reason, r.Detail)
			}
		})
	}
}

func TestARunningResultShowsWhatIsThere(t *testing.T) {
	var r Result
	if r.Status != "" {
		t.Fatal(r.Status)
	}
	r.Add(planned("a", "b"))
	r.Add(Event{Kind: KindProgress, Progress: &Progress{Fraction: 0.6, Test: "a", Phase: PhaseMeasure}})
	r.Add(Event{Kind: KindProgress, Progress: &Progress{Fraction: 0.4, Test: "a", Phase: PhaseMeasure}})
	r.Add(stable("a", 5))
	if r.Status != StatusRunning || r.Progress.Fraction != 0.6 || len(r.Rows) != 1 {
		t.Fatalf("%+v", r)
	}
	r.End("killed by its memory limit")
	if want := "the benchmark ended before it was done (killed by its memory limit); its last event was the result of a"; r.Detail != want {
		t.Error(r.Detail)
	}
}

func TestRungsAreComparedWithTheBestOfTheirGroup(t *testing.T) {
	other := stable("c", 100)
	other.Result.Group = "h"
	alone := stable("d", 1000)
	alone.Result.Group = ""
	r := Fold([]Event{planned("a", "b", "c", "d"), stable("a", 2), stable("b", 8), other, alone, {Kind: KindDone, Done: &Done{}}})
	for i, want := range []float64{0.25, 1, 1, 0} {
		if got := r.Rows[i].OfBest; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v of the best, want %v", r.Rows[i].Test, got, want)
		}
	}
}

func TestAFoldedRowDoesNotChangeItsEvent(t *testing.T) {
	first := stable("a", 2)
	Fold([]Event{planned("a"), first})
	if first.Result.OfBest != 0 {
		t.Error("the event was changed")
	}
}
