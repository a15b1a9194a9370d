package queue

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

var now = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// hours is a moment, so many hours from now.
func hours(n int) time.Time { return now.Add(time.Duration(n) * time.Hour) }

// rig is a node with GPUs named after it: "a0", "a1", …
func rig(name string, count int) Node {
	n := Node{ID: name, Name: name}
	for k := range count {
		n.GPUs = append(n.GPUs, GPU{UUID: fmt.Sprint(name, k), Index: k})
	}
	return n
}

// holds is a job that runs until so many hours from now; 0: without an end.
func holds(until, milli int, uuids ...string) Running {
	return Running{ID: "r" + uuids[0], Team: "other", UUIDs: uuids, Milli: milli, Ends: until > 0, Until: hours(until)}
}

// asks is a job of so many hours; 0: without an end. Names in the order of the queue.
func asks(id string, a Ask, length int) Rank {
	return Rank{Job: Job{ID: id, Team: "research", Ask: a, Since: now, Ends: length > 0, Length: time.Duration(length) * time.Hour}}
}

func aged(r Rank) Rank { r.Aged = true; return r }

func kept(r Rank, why Reason) Rank       { r.Kept = why; return r }
func least(r Rank, n int) Rank           { r.Least = time.Duration(n) * time.Hour; return r }
func named(r Rank, uuids ...string) Rank { r.Named = uuids; return r }
func booked(n Node, from, to int) Node {
	n.GPUs[0].Reserved = []Span{{From: hours(from), To: hours(to)}}
	return n
}
func unclaimed(n Node) Node           { n.GPUs[0].Reserved[0].Unclaimed = true; return n }
func yields(r Rank, n int) Rank       { r.Yields = true; return least(r, n) }
func promised(n Node, id string) Node { n.GPUs[0].Promised = id; return n }

// said is a place in short: "now a0 a1", or the reason with those ahead, and the hours until the start, or "?".
func said(p Place) string {
	if p.Starts {
		return fmt.Sprint("now ", p.UUIDs)
	}
	when := "?"
	if p.StartKnown {
		when = fmt.Sprint(p.Start.Sub(now).Hours())
	}
	return fmt.Sprint(p.Reason, " ", p.Ahead, " ", when)
}

