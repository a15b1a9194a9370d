package calendar

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var start = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func at(hour int) time.Time { return start.Add(time.Duration(hour) * time.Hour) }

func hours(t testing.TB, from, to int) Interval {
	t.Helper()
	i, err := New(at(from), at(to))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// pool makes one node "n" a list, of GPUs "n0", "n1", … that are busy in pairs of hours; an odd last one has no end.
func pool(t testing.TB, nodes ...[][]int) []Node {
	t.Helper()
	var all []Node
	for k, gpus := range nodes {
		n := Node{ID: fmt.Sprintf("id-%c", 'a'+k), Name: string(rune('a' + k))}
		for g, times := range gpus {
			gpu := GPU{UUID: fmt.Sprint(n.Name, g), Index: g}
			for j := 0; j < len(times); j += 2 {
				i := From(at(times[j]))
				if j+1 < len(times) {
					i = hours(t, times[j], times[j+1])
				}
				var err error
				if gpu.Busy, err = gpu.Busy.Add(i); err != nil {
					t.Fatal(err)
				}
			}
			n.GPUs = append(n.GPUs, gpu)
		}
		all = append(all, n)
	}
	return all
}

func TestAnEmptyIntervalCannotExist(t *testing.T) {
	for _, to := range []int{5, 4} {
		if i, err := New(at(5), at(to)); !errors.Is(err, ErrEmpty) || i != (Interval{}) {
			t.Errorf("[5, %d): %+v %v", to, i, err)
		}
	}
}

func TestIntervalsThatTouchDoNotOverlap(t *testing.T) {
	for _, c := range []struct {
		a, b Interval
		want bool
	}{
		{hours(t, 1, 3), hours(t, 3, 4), false}, {hours(t, 1, 3), hours(t, 2, 4), true}, {hours(t, 1, 9), hours(t, 2, 4), true},
		{From(at(3)), hours(t, 1, 3), false}, {From(at(3)), hours(t, 1, 4), true}, {From(at(3)), From(at(9)), true},
	} {
		if c.a.Overlaps(c.b) != c.want || c.b.Overlaps(c.a) != c.want {
			t.Errorf("%v, %v: not %v", c.a, c.b, c.want)
		}
	}
}

func TestNoTimeIsGivenTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var busy Busy
		taken := map[int]bool{}
		for range rapid.IntRange(1, 12).Draw(t, "bookings") {
			from := rapid.IntRange(0, 30).Draw(t, "from")
			to := from + rapid.IntRange(1, 6).Draw(t, "long")
			i, err := New(at(from), at(to))
			if err != nil {
				t.Fatal(err)
			}
			free := true
			for h := from; h < to; h++ {
				free = free && !taken[h]
			}
			if busy.Free(i) != free {
				t.Fatalf("[%d, %d) is not free: %v", from, to, free)
			}
			var refused error
			if busy, refused = busy.Add(i); (refused == nil) != free {
				t.Fatalf("[%d, %d): %v, free is %v", from, to, refused, free)
			}
			for h := from; free && h < to; h++ {
				taken[h] = true
			}
		}
		window, _ := New(at(3), at(33))
		open := 0
		for _, gap := range busy.Gaps(window) {
			if !busy.Free(gap) || gap.start.Before(at(3)) || gap.end.After(at(33)) {
				t.Fatalf("gap %v", gap)
			}
			open += int(gap.end.Sub(gap.start).Hours())
		}
		for h := 3; h < 33; h++ {
			if !taken[h] {
				open--
			}
		}
		if open != 0 {
			t.Fatalf("the gaps are %d hours too long", open)
		}
	})
}

func TestALastGapHasNoEnd(t *testing.T) {
	gpu := pool(t, [][]int{{1, 2, 4, 6}, {3}})[0].GPUs
	if got := gpu[0].Busy.Gaps(From(at(0))); !slices.Equal(got, []Interval{hours(t, 0, 1), hours(t, 2, 4), From(at(6))}) {
		t.Errorf("%v", got)
	}
	if got := gpu[1].Busy.Gaps(From(at(0))); !slices.Equal(got, []Interval{hours(t, 0, 3)}) {
		t.Errorf("before an open end: %v", got)
	}
}

