package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestWhatNeverRanHasNoFigure(t *testing.T) {
	var out bytes.Buffer
	c := &call{terminal: terminal{out: &out}}
	run := benchmarkRun{Status: "unstable"}
	run.Results = append(run.Results, benchmarkResult{Test: "copy", Unit: "GB/s"}, benchmarkResult{Test: "scale", Unit: "GB/s", Median: 7.5, N: 3, Stable: true})
	if err := c.printRun(run); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if got := strings.Fields(lines[2]); strings.Join(got, " ") != "copy – – – GB/s – 0 no" {
		t.Errorf("what never ran: %q", got)
	}
	if !strings.Contains(lines[3], "7.5") {
		t.Errorf("what ran: %q", lines[3])
	}
}
