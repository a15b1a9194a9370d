// Package topology says which of a node's free GPUs lie best together: on one NVLink island, else on one NUMA node, else
// anywhere on the node. It imports the standard library alone. The rule it keeps: of what fits, the smallest is broken, so
// that large islands stay whole for who needs them.
package topology

import (
	"cmp"
	"slices"
	"strconv"
)

// Where is how a GPU is joined to others of its node.
type Where struct {
	Island string // joined by NVLink to those with the same; "": to none, or not known
	NUMA   string // near to those with the same; "": not known
}

// Reach is how far the GPUs of an instance lie apart; less is better.
type Reach int

// How far they may lie apart.
const (
	OneIsland Reach = iota // or a single GPU
	OneNUMA
	OneNode
)

// Pick chooses count of a node's free GPUs, which are in the order in which they are taken where all else is equal. It
// returns their places in the list, and how far they lie apart. There must be as many.
func Pick(free []Where, count int) ([]int, Reach) {
	if !slices.ContainsFunc(free, func(w Where) bool { return w != Where{} }) {
		return inOrder(count)
	}
	every := make([]int, len(free))
	for k := range free {
		every[k] = k
	}
	islands, near := grouped(free, every, island), grouped(free, every, numa)
	around := map[string]int{} // how many are free on a NUMA node
	for _, g := range near {
		around[free[g[0]].NUMA] = len(g)
	}
	if g := smallest(islands, count, func(g []int) int { return around[free[g[0]].NUMA] }); g != nil {
		return g[:count], OneIsland
	}
	near = slices.DeleteFunc(near, func(g []int) bool { return free[g[0]].NUMA == "" })
	if g := smallest(near, count, func([]int) int { return 0 }); g != nil {
		return fill(grouped(free, g, island), count), OneNUMA
	}
	return fill(islands, count), OneNode
}

// inOrder is what is chosen where nothing is known.
func inOrder(count int) (chosen []int, reach Reach) {
	for k := range count {
		chosen = append(chosen, k)
	}
	if count > 1 {
		reach = OneNode
	}
	return chosen, reach
}

// island names what a GPU is an island with: itself alone where it is joined to none.
func island(w Where, k int) string {
	if w.Island == "" {
		return "\x00" + strconv.Itoa(k)
	}
	return w.Island
}

func numa(w Where, _ int) string { return w.NUMA }

// grouped takes GPUs apart by a name, the groups and what is in them in the order of the list.
func grouped(free []Where, of []int, name func(Where, int) string) (groups [][]int) {
	at := map[string]int{}
	for _, k := range of {
		n := name(free[k], k)
		g, known := at[n]
		if !known {
			g = len(groups)
			at[n] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], k)
	}
	return groups
}

// smallest returns the smallest group that is large enough, of equal ones that with the least around it; nil for none.
func smallest(groups [][]int, count int, around func([]int) int) (best []int) {
	for _, g := range groups {
		if len(g) >= count && (best == nil || cmp.Or(cmp.Compare(len(g), len(best)), cmp.Compare(around(g), around(best))) < 0) {
			best = g
		}
	}
	return best
}

// fill takes the largest groups whole, and the rest from the smallest that has it: as few as possible are broken.
func fill(groups [][]int, count int) (chosen []int) {
	groups = slices.Clone(groups)
	slices.SortStableFunc(groups, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	for k := 0; k < len(groups) && len(chosen) < count; k++ {
		left := count - len(chosen)
		if g := smallest(groups[k:], left, func([]int) int { return 0 }); g != nil {
			return append(chosen, g[:left]...)
		}
		chosen = append(chosen, groups[k]...)
	}
	return chosen
}
