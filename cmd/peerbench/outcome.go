package main

import (
	"fmt"
	"slices"
	"time"
)

// outcome is one line of bench.json.
type outcome struct {
	Name        string  `json:"name"`
	Ours        float64 `json:"ours"` // median
	Peer        float64 `json:"peer"` // median
	Unit        string  `json:"unit"`
	Ratio       float64 `json:"ratio"` // median of the pairs' ratios
	Low         float64 `json:"low"`   // the smallest of them
	High        float64 `json:"high"`  // the largest
	Goal        string  `json:"goal"`  // such as ">= 30"
	Holds       bool    `json:"holds"` // the median reaches the goal
	Equal       bool    `json:"equal"` // both sides' results were equal, or the rest means nothing
	PeerVersion string  `json:"peer_version"`
	Commit      string  `json:"commit"`
	N           int     `json:"n"` // pairs
}

func (o outcome) String() string {
	verdict := "falls short"
	if o.Holds {
		verdict = "holds"
	}
	if !o.Equal {
		verdict = "RESULTS DIFFER"
	}
	return fmt.Sprintf("%-22s ours %.4g %s, peer %.4g %s: ratio %.3g (%.3g–%.3g, n %d), goal %s: %s", o.Name, o.Ours, o.Unit, o.Peer, o.Unit, o.Ratio, o.Low, o.High, o.N, o.Goal, verdict)
}

// beside runs ours and the peer in turn, n pairs after one that warms up, and compares how long they take: the ratio is
// peer ÷ ours, at least goal.
func beside(name string, n int, goal float64, ours, peer func() error) (outcome, error) {
	o := outcome{Name: name, Unit: "ms", Goal: fmt.Sprintf(">= %g", goal), Equal: true}
	var a, b, ratios []float64
	for k := range n + 1 {
		x, err := took(ours)
		if err != nil {
			return o, err
		}
		y, err := took(peer)
		if err != nil {
			return o, err
		}
		if k == 0 {
			continue
		}
		a, b, ratios = append(a, x), append(b, y), append(ratios, y/x)
	}
	o.Ours, o.Peer, o.Ratio, o.Low, o.High, o.N = median(a), median(b), median(ratios), slices.Min(ratios), slices.Max(ratios), n
	o.Holds = o.Ratio >= goal
	return o, nil
}

// took returns how many milliseconds something takes.
func took(run func() error) (float64, error) {
	start := time.Now()
	err := run()
	return float64(time.Since(start).Nanoseconds()) / 1e6, err
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 0 {
		return (sorted[middle-1] + sorted[middle]) / 2
	}
	return sorted[middle]
}
