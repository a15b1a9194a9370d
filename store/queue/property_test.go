package queue

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawn makes a small pool and a queue of whole hours; bounded: all have hard ends.
func drawn(t *rapid.T, bounded bool) (in Pool, waiting []Rank) {
	for i := range rapid.IntRange(1, 3).Draw(t, "nodes") {
		n := rig(string(rune('a'+i)), rapid.IntRange(1, 4).Draw(t, "gpus"))
		for k, g := range n.GPUs {
			if rapid.Bool().Draw(t, "busy") {
				from := 1
				if !bounded {
					from = 0
				}
				in.Running = append(in.Running, holds(rapid.IntRange(from, 5).Draw(t, "until"), rapid.SampledFrom([]int{250, 500, 1000}).Draw(t, "milli"), g.UUID))
			} else if rapid.IntRange(0, 4).Draw(t, "reserved") == 0 {
				from := rapid.IntRange(0, 4).Draw(t, "from")
				n.GPUs[k].Reserved = []Span{{From: hours(from), To: hours(from + 2)}}
			}
		}
		in.Nodes = append(in.Nodes, n)
	}
	jobs := rapid.IntRange(1, 7).Draw(t, "jobs")
	firm := jobs
	if !bounded {
		firm = rapid.IntRange(1, jobs).Draw(t, "firm")
	}
	for k := range jobs {
		ask := Whole(rapid.IntRange(1, 4).Draw(t, "count"))
		if rapid.Bool().Draw(t, "part") {
			ask = Part(rapid.SampledFrom([]int{1, 250, 500, 750, 1000}).Draw(t, "share"))
		}
		length := rapid.IntRange(1, 5).Draw(t, "length")
		if !bounded && rapid.Bool().Draw(t, "open") {
			length = 0
		}
		r := asks(fmt.Sprint(k), ask, length)
		r.Yields, r.Least = k >= firm, time.Duration(rapid.IntRange(0, 2).Draw(t, "least"))*time.Hour
		r.Aged = k == 0 && rapid.Bool().Draw(t, "aged")
		waiting = append(waiting, r)
	}
	return in, waiting
}

// grid is the oracle: what is free of each GPU in each hour, filled job by job.
type grid struct {
	nodes []Node
	free  map[string]*[200]int
}

func (g grid) fits(uuid string, at, length, milli int) bool {
	for h := at; h < at+length; h++ {
		if g.free[uuid][h] < milli {
			return false
		}
	}
	return true
}

// put returns the hour at which a job starts, or -1.
func (g grid) put(j Job) int {
	length, milli := int(j.Length.Hours()), j.Ask.milli
	for at := range 100 {
		var best string
		var smallest []GPU // of the nodes with enough the fewest, on the first by name
		for _, n := range slices.SortedFunc(slices.Values(g.nodes), func(a, b Node) int { return cmp.Compare(a.Name, b.Name) }) {
			var free []GPU
			for _, d := range n.GPUs {
				if g.fits(d.UUID, at, length, milli) {
					free = append(free, d)
					if best == "" || g.free[d.UUID][at] < g.free[best][at] {
						best = d.UUID
					}
				}
			}
			if len(free) >= j.Ask.count && (smallest == nil || len(free) < len(smallest)) {
				smallest = free
			}
		}
		if smallest == nil {
			continue
		}
		slices.SortFunc(smallest, func(a, b GPU) int { return cmp.Compare(a.Index, b.Index) })
		var uuids []string
		for _, d := range smallest[:j.Ask.count] {
			uuids = append(uuids, d.UUID)
		}
		if milli < Share {
			uuids = []string{best}
		}
		for _, uuid := range uuids {
			for h := at; h < at+length; h++ {
				g.free[uuid][h] -= milli
			}
		}
		return at
	}
	return -1
}

func TestEveryStartIsTheEarliestThatTriesOfEveryHourFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, waiting := drawn(t, true)
		g := grid{in.Nodes, map[string]*[200]int{}}
		for _, n := range in.Nodes {
			for _, d := range n.GPUs {
				g.free[d.UUID] = new([200]int)
				for h := range 200 {
					if g.free[d.UUID][h] = Share; slices.ContainsFunc(d.Reserved, func(s Span) bool { return !hours(h).Before(s.From) && hours(h).Before(s.To) }) {
						g.free[d.UUID][h] = 0
					}
				}
			}
		}
		for _, r := range in.Running {
			for h := range int(r.Until.Sub(now).Hours()) {
				g.free[r.UUIDs[0]][h] -= r.Milli
			}
		}
		for k, p := range Plan(now, waiting, in) {
			want := g.put(waiting[k].Job)
			if p.StartKnown != (want >= 0) || p.StartKnown && !p.Start.Equal(hours(want)) || p.Starts != (want == 0) {
				t.Fatalf("%s: %s, want hour %d", p.ID, said(p), want)
			}
		}
	})
}