func TestWhoStartsAndWhyTheOthersWait(t *testing.T) {
	down, out, reserved := rig("a", 2), rig("a", 2), rig("a", 2)
	down.Down, out.GPUs[0].Out = true, true
	reserved.GPUs[0].Reserved = []Span{{From: hours(3), To: hours(5)}}
	for _, c := range []struct {
		name    string
		pool    Pool
		waiting []Rank
		want    []string
	}{
		{"free GPUs are given in order", Pool{Nodes: []Node{rig("a", 2)}}, []Rank{asks("1", Whole(1), 0), asks("2", Whole(1), 0), asks("3", Whole(1), 1)},
			[]string{"now [a0]", "now [a1]", "behind [1 2] ?"}},
		{"a short job fills the gap before a long one's GPUs are free", Pool{Nodes: []Node{rig("a", 2)}, Running: []Running{holds(2, 1000, "a1")}},
			[]Rank{asks("1", Whole(2), 4), asks("2", Whole(1), 3), asks("3", Whole(1), 0), asks("4", Whole(1), 2)},
			[]string{"no_gpus [] 2", "behind [1] 6", "behind [1 2] 6", "now [a0]"}},
		{"the gap counts by node: one who needs another node's GPUs is not in the way", Pool{Nodes: []Node{rig("a", 2), rig("b", 1)}, Running: []Running{holds(2, 1000, "a1")}},
			[]Rank{asks("1", Whole(2), 4), asks("2", Whole(1), 0)}, []string{"no_gpus [] 2", "now [b0]"}},
		{"without an end ahead nobody knows when", Pool{Nodes: []Node{rig("a", 2)}, Running: []Running{holds(0, 1000, "a1")}},
			[]Rank{asks("1", Whole(2), 4), asks("2", Whole(1), 0), asks("3", Whole(1), 9)}, []string{"no_gpus [] ?", "behind [1] ?", "now [a0]"}},
		{"after 24 hours GPUs are kept", Pool{Nodes: []Node{rig("a", 2)}, Running: []Running{holds(0, 1000, "a1")}},
			[]Rank{aged(asks("1", Whole(2), 4)), asks("2", Whole(1), 9)}, []string{"no_gpus [] ?", "behind [1] ?"}},
		{"a hard end that is past promises nothing", Pool{Nodes: []Node{rig("a", 1)}, Running: []Running{{ID: "r", UUIDs: []string{"a0"}, Milli: 1000, Ends: true, Until: hours(-1)}}},
			[]Rank{asks("1", Whole(1), 1)}, []string{"no_gpus [] ?"}},
		{"a reservation is kept free", Pool{Nodes: []Node{reserved}}, []Rank{asks("1", Whole(2), 4), asks("2", Whole(1), 3)}, []string{"reserved_soon [] 5", "now [a0]"}},
		{"a node that is down", Pool{Nodes: []Node{down}}, []Rank{asks("1", Whole(2), 4)}, []string{"node_down [] ?"}},
		{"a GPU in quarantine is none", Pool{Nodes: []Node{out}}, []Rank{asks("1", Whole(2), 4), asks("2", Whole(1), 0)}, []string{"no_gpus [] ?", "now [a1]"}},
		{"larger than every node", Pool{Nodes: []Node{rig("a", 2), rig("b", 2)}}, []Rank{asks("1", Whole(3), 4), asks("2", Whole(2), 0)}, []string{"no_gpus [] ?", "now [a0 a1]"}},
		{"nothing asked", Pool{Nodes: []Node{rig("a", 2)}}, []Rank{asks("1", Part(0), 4), asks("2", Part(1001), 0), asks("3", Whole(-1), 0)},
			[]string{"no_gpus [] ?", "no_gpus [] ?", "no_gpus [] ?"}},
		{"shares go where least is left", Pool{Nodes: []Node{rig("a", 3)}, Running: []Running{holds(0, 300, "a1"), holds(0, 600, "a2")}},
			[]Rank{asks("1", Part(400), 0), asks("2", Part(500), 0), asks("3", Part(300), 0), asks("4", Whole(1), 0)},
			[]string{"now [a2]", "now [a1]", "now [a0]", "behind [1 2 3] ?"}},
		{"a share of a shared GPU, whole ones only empty", Pool{Nodes: []Node{rig("a", 1)}, Running: []Running{holds(2, 1, "a0")}},
			[]Rank{asks("1", Whole(1), 2), asks("2", Part(999), 2), asks("3", Part(999), 3)}, []string{"no_gpus [] 2", "now [a0]", "behind [1 2] 4"}},
		{"a budget blocks, a quota blocks, others pass", Pool{Nodes: []Node{rig("a", 2)}}, []Rank{kept(asks("1", Whole(1), 2), Budget), kept(asks("2", Whole(1), 2), Quota), asks("3", Whole(2), 0)},
			[]string{"budget [] ?", "quota [] ?", "now [a0 a1]"}},
		{"who waits for a whole node awaits the one with the fewest in its way", Pool{Nodes: []Node{rig("a", 4), rig("b", 4)}, Running: []Running{holds(0, 1000, "a0", "a1"), holds(0, 1000, "b0")}},
			[]Rank{asks("1", Whole(4), 0), asks("2", Whole(1), 0), asks("3", Whole(2), 0), asks("4", Whole(3), 2)}, []string{"no_gpus [] ?", "now [a2]", "behind [1 2] ?", "now [b1 b2 b3]"}},
		{"two who wait for whole nodes await two", Pool{Nodes: []Node{rig("a", 2), rig("b", 2), rig("c", 1)}, Running: []Running{holds(0, 1000, "a0"), holds(0, 1000, "b0")}},
			[]Rank{asks("1", Whole(2), 0), asks("2", Whole(2), 0), asks("3", Whole(1), 0), asks("4", Whole(1), 0)}, []string{"no_gpus [] ?", "no_gpus [] ?", "now [c0]", "behind [1 2 3] ?"}},
		{"without an end until a reservation, if that is long enough", Pool{Nodes: []Node{booked(rig("a", 1), 3, 5)}}, []Rank{least(asks("1", Whole(1), 0), 4), least(asks("2", Whole(1), 0), 3)},
			[]string{"reserved_soon [] 5", "now [a0]"}},
		{"a reservation is an end that is known", Pool{Nodes: []Node{booked(rig("a", 1), 3, 5)}}, []Rank{least(asks("1", Whole(1), 0), 1), asks("2", Whole(1), 0), asks("3", Whole(1), 0)},
			[]string{"now [a0]", "behind [1] 5", "behind [1 2] ?"}},
		{"without an end where it may stay longest", Pool{Nodes: []Node{booked(rig("a", 1), 3, 5), rig("b", 2)}}, []Rank{asks("1", Whole(1), 0)}, []string{"now [b0]"}},
		{"who yields comes after, into what is not needed soon", Pool{Nodes: []Node{rig("a", 3)}, Running: []Running{holds(2, 1000, "a0")}},
			[]Rank{asks("1", Whole(2), 0), asks("2", Whole(2), 1), yields(asks("3", Whole(1), 0), 3), yields(asks("4", Whole(1), 5), 2)}, []string{"now [a1 a2]", "behind [1] ?", "behind [1 2] ?", "behind [1 2 3] ?"}},
		{"who yields has its least before another starts", Pool{Nodes: []Node{rig("a", 3)}, Running: []Running{holds(2, 1000, "a0")}},
			[]Rank{asks("1", Whole(3), 0), yields(asks("2", Whole(1), 0), 3), yields(asks("3", Whole(1), 5), 2), yields(asks("4", Whole(1), 0), 2)}, []string{"no_gpus [] 2", "behind [1] ?", "now [a1]", "now [a2]"}},
		{"who yields takes what another awaits", Pool{Nodes: []Node{rig("a", 2)}, Running: []Running{holds(0, 1000, "a0")}},
			[]Rank{asks("1", Whole(2), 0), asks("2", Whole(1), 0), yields(asks("3", Whole(1), 0), 1)}, []string{"no_gpus [] ?", "behind [1] ?", "now [a1]"}},
		{"who yields takes what was reserved and nobody came for", Pool{Nodes: []Node{unclaimed(booked(rig("a", 1), -1, 5))}},
			[]Rank{asks("1", Whole(1), 2), yields(asks("2", Whole(1), 3), 1)}, []string{"reserved_soon [] 5", "now [a0]"}},
		{"named ones and no others", Pool{Nodes: []Node{rig("a", 2), rig("b", 2)}, Running: []Running{holds(2, 1000, "b1")}},
			[]Rank{named(asks("1", Whole(1), 1), "b1"), named(asks("2", Whole(2), 1), "a0", "a1"), asks("3", Whole(1), 0)}, []string{"no_gpus [] 2", "now [a0 a1]", "now [b0]"}},
		{"what is promised is for one alone", Pool{Nodes: []Node{promised(rig("a", 2), "3")}}, []Rank{asks("1", Whole(1), 0), asks("2", Whole(1), 0), asks("3", Whole(1), 0)},
			[]string{"now [a1]", "behind [1] ?", "now [a0]"}},
		{"what is promised to another is not free", Pool{Nodes: []Node{promised(rig("a", 1), "x")}}, []Rank{asks("1", Whole(1), 0)}, []string{"promised [] ?"}},
		{"what is being taken back is promised too", Pool{Nodes: []Node{promised(rig("a", 1), "2")}, Running: []Running{holds(1, 1000, "a0")}}, []Rank{asks("1", Whole(1), 0), asks("2", Whole(1), 0)},
			[]string{"no_gpus [] ?", "no_gpus [] 1"}},
	} {
		var got []string
		for k, p := range Plan(now, c.waiting, c.pool) {
			got = append(got, said(p))
			if p.ID != c.waiting[k].ID || p.Number != k+1 {
				t.Errorf("%s: place %d is %+v", c.name, k, p)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestWhatIsLeftIsWhatANewcomerStartsOn(t *testing.T) {
	in := Pool{Nodes: []Node{rig("a", 4), booked(rig("b", 2), 1, 2), rig("c", 1)}, Running: []Running{holds(0, 1000, "a0"), holds(2, 1000, "b1")}}
	waiting := []Rank{asks("1", Whole(4), 0), asks("2", Whole(1), 0)}
	for _, c := range []struct {
		comes Rank
		want  []string
	}{{asks("x", Whole(1), 0), []string{"b0", "c0"}}, {asks("x", Whole(1), 1), []string{"a1", "a2", "a3", "b0", "c0"}}, {least(asks("x", Whole(1), 0), 2), []string{"c0"}}} {
		if got := Left(now, waiting[:1], in, c.comes.Job); !slices.Equal(got, c.want) {
			t.Errorf("%+v: left %v, want %v", c.comes.Job, got, c.want)
		}
		started := Starts(now, append(slices.Clone(waiting), c.comes), in)
		if left := Left(now, waiting, in, c.comes.Job); slices.ContainsFunc(started, func(p Place) bool { return p.ID == "x" }) != (len(left) > 0) {
			t.Errorf("%+v: left %v, started %+v", c.comes.Job, left, started)
		}
	}
}

func BenchmarkStartsOf300On64GPUs(b *testing.B) {
	var in Pool
	for k := range 8 {
		n := rig(fmt.Sprint("n", k), 8)
		in.Nodes = append(in.Nodes, n)
		for i, g := range n.GPUs {
			if k+i > 1 {
				in.Running = append(in.Running, holds((k*7+i*3)%20, 1000, g.UUID))
			}
		}
	}
	var waiting []Job
	for k := range 300 {
		waiting = append(waiting, asks(fmt.Sprint("j", k), Whole(1+k%8), 1+k%30).Job)
	}
	for b.Loop() {
		Starts(now, Order(now, waiting, nil, 64_000, DefaultWeights), in)
	}
}