func TestABookingLeavesLargeGapsWhole(t *testing.T) {
	nodes := pool(t, [][]int{{}, {}, {}, {}}, [][]int{{}, {0, 2, 4, 9}, {0, 2, 5, 9}, {0}})
	for _, c := range []struct {
		name string
		want Want
		got  []string
	}{
		{"the shortest gap on the fuller node", Want{Count: 1}, []string{"b1"}},
		{"the two shortest", Want{Count: 2}, []string{"b1", "b2"}},
		{"only the empty node has four", Want{Count: 4}, []string{"a0", "a1", "a2", "a3"}},
		{"named", Want{Count: 1, Named: []string{"a2"}}, []string{"a2"}},
		{"named and taken", Want{Count: 1, Named: []string{"b3"}}, nil},
		{"named on two nodes", Want{Count: 2, Named: []string{"a1", "b1"}}, nil},
		{"the same twice", Want{Count: 2, Named: []string{"a1", "a1"}}, nil},
		{"none", Want{}, nil}, {"five", Want{Count: 5}, nil}, {"fewer named than asked", Want{Count: 2, Named: []string{"a1"}}, nil},
	} {
		place, ok := Fit(nodes, c.want, hours(t, 2, 4))
		if ok != (c.got != nil) || !slices.Equal(place.UUIDs, c.got) {
			t.Errorf("%s: %v %v, want %v", c.name, place, ok, c.got)
		}
	}
}

func TestWhatRunsNowEndsBeforeTheNextBooking(t *testing.T) {
	nodes := pool(t, [][]int{{5, 6}, {9, 12}, {7, 8}}, [][]int{{0}, {8, 9}})
	for _, c := range []struct {
		now  int
		want Want
		gpus []string
		end  int
	}{
		{1, Want{Count: 1}, []string{"a1"}, 9}, {1, Want{Count: 2}, []string{"a1", "a2"}, 7}, {1, Want{Count: 3}, []string{"a1", "a2", "a0"}, 5},
		{8, Want{Count: 1}, []string{"a0"}, 0}, {7, Want{Count: 2}, []string{"a0", "a1"}, 9}, {1, Want{Count: 1, Named: []string{"b1"}}, []string{"b1"}, 8},
		{1, Want{Count: 1, Named: []string{"b0"}}, nil, 0}, {5, Want{Count: 3}, nil, 0},
	} {
		got, ok := Longest(nodes, c.want, at(c.now))
		if ok != (c.gpus != nil) || !slices.Equal(got.UUIDs, c.gpus) || (got.End != nil) != (c.end > 0) || got.End != nil && !got.End.Equal(at(c.end)) {
			t.Errorf("%+v at %d: %v until %v, want %v until %d", c.want, c.now, got.UUIDs, got.End, c.gpus, c.end)
		}
	}
}

func drawn(t *rapid.T) []Node {
	var nodes []Node
	for k := range rapid.IntRange(1, 2).Draw(t, "nodes") {
		n := Node{ID: fmt.Sprint(k), Name: fmt.Sprint(k)}
		for g := range rapid.IntRange(1, 3).Draw(t, "gpus") {
			gpu := GPU{UUID: fmt.Sprint(k, "-", g), Index: g}
			for range rapid.IntRange(0, 3).Draw(t, "bookings") {
				from := rapid.IntRange(0, 20).Draw(t, "from")
				i := From(at(from))
				if long := rapid.IntRange(0, 6).Draw(t, "long"); long > 0 {
					i, _ = New(at(from), at(from+long))
				}
				if gpu.Busy.Free(i) {
					gpu.Busy, _ = gpu.Busy.Add(i)
				}
			}
			n.GPUs = append(n.GPUs, gpu)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func TestNoFreeIntervalIsNearer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := drawn(t)
		want, long := Want{Count: rapid.IntRange(1, 3).Draw(t, "count")}, rapid.IntRange(1, 8).Draw(t, "hours")
		notBefore := rapid.IntRange(0, 10).Draw(t, "not before")
		wish := rapid.IntRange(0, 25).Draw(t, "wish")
		got, place, ok := Nearest(nodes, want, time.Duration(long)*time.Hour, at(wish), at(notBefore))
		wish = max(wish, notBefore)
		best, found := 0, false
		for h := notBefore; h < 60; h++ {
			i, _ := New(at(h), at(h+long))
			far, least := max(h-wish, wish-h), max(best-wish, wish-best)
			if _, fits := Fit(nodes, want, i); fits && (!found || far < least) {
				best, found = h, true
			}
		}
		if ok != found || ok && !got.start.Equal(at(best)) {
			t.Fatalf("%v %v, the nearest is %d %v", got, ok, best, found)
		}
		if ok && (len(place.UUIDs) != want.Count || got.end.Sub(got.start) != time.Duration(long)*time.Hour) {
			t.Fatalf("%v on %v", got, place)
		}
	})
}
