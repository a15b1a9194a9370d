package calendar

import (
	"cmp"
	"slices"
	"time"
)

// Nearest returns the free interval of a length that starts nearest to a wished moment, before or after it (of two equally
// near the earlier), but not before another moment. ok is false when there is none.
func Nearest(nodes []Node, want Want, length time.Duration, wish, notBefore time.Time) (i Interval, place Place, ok bool) {
	if length <= 0 || !want.valid() {
		return Interval{}, Place{}, false
	}
	for _, start := range starts(nodes, length, wish, notBefore) {
		i = Interval{start: start, end: start.Add(length)}
		if place, ok = Fit(nodes, want, i); ok {
			return i, place, true
		}
	}
	return Interval{}, Place{}, false
}

// starts returns where the nearest free interval can start, the nearest first: as wished, as early as allowed, or where it
// touches a booking, as otherwise it could be moved nearer.
func starts(nodes []Node, length time.Duration, wish, notBefore time.Time) []time.Time {
	if wish.Before(notBefore) {
		wish = notBefore
	}
	all := []time.Time{wish}
	for n := range nodes {
		for g := range nodes[n].GPUs {
			for _, i := range nodes[n].GPUs[g].Busy {
				if before := i.start.Add(-length); !before.Before(notBefore) {
					all = append(all, before)
				}
				if !i.open && !i.end.Before(notBefore) {
					all = append(all, i.end)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b time.Time) int {
		return cmp.Or(cmp.Compare(a.Sub(wish).Abs(), b.Sub(wish).Abs()), a.Compare(b))
	})
	return slices.CompactFunc(all, time.Time.Equal)
}
