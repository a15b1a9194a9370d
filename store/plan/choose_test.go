package plan

import (
	"slices"
	"testing"
)

func node(name string, indexes ...int) Node {
	n := Node{ID: "n-" + name, Name: name}
	for _, k := range indexes {
		n.Free = append(n.Free, GPU{UUID: name + string(rune('0'+k)), Index: k})
	}
	return n
}

func TestTheSmallestGapThatFitsIsTaken(t *testing.T) {
	nodes := []Node{node("b", 3, 1, 2), node("a", 0, 1, 2, 3), node("c", 5), node("d")}
	for _, c := range []struct {
		count  int
		wanted []string
		node   string
		uuids  []string
	}{
		{count: 1, node: "n-c", uuids: []string{"c5"}},
		{count: 2, node: "n-b", uuids: []string{"b1", "b2"}},
		{count: 4, node: "n-a", uuids: []string{"a0", "a1", "a2", "a3"}},
		{count: 5}, {count: 0}, {count: -1},
		{count: 1, wanted: []string{"a2"}, node: "n-a", uuids: []string{"a2"}},
		{count: 2, wanted: []string{"a2", "b1"}}, {count: 1, wanted: []string{"x"}}, {count: 2, wanted: []string{"a2"}, node: "n-a", uuids: []string{"a2"}},
	} {
		id, uuids, ok := Choose(nodes, c.count, c.wanted)
		want := c.node != "" && len(c.uuids) == c.count
		if ok != want || id != c.node || !slices.Equal(uuids, c.uuids) {
			t.Errorf("%d of %v: %s %v %v, want %s %v", c.count, c.wanted, id, uuids, ok, c.node, c.uuids)
		}
	}
}

func TestFitsCountsWholeInstances(t *testing.T) {
	nodes := []Node{node("a", 0, 1, 2), node("b", 0, 1)}
	for count, want := range map[int]int{0: 0, 1: 5, 2: 2, 3: 1, 4: 0} {
		if got := Fits(nodes, count); got != want {
			t.Errorf("instances of %d: %d, want %d", count, got, want)
		}
	}
}
