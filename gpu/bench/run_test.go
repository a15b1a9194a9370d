package bench

import (
	"bytes"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// stepClock goes on by step at each look: time that the runner measures is then the same for each sample.
type stepClock struct {
	at   time.Time
	step time.Duration
}

func (c *stepClock) now() time.Time {
	c.at = c.at.Add(c.step)
	return c.at
}

// idleMachine is a file system on whose machine time passes and nothing else runs.
type idleMachine struct {
	ticks int64
	more  fstest.MapFS
}

func (m *idleMachine) Open(name string) (fs.File, error) {
	root := fstest.MapFS{}
	for name, file := range m.more {
		root[name] = file
	}
	m.ticks += 1000
	root["proc/stat"] = &fstest.MapFile{Data: []byte("cpu 0 0 0 " + strconv.FormatInt(m.ticks, 10) + " 0 0 0 0 0 0\n")}
	return root.Open(name)
}

// runFake runs a request on an idle machine with small caches and returns its events.
func runFake(t *testing.T, request Request, step time.Duration, spoiled string) []Event {
	t.Helper()
	var text bytes.Buffer
	r := fakeRunner(request, step)
	r.out, r.spoiled = &eventWriter{to: &text}, spoiled
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	events, bad, err := ReadAll(&text)
	if err != nil || bad > 0 {
		t.Fatalf("%d bad lines, %v", bad, err)
	}
	return events
}

func fakeRunner(request Request, step time.Duration) *runner {
	cache := files("sys/devices/system/cpu/cpu0/cache/index0/level", "1", "sys/devices/system/cpu/cpu0/cache/index0/size", "1K")
	clock := &stepClock{at: time.Unix(0, 0), step: step}
	return &runner{request: request, root: &idleMachine{more: cache}, now: clock.now}
}

func requests() []Request {
	return []Request{
		{Suite: SuiteStream, Backend: BackendCPU, Size: 1 << 10, Seed: 9},
		{Suite: SuiteMatmul, Backend: BackendCPU, Size: 40, Seed: 9},
	}
}

func TestAnUndisturbedRunIsDone(t *testing.T) {
	for _, request := range requests() {
		before := runtime.NumGoroutine()
		events := runFake(t, request, time.Millisecond, "")
		if after := runtime.NumGoroutine(); after > before {
			t.Errorf("%s: %d goroutines left", request.Suite, after-before)
		}
		r := Fold(events)
		if r.Status != StatusDone || r.Progress.Fraction != 1 {
			t.Fatalf("%s: %s %s %+v", request.Suite, r.Status, r.Detail, r.Rows)
		}
		if events[0].Kind != KindPlan || events[len(events)-1].Kind != KindDone {
			t.Errorf("%s: from %s to %s", request.Suite, events[0].Kind, events[len(events)-1].Kind)
		}
		for _, row := range r.Rows {
			if row.N < minSamples || row.Median <= 0 || row.Simulated || row.Seed != 9 || row.Size != request.Size || row.Compared == 0 {
				t.Errorf("%+v", row)
			}
		}
	}
}

func TestProgressNeverFallsAndNamesItsTest(t *testing.T) {
	last, phases := 0.0, map[Phase]bool{}
	for _, e := range runFake(t, requests()[0], 20*time.Millisecond, "") {
		if p := e.Progress; p != nil {
			if p.Fraction < last || p.Fraction > 1 || (p.Test == "") != (p.Phase == PhaseSetup) {
				t.Errorf("%+v after %v", p, last)
			}
			last, phases[p.Phase] = p.Fraction, true
		}
	}
	if len(phases) != 4 || last < 0.5 {
		t.Error(phases, last)
	}
}

func TestAWrongKernelHasNoScoreAndTheOthersGoOn(t *testing.T) {
	for i, test := range []string{"triad", "fp32_tiled"} {
		r := Fold(runFake(t, requests()[i], time.Millisecond, test))
		if r.Status != StatusWrong || !strings.Contains(r.Detail, test) {
			t.Fatal(r.Status, r.Detail)
		}
		for _, row := range r.Rows {
			if row.Wrong != (row.Test == test) || row.Wrong != (row.Summary == nil) || row.Stable == row.Wrong {
				t.Errorf("%+v", row)
			}
		}
	}
}

func TestTheWholeRunEndsInItsTimeAndSaysWhatItCouldNotSettle(t *testing.T) {
	for _, request := range requests() {
		request.Seconds = 2
		events := runFake(t, request, 20*time.Millisecond, "")
		r := Fold(events)
		if r.Status != StatusUnstable {
			t.Fatal(r.Status, r.Detail)
		}
		for _, row := range r.Rows {
			if row.Stable || !slices.Contains(row.Reasons, ReasonTime) {
				t.Errorf("%+v", row)
			}
		}
		if most := 2.5; r.Seconds > most {
			t.Errorf("%s took %v s", request.Suite, r.Seconds)
		}
	}
}

func TestTheSameRequestRepeatsItsInputs(t *testing.T) {
	inputs := func() (rows []Row) {
		for _, row := range Fold(runFake(t, requests()[1], time.Millisecond, "")).Rows {
			row.Summary, row.OfBest = nil, 0
			rows = append(rows, row)
		}
		return rows
	}
	first, second := inputs(), inputs()
	for i := range first {
		if a, b := first[i], second[i]; a.ErrorRatio != b.ErrorRatio || a.Size != b.Size || a.Rows != b.Rows || a.Test != b.Test {
			t.Errorf("%+v, then %+v", a, b)
		}
	}
}

// brokenPipe takes a number of writes, then none.
type brokenPipe struct{ left int }

var errPipe = errors.New("broken pipe")

func (p *brokenPipe) Write(b []byte) (int, error) {
	if p.left--; p.left < 0 {
		return 0, errPipe
	}
	return len(b), nil
}

func TestARunWhoseReaderHasGoneEnds(t *testing.T) {
	for _, lines := range []int{0, 1, 5, 40} {
		r := fakeRunner(requests()[0], time.Millisecond)
		r.out = &eventWriter{to: &brokenPipe{left: lines}}
		if err := r.run(); !errors.Is(err, errPipe) || !errors.Is(err, errOutput) {
			t.Errorf("after %d lines: %v", lines, err)
		}
	}
}

func TestTooLittleMemoryIsSaid(t *testing.T) {
	var text bytes.Buffer
	r := fakeRunner(Request{Suite: SuiteStream, Backend: BackendCPU}, time.Millisecond)
	r.root = files("proc/meminfo", "MemAvailable: 20 kB\n")
	r.out = &eventWriter{to: &text}
	if err := r.run(); err == nil {
		t.Error("it ran")
	}
	events, _, _ := ReadAll(&text)
	if got := Fold(events); got.Status != StatusFailed || got.Reason != ReasonMemory {
		t.Errorf("%+v", got)
	}
}
