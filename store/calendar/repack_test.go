package calendar

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func booking(i Interval, id, node string, uuids ...string) Booking {
	return Booking{ID: id, Interval: i, Place: Place{NodeID: node, UUIDs: uuids}}
}

func TestABookingByCountMovesToMakeRoom(t *testing.T) {
	nodes := pool(t, [][]int{{}, {}, {}, {5, 7}}) // a3 is named by somebody from 5 to 7
	movable := []Booking{booking(hours(t, 0, 5), "one", "id-a", "a0"), booking(hours(t, 4, 8), "two", "id-a", "a1", "a2")}
	place, moves, ok := Repack(nodes, movable, Want{Count: 1, Named: []string{"a0"}}, hours(t, 4, 6))
	if !ok || !slices.Equal(place.UUIDs, []string{"a0"}) || len(moves) != 1 || moves[0].ID != "one" || !slices.Equal(moves[0].UUIDs, []string{"a3"}) {
		t.Errorf("named a0: %v %v %v", place, moves, ok)
	}
	if place, moves, ok = Repack(nodes, movable, Want{Count: 1}, hours(t, 5, 7)); !ok || len(moves) != 0 || !slices.Equal(place.UUIDs, []string{"a0"}) {
		t.Errorf("fits without a move: %v %v %v", place, moves, ok)
	}
	if _, _, ok = Repack(nodes, movable, Want{Count: 2}, hours(t, 5, 7)); ok {
		t.Error("five of four GPUs")
	}
	if _, _, ok = Repack(nodes, movable, Want{Count: 1, Named: []string{"a3"}}, hours(t, 6, 8)); ok {
		t.Error("a named booking was moved")
	}
	split := []Booking{booking(hours(t, 0, 4), "x", "id-a", "a0"), booking(hours(t, 0, 4), "y", "id-b", "b0")}
	two := pool(t, [][]int{{}, {}}, [][]int{{}, {}})
	if place, moves, ok = Repack(two, split, Want{Count: 2}, hours(t, 1, 3)); !ok || len(moves) != 1 || len(place.UUIDs) != 2 {
		t.Errorf("over two nodes: %v %v %v", place, moves, ok)
	}
	lost := []Booking{booking(hours(t, 0, 4), "x", "id-a", "gone")}
	if _, _, ok = Repack(two, lost, Want{Count: 1}, hours(t, 1, 3)); ok {
		t.Error("a booking of a GPU that is not there")
	}
}

// Everybody keeps the time and the count; nobody else moves; no GPU is in two intervals; and nothing is refused that fits
// by count on one node of GPUs that are otherwise free.
func TestRepackingKeepsAllPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := drawn(t)
		var movable []Booking
		held := copied(nodes)
		for k := range rapid.IntRange(0, 5).Draw(t, "movable") {
			from := rapid.IntRange(0, 12).Draw(t, "starts")
			i, _ := New(at(from), at(from+rapid.IntRange(1, 6).Draw(t, "lasts")))
			if place, ok := Fit(held, Want{Count: rapid.IntRange(1, 2).Draw(t, "of")}, i); ok {
				b := booking(i, fmt.Sprint(k), place.NodeID, place.UUIDs...)
				movable = append(movable, b)
				s := search{nodes: held}
				s.takeAll([]Booking{b})
			}
		}
		before := copied(nodes)
		from := rapid.IntRange(0, 12).Draw(t, "from")
		i, _ := New(at(from), at(from+rapid.IntRange(1, 6).Draw(t, "to")))
		want := Want{Count: rapid.IntRange(1, 3).Draw(t, "count")}
		place, moves, ok := Repack(nodes, movable, want, i)
		for n := range nodes {
			for g := range nodes[n].GPUs {
				if !slices.Equal(nodes[n].GPUs[g].Busy, before[n].GPUs[g].Busy) {
					t.Fatal("what was given in was changed")
				}
			}
		}
		if _, direct := Fit(held, want, i); direct && (!ok || len(moves) > 0) {
			t.Fatalf("fits as it is, but %v with %v", ok, moves)
		}
		if !ok {
			return
		}
		all := []Booking{booking(i, "new", place.NodeID, place.UUIDs...)}
		if len(place.UUIDs) != want.Count {
			t.Fatalf("%v for %d", place, want.Count)
		}
		for _, b := range movable {
			if k := slices.IndexFunc(moves, func(m Move) bool { return m.ID == b.ID }); k >= 0 {
				if len(moves[k].UUIDs) != len(b.UUIDs) {
					t.Fatalf("%v became %v", b, moves[k])
				}
				b.Place = moves[k].Place
			}
			all = append(all, b)
		}
		s := search{nodes: before}
		if !s.takeAll(all) {
			t.Fatalf("%v overlap or are not on one node", all)
		}
	})
}

// With one node and nothing fixed, k bookings of one GPU at once fit exactly if there are k GPUs.
func TestRepackingFindsRoomByCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := []Node{{ID: "n", Name: "n"}}
		for g := range 4 {
			nodes[0].GPUs = append(nodes[0].GPUs, GPU{UUID: fmt.Sprint(g), Index: g})
		}
		var movable []Booking
		var used [20]int
		for k := range 8 {
			from := rapid.IntRange(0, 12).Draw(t, "from")
			to := from + rapid.IntRange(1, 6).Draw(t, "long")
			i, _ := New(at(from), at(to))
			count := rapid.IntRange(1, 2).Draw(t, "count")
			room := slices.Max(used[from:to])+count <= 4
			place, moves, ok := Repack(nodes, movable, Want{Count: count}, i)
			if ok != room {
				t.Fatalf("[%d, %d) of %d: %v, room is %v", from, to, count, ok, room)
			}
			if !ok {
				continue
			}
			for h := from; h < to; h++ {
				used[h] += count
			}
			for _, m := range moves {
				movable[slices.IndexFunc(movable, func(b Booking) bool { return b.ID == m.ID })].Place = m.Place
			}
			movable = append(movable, Booking{fmt.Sprint(k), i, place})
		}
	})
}

func TestAHopelessSearchEndsSoon(t *testing.T) {
	nodes := []Node{{ID: "n", Name: "n"}}
	for g := range 16 {
		nodes[0].GPUs = append(nodes[0].GPUs, GPU{UUID: fmt.Sprint(g), Index: g})
	}
	var movable []Booking
	for g := range 15 {
		movable = append(movable, booking(hours(t, g, g+20), fmt.Sprint(g), "n", fmt.Sprint(g)))
	}
	began := time.Now()
	if _, _, ok := Repack(nodes, movable, Want{Count: 2}, hours(t, 14, 18)); ok {
		t.Error("17 of 16")
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
}
