package replay

import (
	"context"
	"math/big"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/meterhouse/meterhouse/store/queue"
	"github.com/meterhouse/meterhouse/store/spot"
)

func poolOf(gpus int) Pool {
	return Pool{Model: "A100", GPUs: gpus, PerNode: 8, MicrosPerHour: 2_500_000, MinimumPPM: spot.LowestMinimum, Begins: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)}
}

func served(t interface{ Fatal(...any) }, p Pool, tasks []Task) (Result, []Run) {
	var runs []Run
	r, err := Serve(context.Background(), p, tasks, func(r *Run) error { runs = append(runs, *r); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return r, runs
}

func drawn(t *rapid.T) []Task {
	var tasks []Task
	for range rapid.IntRange(1, 25).Draw(t, "tasks") {
		k := Task{Kind: rapid.SampledFrom([]Kind{OnDemand, Spot}).Draw(t, "kind"), GPUs: rapid.IntRange(0, 5).Draw(t, "gpus"), Milli: queue.Share, Team: rapid.SampledFrom([]string{"", "a"}).Draw(t, "team"),
			Asked: time.Duration(rapid.IntRange(0, 7200).Draw(t, "asked")) * time.Second, Length: time.Duration(rapid.IntRange(0, 90000).Draw(t, "length")) * time.Second}
		if rapid.Bool().Draw(t, "part") {
			k.GPUs, k.Milli = 1, rapid.IntRange(1, queue.Share).Draw(t, "milli")
		}
		if rapid.IntRange(0, 3).Draw(t, "limited") == 0 {
			k.Limit = k.Length + time.Hour
		}
		tasks = append(tasks, k)
	}
	return tasks
}

func TestEveryTaskThatFitsIsServedAndNoGPUIsGivenTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := poolOf(rapid.IntRange(1, 7).Draw(t, "pool"))
		p.PerNode = rapid.IntRange(1, 4).Draw(t, "a node")
		tasks := drawn(t)
		result, runs := served(t, p, tasks)
		fit := 0
		for _, k := range tasks {
			if p.refuses(k) == "" {
				fit++
			}
		}
		if result.Served != fit || len(runs) != fit+result.Reclaims {
			t.Fatalf("%d of %d served in %d runs, %d reclaims", result.Served, fit, len(runs), result.Reclaims)
		}
		revenue := map[Kind]int64{}
		for _, a := range runs { // what is held can only be most where somebody starts
			held := map[string]int{}
			for _, b := range runs {
				for _, uuid := range b.UUIDs {
					if !b.Start.After(a.Start) && b.End.After(a.Start) {
						held[uuid] += b.Task.Milli
					}
				}
			}
			for uuid, milli := range held {
				if milli > queue.Share {
					t.Fatalf("%d thousandths of %s at %v", milli, uuid, a.Start)
				}
			}
			revenue[a.Task.Kind] += oracle(a)
		}
		if result.RevenueMicros[OnDemand] != revenue[OnDemand] || result.RevenueMicros[Spot] != revenue[Spot] {
			t.Fatalf("%v, by fractions %v", result.RevenueMicros, revenue)
		}
		again, same := served(t, p, tasks)
		if !reflect.DeepEqual(again, result) || !reflect.DeepEqual(same, runs) {
			t.Fatal("another time it came out differently")
		}
	})
}

// oracle is the bill of a run in fractions, rounded half up once.
func oracle(r Run) int64 {
	lasted := r.End.Sub(r.Start)
	if r.Reclaimed && r.Notice.Sub(r.Start) < time.Hour {
		return 0
	}
	x := big.NewRat(r.RateMicrosPerHour, 1)
	x.Mul(x, big.NewRat(max(lasted, time.Minute).Microseconds(), time.Hour.Microseconds()))
	x.Add(x, big.NewRat(1, 2))
	return new(big.Int).Quo(x.Num(), x.Denom()).Int64()
}

func TestOnDemandWaitsForSpotNoLongerThanTheNotice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := poolOf(8)
		var tasks []Task
		for range rapid.IntRange(1, 30).Draw(t, "spot") {
			k := Task{Kind: Spot, GPUs: 1, Milli: rapid.IntRange(1, queue.Share).Draw(t, "milli"), Length: 50 * time.Hour}
			if k.Milli > 900 {
				k.GPUs, k.Milli = rapid.IntRange(1, 8).Draw(t, "gpus"), queue.Share
			}
			tasks = append(tasks, k)
		}
		want := Task{Kind: OnDemand, GPUs: rapid.IntRange(1, 8).Draw(t, "wanted"), Milli: queue.Share, Asked: time.Hour, Length: time.Hour}
		if rapid.Bool().Draw(t, "part") {
			want.GPUs, want.Milli = 1, rapid.IntRange(1, 999).Draw(t, "share")
		}
		result, _ := served(t, p, append(tasks, want))
		if result.Wait[OnDemand].Max > spot.Notice {
			t.Fatalf("waited %v", result.Wait[OnDemand].Max)
		}
	})
}

func TestWhatIsReclaimedLosesItsWorkAndIsServedLater(t *testing.T) {
	tasks := []Task{{Kind: Spot, GPUs: 8, Milli: 1000, Length: 10 * time.Hour}, {Kind: OnDemand, GPUs: 1, Milli: 500, Asked: 2 * time.Hour, Length: time.Hour}}
	result, runs := served(t, poolOf(8), tasks)
	lost := Hours((8*2*3600 + 8*120) * 1_000_000 / 3600)
	if result.Reclaims != 1 || len(runs) != 3 || result.LostHours < lost-1 || result.LostHours > lost+1 || result.ServedHours != 80_500_000 {
		t.Errorf("%+v", result)
	}
	if !slices.ContainsFunc(runs, func(r Run) bool {
		return r.Task.Milli == 500 && r.RateMicrosPerHour == 1_250_000 && r.Cost() == 1_250_000
	}) {
		t.Errorf("half a GPU for an hour: %+v", runs)
	}
}

func TestWhatCanNeverBeServedIsRefusedWithItsReason(t *testing.T) {
	p := poolOf(12)
	p.ModelMatters = true
	for want, k := range map[Refusal]Task{NoGPU: {Milli: 1000, Length: 1}, NoTime: {GPUs: 1, Milli: 1}, TooLarge: {GPUs: 9, Milli: 1000, Length: 1},
		SharesMany: {GPUs: 2, Milli: 500, Length: 1}, OverLimit: {GPUs: 1, Milli: 1, Length: 2, Limit: 1}, OtherModel: {GPUs: 1, Milli: 1, Length: 1, Spec: "T4|V100"}} {
		if got := p.refuses(k); got != want {
			t.Errorf("%+v: %q", k, got)
		}
	}
	if got := p.refuses(Task{GPUs: 1, Milli: 1, Length: 1, Spec: "T4|A100"}); got != "" {
		t.Errorf("a model that it names: %q", got)
	}
}
