package fleet

import (
	"fmt"
	"strconv"

	"github.com/meterhouse/meterhouse/gpu/bench"
	"github.com/meterhouse/meterhouse/store"
)

// ending says in words how an instance ended, for a run that did not say it itself.
func ending(inst store.Instance) string {
	switch {
	case inst.ExitDetail == outOfMemory:
		return "killed by its memory limit"
	case inst.ExitCode != nil:
		return fmt.Sprintf("exit status %d", *inst.ExitCode)
	}
	return inst.ExitDetail
}

// outcome is a run's result in the words of the database.
func outcome(inst store.Instance, r bench.Result) store.BenchmarkOutcome {
	o := store.BenchmarkOutcome{Status: string(r.Status), Error: r.Detail}
	died := r.Reason == bench.ReasonDied || r.Reason == bench.ReasonEmpty
	if died && inst.StopReason != "" && inst.StopReason != "command_ended" && inst.StopReason != "start_failed" {
		o.Status, o.Error = "cancelled", ""
	}
	if r.Plan != nil {
		o.Environment = environment(r.Plan.Environment)
		o.Environment["size"] = strconv.Itoa(r.Plan.Size)
		o.Environment["seed"] = strconv.FormatInt(r.Plan.Seed, 10)
	}
	for _, row := range r.Rows {
		o.Results = append(o.Results, resultOf(row))
	}
	return o
}

func resultOf(row bench.Row) store.BenchmarkResult {
	r := store.BenchmarkResult{Test: row.Test, Unit: row.Unit, Stable: row.Stable, Simulated: row.Simulated,
		Notes: map[string]string{"size": strconv.Itoa(row.Size), "workers": strconv.Itoa(row.Workers)}}
	for _, reason := range row.Reasons {
		r.Reasons = append(r.Reasons, string(reason))
	}
	if row.Summary != nil {
		r.Median, r.P5, r.P95, r.CV, r.N = row.Median, row.P5, row.P95, row.CV, row.N
	}
	if row.Wrong {
		r.Notes["wrong"] = strconv.FormatFloat(row.ErrorRatio, 'g', 3, 64)
	}
	if row.OfBest > 0 {
		r.Notes["of_best"] = strconv.FormatFloat(row.OfBest, 'f', 4, 64)
	}
	for _, note := range row.Notes {
		r.Notes[string(note)] = ""
	}
	return r
}

// environment is what was on the machine, without what it did not tell.
func environment(e bench.Environment) map[string]string {
	told := map[string]string{"cores": strconv.Itoa(e.Cores), "workers": strconv.Itoa(e.Workers),
		"load_average": strconv.FormatFloat(e.LoadAverage, 'f', 2, 64)}
	for name, text := range map[string]string{"cpu_model": e.CPUModel, "governor": e.Governor, "huge_pages": e.HugePages,
		"kernel": e.Kernel, "go_version": e.GoVersion, "architecture": e.Architecture, "vector": e.Vector} {
		if text != "" {
			told[name] = text
		}
	}
	for name, n := range map[string]int64{"quota_millis": e.QuotaMillis, "memory_bytes": e.MemoryBytes, "cache_bytes": e.CacheBytes} {
		if n != 0 {
			told[name] = strconv.FormatInt(n, 10)
		}
	}
	return told
}
