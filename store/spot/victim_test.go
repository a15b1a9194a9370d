package spot

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func candidate(id, node string, rate int64, minutes int, gpus ...string) Candidate {
	return Candidate{ID: id, NodeID: node, GPUs: gpus, RateMicrosPerHour: rate, StartedAt: start.Add(time.Duration(minutes) * time.Minute)}
}

func TestTheLeastHarmIsChosen(t *testing.T) {
	nodes := []Node{{ID: "n", Name: "n", Free: []string{"n0"}}, {ID: "m", Name: "m"}}
	all := []Candidate{candidate("a", "n", 5, 0, "n1"), candidate("b", "n", 5, 9, "n2"), candidate("c", "n", 4, 0, "n3"),
		candidate("d", "m", 9, 0, "m0", "m1"), candidate("e", "m", 1, 0, "m2")}
	for _, c := range []struct {
		name    string
		count   int
		wanted  []string
		node    string
		victims []string
	}{
		{"free already", 1, nil, "n", nil},
		{"the cheapest of one", 2, nil, "n", []string{"c"}},
		{"one of two GPUs and one of one", 3, nil, "n", []string{"b", "c"}},
		{"all of a node", 4, nil, "n", []string{"a", "b", "c"}},
		{"more than a node has", 5, nil, "", nil},
		{"named and free", 1, []string{"n0"}, "n", nil},
		{"named", 2, []string{"n0", "n2"}, "n", []string{"b"}},
		{"named, one holder of both", 2, []string{"m0", "m1"}, "m", []string{"d"}},
		{"named on two nodes", 2, []string{"m0", "n0"}, "", nil},
		{"named, held by somebody else", 1, []string{"x"}, "", nil},
		{"named fewer than asked", 2, []string{"n0"}, "", nil},
		{"nothing", 0, nil, "", nil},
	} {
		node, victims, ok := Choose(all, nodes, c.count, c.wanted)
		if node != c.node || ok != (c.node != "") || !slices.Equal(victims, c.victims) {
			t.Errorf("%s: %s %v %v, want %s %v", c.name, node, victims, ok, c.node, c.victims)
		}
	}
}

// Every subset of the candidates of every node is tried, and none is better.
func TestNoOtherChoiceHarmsLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var nodes []Node
		var all []Candidate
		for n := range rapid.IntRange(1, 3).Draw(t, "nodes") {
			node := Node{ID: fmt.Sprint(n), Name: fmt.Sprint(n)}
			for k := range rapid.IntRange(0, 2).Draw(t, "free") {
				node.Free = append(node.Free, fmt.Sprintf("%d-f%d", n, k))
			}
			for k := range rapid.IntRange(0, 6).Draw(t, "instances") {
				c := candidate(fmt.Sprintf("%d-%d", n, k), node.ID, rapid.Int64Range(0, 3).Draw(t, "rate"), rapid.IntRange(0, 3).Draw(t, "age"))
				for g := range rapid.IntRange(1, 4).Draw(t, "gpus") {
					c.GPUs = append(c.GPUs, fmt.Sprintf("%s-%d", c.ID, g))
				}
				all = append(all, c)
			}
			nodes = append(nodes, node)
		}
		count := rapid.IntRange(1, 8).Draw(t, "count")
		node, victims, ok := Choose(all, nodes, count, nil)
		var got, best harm
		found := false
		for _, n := range nodes {
			here := on(n.ID, all)
			for set := range 1 << len(here) {
				gpus, h, names := len(n.Free), harm{}, []string(nil)
				for k, c := range here {
					if set>>k&1 == 1 {
						gpus, h, names = gpus+len(c.GPUs), h.with(c), append(names, c.ID)
					}
				}
				if n.ID == node && slices.Equal(names, victims) {
					if got = h; gpus < count {
						t.Fatalf("%v on %s free %d, not %d", victims, node, gpus, count)
					}
				}
				if gpus >= count && (!found || h.compare(best) < 0) {
					best, found = h, true
				}
			}
		}
		if ok != found || got != best {
			t.Fatalf("%v on %s: %+v, the least is %+v (%v, %v)", victims, node, got, best, ok, found)
		}
		slices.Reverse(all)
		if again, same, _ := Choose(all, nodes, count, nil); again != node || !slices.Equal(same, victims) {
			t.Fatalf("in another order %v, not %v", same, victims)
		}
	})
}
