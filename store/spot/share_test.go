package spot

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Every subset of the candidates of every node is tried: none that makes the room harms less.
func TestNoOtherChoiceOfSharesHarmsLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rooms []Room
		var all []Part
		for n := range rapid.IntRange(1, 2).Draw(t, "nodes") {
			r := Room{ID: fmt.Sprint(n), Name: fmt.Sprint(n)}
			for g := range rapid.IntRange(1, 3).Draw(t, "gpus") {
				uuid, left := fmt.Sprintf("%d-%d", n, g), whole
				for k := range rapid.IntRange(0, 3).Draw(t, "shared by") {
					milli := rapid.SampledFrom([]int{200, 300, 500, 1000}).Draw(t, "milli")
					if milli > left {
						continue
					}
					left -= milli
					if rapid.IntRange(0, 4).Draw(t, "may") > 0 {
						all = append(all, Part{Milli: milli, Candidate: Candidate{ID: fmt.Sprintf("%s-%d", uuid, k), NodeID: r.ID, GPUs: []string{uuid},
							RateMicrosPerHour: rapid.Int64Range(0, 3).Draw(t, "rate"), StartedAt: start.Add(time.Duration(k) * time.Minute)}})
					}
				}
				r.GPUs, r.Free = append(r.GPUs, uuid), append(r.Free, left)
			}
			rooms = append(rooms, r)
		}
		count, milli := rapid.IntRange(1, 3).Draw(t, "count"), whole
		if rapid.Bool().Draw(t, "part") {
			count, milli = 1, rapid.IntRange(1, 999).Draw(t, "asked")
		}
		node, victims, ok := ChooseParts(all, rooms, count, milli)
		var got, best harm
		found := false
		for _, r := range rooms {
			here := slices.DeleteFunc(slices.Clone(all), func(p Part) bool { return p.NodeID != r.ID })
			for set := range 1 << len(here) {
				free, h, names := slices.Clone(r.Free), harm{}, []string(nil)
				for k, p := range here {
					if set>>k&1 == 1 {
						free[slices.Index(r.GPUs, p.GPUs[0])] += p.Milli
						h, names = h.with(p.Candidate), append(names, p.ID)
					}
				}
				enough := len(slices.DeleteFunc(free, func(f int) bool { return f < milli })) >= count
				if ok && r.ID == node && slices.Equal(names, slices.Sorted(slices.Values(victims))) {
					if got = h; !enough {
						t.Fatalf("%v of %s are not enough", victims, node)
					}
				}
				if enough && (!found || h.compare(best) < 0) {
					best, found = h, true
				}
			}
		}
		if ok != found || got != best {
			t.Fatalf("%v of %s: %+v, the least is %+v (%v, %v)", victims, node, got, best, ok, found)
		}
	})
}
