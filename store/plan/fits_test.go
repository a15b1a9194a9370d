package plan

import "testing"

func node(name string, indexes ...int) Node {
	n := Node{ID: "n-" + name, Name: name}
	for _, k := range indexes {
		n.Free = append(n.Free, GPU{UUID: name + string(rune('0'+k)), Index: k})
	}
	return n
}

func TestFitsCountsWholeInstances(t *testing.T) {
	nodes := []Node{node("a", 0, 1, 2), node("b", 0, 1)}
	for count, want := range map[int]int{0: 0, 1: 5, 2: 2, 3: 1, 4: 0} {
		if got := Fits(nodes, count); got != want {
			t.Errorf("instances of %d: %d, want %d", count, got, want)
		}
	}
}