// begun returns the pool with those running that a plan starts.
func begun(in Pool, waiting []Rank, places []Place) Pool {
	in.Running = slices.Clone(in.Running)
	for k, p := range places {
		if p.Starts {
			j := waiting[k]
			in.Running = append(in.Running, Running{ID: j.ID, Team: j.Team, UUIDs: p.UUIDs, Milli: j.Ask.milli, Ends: p.Ends, Until: p.Until})
		}
	}
	return in
}

func TestNobodyIsOvertakenByWhoDelaysThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, waiting := drawn(t, false)
		places := Plan(now, waiting, in)
		for k := range places {
			if alone := Plan(now, waiting[:k+1], in); !reflect.DeepEqual(alone, places[:k+1]) {
				t.Fatalf("those behind %s change what is said of it: %+v, %+v", places[k].ID, alone[k], places[k])
			}
		}
		if starts := slices.DeleteFunc(slices.Clone(places), func(p Place) bool { return !p.Starts }); !reflect.DeepEqual(append([]Place{}, Starts(now, waiting, in)...), append([]Place{}, starts...)) {
			t.Fatalf("the starts alone are others")
		}
		first := slices.IndexFunc(places, func(p Place) bool { return !p.Starts })
		if first < 0 {
			return
		}
		after := Plan(now, waiting[first:first+1], begun(in, waiting, places))[0]
		if was := places[first]; was.StartKnown && (!after.StartKnown || after.Start.After(was.Start)) {
			t.Fatalf("%s was to start at %v, now at %v (%v)", was.ID, was.Start, after.Start, after.StartKnown)
		}
		firm := slices.Clone(places) // who yields gives it back
		for k := range firm {
			firm[k].Starts = firm[k].Starts && !waiting[k].Yields
		}
		// Nobody knows when the first starts: what must still come free for it without an end that is known grows nowhere.
		if was, is := nearest(begun(in, waiting, places[:first]), waiting[first].Job), nearest(begun(in, waiting, firm), waiting[first].Job); !places[first].StartKnown && is < was {
			t.Fatalf("%s had %d of %d free by the ends that are known, now %d", places[first].ID, was, waiting[first].Milli(), is)
		}
	})
}

// nearest is what a job has free by all hard ends that are known, on the node on which that is most.
func nearest(in Pool, j Job) (most int) {
	p := poolOf(now, in, but{})
	for i := range p.nodes {
		if gpus, free := p.nodes[i].most(&j); len(gpus) == j.Ask.count {
			most = max(most, free)
		}
	}
	return most
}

func TestNoGPUIsGivenOutBeyondItsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, waiting := drawn(t, false)
		used := map[string]int{}
		for _, r := range begun(in, waiting, Plan(now, waiting, in)).Running {
			for _, uuid := range r.UUIDs {
				if used[uuid] += r.Milli; used[uuid] > Share {
					t.Fatalf("%s gives %d", uuid, used[uuid])
				}
			}
		}
	})
}

// Whatever comes after, who has waited a day starts once what has hard ends is over.
func TestNobodyStarves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Pool{Nodes: []Node{rig("a", 4)}}
		waiting := []Job{{ID: "large", Ask: Whole(4), Since: now}}
		for hour := range 60 {
			at := hours(hour)
			in.Running = slices.DeleteFunc(in.Running, func(r Running) bool { return !r.Until.After(at) })
			for k := range rapid.IntRange(0, 3).Draw(t, "arrive") {
				waiting = append(waiting, Job{ID: fmt.Sprintf("%02d-%d", hour, k), Ask: Part(rapid.IntRange(1, 999).Draw(t, "share")), Since: at, Ends: true, Length: time.Duration(rapid.IntRange(1, 12).Draw(t, "length")) * time.Hour})
			}
			for _, p := range Starts(at, Order(at, waiting, nil, 4000, Weights{}), in) {
				k := slices.IndexFunc(waiting, func(j Job) bool { return j.ID == p.ID })
				in.Running = append(in.Running, Running{ID: p.ID, UUIDs: p.UUIDs, Milli: waiting[k].Ask.milli, Ends: true, Until: at.Add(max(waiting[k].Length, time.Hour))})
				if waiting = slices.Delete(waiting, k, k+1); p.ID == "large" {
					return
				}
			}
		}
		t.Fatal("the large job did not start in 60 hours")
	})
}
