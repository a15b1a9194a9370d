package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/money"
	"github.com/meterhouse/meterhouse/store/replay"
)

// replayed is what a replay prints.
type replayed struct {
	Asked       float64             `json:"gpu_hours_asked"`
	Served      float64             `json:"gpu_hours_served"`
	Lost        float64             `json:"gpu_hours_lost"`
	Wait        byKind[waitSeconds] `json:"wait_seconds"`
	Reclaims    int                 `json:"reclaims"`
	Utilization float64             `json:"utilization"`
	Revenue     byKind[int64]       `json:"revenue_micros"`
	Sum         int64               `json:"ledger_sum_micros"`
	Tasks       replayedTasks       `json:"tasks"`
}

type byKind[T any] struct {
	OnDemand T `json:"on_demand"`
	Spot     T `json:"spot"`
}

type waitSeconds struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	Max float64 `json:"max"`
}

type replayedTasks struct {
	Asked      int                    `json:"asked"`
	Served     int                    `json:"served"`
	OtherModel int                    `json:"served_on_other_model"`
	Refused    map[replay.Refusal]int `json:"refused"` // every reason, in the order of their names
}

func planReplay(ctx context.Context, c *call) (err error) {
	f := c.flags()
	gpus := f.Int("gpus", 0, "GPUs in the pool")
	perNode := f.Int("gpus-per-node", 8, "GPUs of one node")
	model := f.String("model", "A100-SXM4-80GB", "the pool's model, for its price and for tasks that name models")
	price := f.String("price", "", "price of one GPU an hour on demand; empty: the model's usual one")
	match := f.Bool("match-model", false, "refuse tasks that name other models; else any GPU serves them")
	dir := f.String("ledger", "", "keep the ledger in this directory, for `meterhouse doctor ledger --data DIR`")
	asJSON := f.Bool("json", false, "print JSON")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	pool := store.ReplayOptions{Model: *model, GPUs: *gpus, PerNode: *perNode, MicrosPerHour: store.DefaultPrice(*model)}.Pool()
	pool.ModelMatters = *match
	switch {
	case *gpus < 1 || *gpus > store.ReplayGPUsMax:
		return misuse("--gpus is a number from 1 to %d", store.ReplayGPUsMax)
	case *perNode < 1 || *perNode > store.ReplayPerNodeMax:
		return misuse("--gpus-per-node is a number from 1 to %d", store.ReplayPerNodeMax)
	}
	if *price != "" {
		if pool.MicrosPerHour, err = money.Parse(*price); err != nil || pool.MicrosPerHour < 0 || pool.MicrosPerHour > 10_000*money.Unit {
			return misuse("--price is an amount from 0 to 10000, such as 2.50")
		}
	}
	file, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer file.Close()
	tasks, err := replay.Read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	keep := *dir
	if keep == "" {
		if keep, err = os.MkdirTemp("", "meterhouse-replay-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(keep)) }()
	} else if existingData(keep) == nil {
		return fmt.Errorf("there is Meterhouse data in %s already: name another directory with --ledger", keep)
	}
	answer, err := replayInto(ctx, keep, pool, tasks)
	if err != nil {
		return err
	}
	if *asJSON {
		return c.printJSON(answer)
	}
	return c.printReplay(answer)
}

// replayInto serves the workload and writes its ledger; what it returns is what the ledger says.
func replayInto(ctx context.Context, dir string, pool replay.Pool, tasks []replay.Task) (answer replayed, err error) {
	r, err := store.Replay(ctx, dir, pool, tasks, func() error { return nil })
	if err != nil {
		return answer, err
	}
	result, revenue := r.Result, r.RevenueMicros
	refused := map[replay.Refusal]int{}
	for _, why := range replay.Refusals {
		refused[why] = result.Refused[why]
	}
	return replayed{
		Asked: millionths(int64(result.AskedHours)), Served: millionths(int64(result.ServedHours)), Lost: millionths(int64(result.LostHours)),
		Wait:     byKind[waitSeconds]{waits(result.Wait[replay.OnDemand]), waits(result.Wait[replay.Spot])},
		Reclaims: result.Reclaims, Utilization: millionths(r.UtilizationPPM),
		Revenue: byKind[int64]{revenue[replay.OnDemand], revenue[replay.Spot]}, Sum: r.LedgerMicros,
		Tasks: replayedTasks{Asked: result.Asked, Served: result.Served, OtherModel: result.OtherModel, Refused: refused},
	}, nil
}

// millionths is a figure, not money.
func millionths(n int64) float64 { return float64(n) / 1e6 }

func waits(w replay.Wait) waitSeconds {
	return waitSeconds{w.P50.Seconds(), w.P95.Seconds(), w.Max.Seconds()}
}

func (c *call) printReplay(r replayed) error {
	t := table{head: []string{"", "ON DEMAND", "SPOT", "ALL"}}
	hours := func(h float64) string { return fmt.Sprintf("%.1f", h) }
	wait := func(s float64) string { return time.Duration(s * float64(time.Second)).Round(time.Second).String() }
	t.add("GPU-hours asked", "", "", hours(r.Asked))
	t.add("GPU-hours served", "", "", hours(r.Served))
	t.add("GPU-hours lost to reclaims", "", "", hours(r.Lost))
	t.add("wait, median", wait(r.Wait.OnDemand.P50), wait(r.Wait.Spot.P50), "")
	t.add("wait, 95 of 100 below", wait(r.Wait.OnDemand.P95), wait(r.Wait.Spot.P95), "")
	t.add("wait, longest", wait(r.Wait.OnDemand.Max), wait(r.Wait.Spot.Max), "")
	t.add("reclaims", "", "", fmt.Sprint(r.Reclaims))
	t.add("utilization", "", "", fmt.Sprintf("%.1f %%", 100*r.Utilization))
	t.add("revenue", amount(r.Revenue.OnDemand), amount(r.Revenue.Spot), amount(r.Revenue.OnDemand+r.Revenue.Spot))
	t.add("ledger's sum", "", "", amount(r.Sum))
	t.add("tasks asked", "", "", fmt.Sprint(r.Tasks.Asked))
	t.add("tasks served", "", "", fmt.Sprint(r.Tasks.Served))
	for _, why := range replay.Refusals {
		if n := r.Tasks.Refused[why]; n > 0 {
			t.add("refused: "+strings.ReplaceAll(string(why), "_", " "), "", "", fmt.Sprint(n))
		}
	}
	if r.Tasks.OtherModel > 0 {
		t.add("served on another model", "", "", fmt.Sprint(r.Tasks.OtherModel))
	}
	return t.print(c.out)
}
