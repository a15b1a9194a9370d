package web_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/live"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// read puts one reading of every GPU each second for a while, whose utilization is n.
func read(site *webtest.Site, n int64, seconds int) {
	for range seconds {
		reading(site, n)
		site.Clock.Advance(time.Second)
	}
}

// end ends an instance now, and its GPUs are free again.
func end(t *testing.T, site *webtest.Site, id string) {
	t.Helper()
	ctx := context.Background()
	_, err := site.Store.RequestStop(ctx, id, site.Member.ID, "by_person")
	if err == nil {
		err = site.Store.MarkEnded(ctx, id, store.End{At: site.Clock.Now()})
	}
	if err == nil {
		err = site.Store.MarkStopped(ctx, id, store.Proof{Clean: true})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// seen is every utilization that a person is shown of an instance, wherever it is shown.
func seen(t *testing.T, site *webtest.Site, id string) map[string][]int64 {
	t.Helper()
	found := map[string][]int64{}
	add := func(where string, v gpu.Value) {
		if n, known := v.Get(); known {
			found[where] = append(found[where], n)
		}
	}
	browser := site.Browser(t, site.Member)
	w := watch(t, browser, "instance="+id)
	key, past := w.next(), w.next()
	// Where others watched already, the first frame is that of their last tick.
	for deadline := time.Now().Add(10 * time.Second); key.Frame.At.Before(site.Clock.Now().Truncate(time.Millisecond)) && time.Now().Before(deadline); key, past = w.next(), w.next() {
		site.Fleet.Tick()
		_ = w.ws.Close()
		w = watch(t, browser, "instance="+id)
	}
	defer w.ws.Close()
	for _, g := range key.Frame.GPUs {
		add("keyframe", g.Values[gpu.Utilization])
	}
	for _, p := range past.Backfill {
		for _, values := range p.GPUs {
			add("backfill", values[gpu.Utilization])
		}
	}
	if key.Kind != live.KindKeyframe || past.Kind != live.KindBackfill {
		t.Fatalf("%v, then %v", key.Kind, past.Kind)
	}
	program := site.Program(t, site.Member)
	early := site.Clock.Now().Add(-14 * time.Minute).Format(time.RFC3339)
	for where, query := range map[string]string{"samples": "", "samples from": "?from=" + early, "samples by step": "?from=" + early + "&step=2"} {
		var s web.Samples
		if a := program.Call("GET", "/instances/"+id+"/samples"+query, nil, &s); a.Status != 200 || len(s.GPUs) > 1 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		for _, g := range s.GPUs {
			for _, sample := range g.Samples {
				if n := sample.Values[gpu.Utilization]; n != nil {
					found[where] = append(found[where], *n)
				}
			}
		}
	}
	return found
}

func TestNobodySeesWhatAGPUDidForAnotherTenant(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	site.Clock.Advance(time.Hour)
	read(site, 11, 20) // before anybody
	first := site.Running(t, site.Member, "first")
	read(site, 222, 30)
	end(t, site, first.ID)
	read(site, 33, 10) // nobody's
	second, _, err := site.Store.Rent(context.Background(), store.RentRequest{PersonID: site.Member.ID, Name: "second", GPUModel: first.GPUModel, GPUCount: 1, Kind: store.OnDemand, Command: "sleep 1000"})
	if err != nil || second.GPUs[0] != first.GPUs[0] {
		t.Fatalf("%v: %v after %v", err, second.GPUs, first.GPUs)
	}
	read(site, 44, 5)
	if found := seen(t, site, second.ID); len(found) > 0 {
		t.Errorf("before it runs it shows %v", found)
	}
	if err := site.Store.MarkRunning(context.Background(), second.ID, site.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	if found := seen(t, site, second.ID); len(found) > 0 {
		t.Errorf("when it begins it shows %v", found)
	}
	if page := site.Browser(t, site.Member).Get("/instances/" + second.ID); strings.Contains(page.Body, "4.4\u00a0%") || strings.Contains(page.Body, "4\u00a0%") {
		t.Error("the page shows what was read before the instance began")
	}
	read(site, 555, 40)

	for _, c := range []struct {
		name, id string
		n        int64
		counts   map[string]int
	}{
		{"the one that runs", second.ID, 555, map[string]int{"keyframe": 1, "backfill": 40, "samples": 40, "samples from": 40, "samples by step": 20}},
		{"the one that ended", first.ID, 222, map[string]int{"backfill": 30, "samples": 30, "samples from": 30, "samples by step": 15}},
	} {
		found := seen(t, site, c.id)
		for where, values := range found {
			for _, n := range values {
				if n != c.n {
					t.Errorf("%s: %s shows %d, its own are %d", c.name, where, n, c.n)
				}
			}
		}
		for _, where := range []string{"keyframe", "backfill", "samples", "samples from", "samples by step"} {
			if len(found[where]) != c.counts[where] {
				t.Errorf("%s: %s has %d readings, want %d", c.name, where, len(found[where]), c.counts[where])
			}
		}
	}
}

// A client that comes back names the last frame that it saw, which may be of the time of the tenant before.
func TestAResumedWatcherGetsNothingOfTheTenantBefore(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	fleet := watch(t, site.Browser(t, site.Member), "fleet=1")
	fleet.next()
	fleet.next()
	reading(site, 11)
	site.Fleet.Tick()
	before := fleet.next().Seq
	site.Clock.Advance(time.Second)
	read(site, 11, 10)
	in := site.Running(t, site.Member, "job")
	read(site, 555, 3)
	w := watch(t, site.Browser(t, site.Member), "instance="+in.ID+"&after="+strconv.FormatUint(before, 10))
	w.next()
	past := w.next().Backfill
	for _, p := range past {
		if n, _ := p.GPUs[0][gpu.Utilization].Get(); n != 555 {
			t.Errorf("shows %d", n)
		}
	}
	if len(past) != 3 {
		t.Errorf("%d points, want 3", len(past))
	}
}
