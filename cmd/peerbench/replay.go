package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

const (
	replaySeconds = 20
	replayMiB     = 300
	replayRuns    = 3
)

// replayWorkload measures `meterhouse plan replay` of a recorded workload at 64 GPUs, its ledger included, and the memory
// that it takes. There is no peer: the goals are what a person waits for.
func replayWorkload(ctx context.Context, dir string) ([]outcome, error) {
	file := filepath.Join("..", "..", "..", "shared", "data", "alibaba-gpu-2023", "tasks.csv")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		fmt.Println("  skipped: no recorded workload in", file)
		return nil, nil
	}
	binary := filepath.Join(dir, "meterhouse")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/meterhouse")
	build.Dir = filepath.Join("..", "..")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %w: %s", err, text)
	}
	var seconds, mib []float64
	first, equal := "", true
	for k := range replayRuns {
		run := exec.CommandContext(ctx, binary, "plan", "replay", file, "--gpus", "64", "--json")
		start := time.Now()
		out, err := run.Output()
		if err != nil {
			return nil, fmt.Errorf("replay: %w", err)
		}
		seconds = append(seconds, time.Since(start).Seconds())
		if usage, ok := run.ProcessState.SysUsage().(*syscall.Rusage); ok {
			mib = append(mib, float64(usage.Maxrss)/1024)
		}
		if k == 0 {
			first = string(out)
		}
		equal = equal && string(out) == first
	}
	o := func(name, unit string, values []float64, goal float64) outcome {
		ours := median(values)
		return outcome{Name: name, Ours: ours, Peer: goal, Unit: unit, Ratio: ours, Low: slices.Min(values), High: slices.Max(values), Goal: fmt.Sprintf("<= %g", goal),
			Holds: ours <= goal, Equal: equal, PeerVersion: "none: the goal stands for it", N: len(values)}
	}
	return []outcome{o("replay", "s", seconds, replaySeconds), o("replay memory", "MiB", mib, replayMiB)}, nil
}
