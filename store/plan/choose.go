// Package plan chooses the GPUs that an instance gets. It imports the standard library alone, reads no clock and touches
// no database. The rule it keeps: all GPUs of an instance are on one node, and the same free GPUs always give the same
// choice.
package plan

import (
	"cmp"
	"slices"
)

// Node is a node with the GPUs of one pool that are free on it.
type Node struct {
	ID, Name string
	Free     []GPU
}

// GPU is one free GPU.
type GPU struct {
	UUID  string
	Index int
}

// Choose picks count GPUs of one node: of the nodes that have enough the one with the fewest free, so that large gaps stay
// whole, then the first by name; of its GPUs those with the lowest index. With wanted it picks exactly those. ok is false
// when there is no such node.
func Choose(nodes []Node, count int, wanted []string) (nodeID string, uuids []string, ok bool) {
	var best *Node
	for i := range nodes {
		n := &nodes[i]
		if len(n.Free) < count || !has(n.Free, wanted) {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(len(n.Free), len(best.Free)), cmp.Compare(n.Name, best.Name), cmp.Compare(n.ID, best.ID)) < 0 {
			best = n
		}
	}
	if best == nil || count <= 0 {
		return "", nil, false
	}
	if len(wanted) > 0 {
		return best.ID, slices.Clone(wanted), len(wanted) == count
	}
	free := slices.Clone(best.Free)
	slices.SortFunc(free, func(a, b GPU) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.UUID, b.UUID))
	})
	for _, g := range free[:count] {
		uuids = append(uuids, g.UUID)
	}
	return best.ID, uuids, true
}

// Fits returns how many instances of count GPUs each the nodes' free GPUs can hold.
func Fits(nodes []Node, count int) int {
	if count <= 0 {
		return 0
	}
	total := 0
	for _, n := range nodes {
		total += len(n.Free) / count
	}
	return total
}

func has(free []GPU, wanted []string) bool {
	for _, uuid := range wanted {
		if !slices.ContainsFunc(free, func(g GPU) bool { return g.UUID == uuid }) {
			return false
		}
	}
	return true
}
