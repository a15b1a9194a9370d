package store_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// L16: whatever is the matter with a GPU, it can be rented by its name or the site says why not.
func TestEachGPUCanBeRentedOrSaysWhyNot(t *testing.T) {
	q := queueSite(t)
	addNode(t, q.s, "third", 4)
	addNode(t, q.s, "closed", 1)
	addNode(t, q.s, "gone", 1)
	nodes, err := q.s.Nodes(ctx)
	must(t, err)
	for _, n := range nodes {
		switch n.Name {
		case "closed":
			_, err := q.s.Cordon(ctx, n.ID, "", "")
			must(t, err)
		case "gone":
			must(t, q.s.NodeLost(ctx, n.ID, q.s.Now()))
		}
	}
	for k, state := range []string{store.GPUWatch, store.GPUFenced, store.GPUQuarantined} {
		must(t, q.s.SetGPUState(ctx, []string{"GPU-second-0", "GPU-second-1", "GPU-second-2"}[k], state, "why"))
	}
	named := func(uuid string) store.RentRequest {
		return store.RentRequest{PersonID: q.people[0].ID, GPUCount: 1, GPUs: []string{uuid}}
	}
	_, _, err = q.s.Rent(ctx, named("GPU-third-0"))
	must(t, err)
	now := q.clock.Now()
	_, err = q.s.Reserve(ctx, store.NewReservation{PersonID: q.people[0].ID, GPUModel: "a100-sxm4-80gb", GPUCount: 1, GPUs: []string{"GPU-second-3"}, Start: now.Add(time.Minute), End: now.Add(time.Hour)})
	must(t, err)
	local := storetest.SimulatedGPUs(4)
	_, _, err = q.s.Rent(ctx, named(local[0].UUID))
	must(t, err)
	if _, ok := q.rent(t, 1, 4, 0, true); !ok { // awaits the four of the console's own node
		t.Fatal("it does not wait")
	}
	why, err := q.s.GPUBlocks(ctx)
	must(t, err)
	want := map[string]string{"GPU-second-0": "watch", "GPU-second-1": "fenced", "GPU-second-2": "quarantined", "GPU-second-3": "reserved", "GPU-closed-0": "node_cordoned", "GPU-gone-0": "node_lost",
		"GPU-third-0": "in_use", local[0].UUID: "in_use"}
	for uuid, reason := range why {
		if reason == "waiting" && want[uuid] == "" {
			want[uuid] = reason
		}
	}
	if !maps.Equal(why, want) || len(want) != 11 {
		t.Errorf("blocked: %v", why)
	}
	all, err := q.s.GPUs(ctx)
	must(t, err)
	for _, g := range all {
		_, _, err := q.s.Rent(ctx, named(g.UUID))
		if got := store.KindOf(err); (got == store.NoCapacity) != (why[g.UUID] != "") || got != "" && got != store.NoCapacity {
			t.Errorf("%s: blocked %q, and rented: %v", g.UUID, why[g.UUID], err)
		}
	}
	offers, err := q.s.Offers(ctx)
	must(t, err)
	for _, o := range offers {
		if o.Plan.GPUCount == 1 && (o.Free != 0 || o.Total != 14 || slices.Contains(o.Blocked, "")) {
			t.Errorf("when all are rented: %+v", o)
		}
	}
}
