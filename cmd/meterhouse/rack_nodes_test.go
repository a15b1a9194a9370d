package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// absence is how long a line or a console is away: 10 minutes in the long form, else as long as shows the same.
func absence(short time.Duration) time.Duration {
	if os.Getenv("METERHOUSE_LONG_TESTS") != "" {
		return 10 * time.Minute
	}
	return short
}

// counting is an instance on one node of a rack that counts ten times a second.
type counting struct {
	*rack
	id string
}

func (r *rack) count(model string) counting {
	r.t.Helper()
	var i instance
	r.console.cliJSON(&i, "rent", "--gpu-model", model, "--name", strings.ToLower(model[:2])+"-counts", "--command", "n=0; while :; do n=$((n+1)); echo $n; sleep 0.1; done")
	r.console.reaches(i.ID, "running")
	return counting{r, i.ID}
}

// last is how far it has counted.
func (i counting) last() int {
	i.t.Helper()
	lines := strings.Fields(i.console.cli("", "logs", i.id))
	if len(lines) == 0 {
		return 0
	}
	n, err := strconv.Atoi(lines[len(lines)-1])
	if err != nil {
		i.t.Fatalf("its output ends with %q", lines[len(lines)-1])
	}
	return n
}

// becomes waits for a status, for longer than a node may be silent before it counts as lost.
func (i counting) becomes(status string) instance {
	i.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		got := i.console.instance(i.id)
		if got.Status == status {
			return got
		}
		if time.Now().After(deadline) {
			i.t.Fatalf("%s is %s (%s %s), not %s", i.id, got.Status, got.Reason, got.Detail, status)
		}
	}
}

// unbilled is how long an instance's bill leaves out between its begin and its end; a failure where one segment does not follow
// the other.
func (i counting) unbilled() (d time.Duration) {
	i.t.Helper()
	var b bill
	i.console.billOf(i.id, &b)
	var end *time.Time
	for _, s := range b.Segments {
		if s.Minimum {
			continue
		}
		if end != nil && !s.From.Equal(*end) {
			i.t.Errorf("the bill of %s has a gap from %v to %v: %+v", i.id, end, s.From, b.Segments)
		}
		if end = s.To; s.State == "unreachable" && s.Amount == 0 {
			d += s.To.Sub(s.From)
		}
	}
	return d
}

// billed is what an instance's bill has come to.
func (i counting) billed() int64 {
	i.t.Helper()
	var b bill
	i.console.billOf(i.id, &b)
	return b.Total
}

// longestGap is the longest time without a reading of its GPU since a moment.
func (i counting) longestGap(since time.Time) (gap time.Duration) {
	i.t.Helper()
	var got struct {
		GPUs []struct{ Samples []struct{ At time.Time } }
	}
	path := fmt.Sprintf("/instances/%s/samples?from=%s&to=%s", i.id, since.UTC().Format(time.RFC3339), time.Now().UTC().Format(time.RFC3339))
	if err := i.console.api().get(i.t.Context(), path, nil, &got); err != nil {
		i.t.Fatal(err)
	}
	last := since
	for _, g := range got.GPUs {
		for _, s := range g.Samples {
			gap, last = max(gap, s.At.Sub(last)), s.At
		}
	}
	return max(gap, time.Since(last))
}

// happened counts an instance's events of a kind.
func (i counting) happened(kind string) (n int) {
	i.t.Helper()
	var got struct{ Events []struct{ Kind string } }
	if err := i.console.api().get(i.t.Context(), "/instances/"+i.id+"/events", nil, &got); err != nil {
		i.t.Fatal(err)
	}
	for _, e := range got.Events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// TestThreeNodes has an instance on each of three machines, and takes their cables, their power and their console away.
func TestThreeNodes(t *testing.T) {
	r := newRack(t)
	n1, n2, n3 := r.join("n1", "A100-SXM4-80GB", 1), r.join("n2", "L4", 1), r.join("n3", "H100-SXM5-80GB", 1)
	i1, i2, i3 := r.count("A100-SXM4-80GB"), r.count("L4"), r.count("H100-SXM5-80GB")
	for node, i := range map[*node]counting{n1: i1, n2: i2, n3: i3} {
		if got := strings.TrimSpace(r.console.cli("", "exec", i.id, "--", "cat", "/proc/sys/kernel/hostname")); got == "" {
			t.Errorf("no answer of the instance on %s", node.name)
		}
	}

	began := time.Now()
	n1.cut()
	time.Sleep(10 * time.Second)
	n1.mend()
	await(t, "its output is there again", func() bool { code, _, _ := r.console.try("", "logs", i1.id); return code == exitDone })
	if i1.happened("unreachable") > 0 || r.console.instance(i1.id).Status != "running" {
		t.Error("10 seconds without a cable were the loss of the node")
	}
	await(t, "the readings of the time without a cable", func() bool { return i1.longestGap(began) < 5*time.Second })

	n1.cut()
	n2.cut()
	lastOf3 := i3.last()
	n3.powerOff()
	cutAt := time.Now()
	for _, i := range []counting{i1, i2, i3} {
		i.becomes("unreachable")
	}
	for _, model := range []string{"A100-SXM4-80GB", "L4", "H100-SXM5-80GB"} {
		if code, out, _ := r.console.try("", "rent", "--gpu-model", model); code != exitFailed {
			t.Errorf("a GPU of a lost node was rented out: %s", out)
		}
	}
	billed := i2.billed()
	time.Sleep(max(2*time.Second, time.Until(cutAt.Add(absence(45*time.Second)))))
	if now := i2.billed(); now != billed {
		t.Errorf("what is out of reach is billed on, from %d to %d", billed, now)
	}

	n1.mend()
	counted := i1.becomes("running")
	if i1.last() < int(time.Since(*counted.StartedAt)/time.Second) {
		t.Errorf("it has counted to %d since %v", i1.last(), *counted.StartedAt)
	}
	if gap := i1.unbilled(); gap != 0 {
		t.Errorf("%v are not billed, in which it is proven to have run", gap)
	}
	n3.powerOn()
	n3.start()
	if got := i3.becomes("failed"); got.Reason != "node_lost" || got.EndedAt.After(cutAt.Add(time.Second)) || i3.last() < lastOf3 {
		t.Errorf("after the power cut: ended %v (cut %v) for %s", got.EndedAt, cutAt, got.Reason)
	}
	r.console.cli("", "admin", "node", "remove", "n2", "--data", r.console.data)
	if got := i2.becomes("failed"); got.Reason != "node_lost" || got.EndedAt.After(cutAt.Add(time.Second)) {
		t.Errorf("after its node was removed: ended %v (cut %v) for %s", got.EndedAt, cutAt, got.Reason)
	}

	again := r.count("H100-SXM5-80GB")
	began = time.Now()
	r.console.kill9()
	time.Sleep(absence(15 * time.Second))
	r.console.start()
	for _, i := range []counting{i1, again} {
		await(t, "the readings of the time without a console", func() bool { return i.longestGap(began) < 5*time.Second })
		i.becomes("running")
		if gap := i.unbilled(); gap != 0 {
			t.Errorf("%s: %v are not billed", i.id, gap)
		}
		r.console.cli("", "stop", i.id, "--wait")
	}
}
