package topology

import (
	"slices"
	"strings"
	"testing"
)

// node reads "a0 a0 -1 --": an island and a NUMA node for each free GPU, "-" for none.
func node(text string) (free []Where) {
	for _, f := range strings.Fields(text) {
		free = append(free, Where{Island: strings.Trim(f[:1], "-"), NUMA: strings.Trim(f[1:], "-")})
	}
	return free
}

func TestWhatLiesTogetherIsTakenAndTheSmallestThatFitsIsBroken(t *testing.T) {
	for _, c := range []struct {
		name, free string
		count      int
		want       []int
		reach      Reach
	}{
		{"nothing known: in order", "-- -- -- --", 2, []int{0, 1}, OneNode},
		{"one, nothing known", "-- --", 1, []int{0}, OneIsland},
		{"an island before those in front of it", "-0 -0 a1 a1", 2, []int{2, 3}, OneIsland},
		{"the island that it fills", "a0 a0 a0 a0 b1 b1", 2, []int{4, 5}, OneIsland},
		{"one breaks none where a lone one is free", "a0 a0 -1", 1, []int{2}, OneIsland},
		{"one breaks what is broken", "a0 a0 b1", 1, []int{2}, OneIsland},
		{"one leaves the NUMA node whole that is", "-0 -0 -1", 1, []int{2}, OneIsland},
		{"one NUMA node where no island is large enough", "a0 a0 b1 b1 c1 c1", 4, []int{2, 3, 4, 5}, OneNUMA},
		{"the fewest islands of a NUMA node", "-0 a0 a0 -0 b0 b0", 4, []int{1, 2, 4, 5}, OneNUMA},
		{"the whole node", "a0 a0 b1 b1", 3, []int{0, 1, 2}, OneNode},
		{"the whole node with the fewest broken", "a0 a0 a0 b1 b1 c2", 4, []int{0, 1, 2, 5}, OneNode},
		{"all", "a0 -1", 2, []int{0, 1}, OneNode},
	} {
		got, reach := Pick(node(c.free), c.count)
		slices.Sort(got)
		if !slices.Equal(got, c.want) || reach != c.reach {
			t.Errorf("%s: %v at %d, want %v at %d", c.name, got, reach, c.want, c.reach)
		}
	}
}
