package bench

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// everyKind is one event of each kind with all of its fields set.
func everyKind() []Event {
	return []Event{
		{Kind: KindPlan, Plan: &Plan{Version: formatVersion, Suite: SuiteStream, Backend: BackendCPU, Size: 1 << 20, Seed: -5, Seconds: 20,
			GPUs: []string{"GPU-1"}, Tests: []Planned{{"copy", unitBandwidth}, {"triad", unitBandwidth}},
			Environment: Environment{CPUModel: "a CPU", Cores: 2, Workers: 1, QuotaMillis: 1500, Governor: "performance", LoadAverage: 0.5,
				MemoryBytes: 1 << 30, CacheBytes: 1 << 20, HugePages: "always", Kernel: "6.1", GoVersion: "go1.26", Architecture: "amd64/v1", Vector: "avx512"}}},
		{Kind: KindProgress, Progress: &Progress{Fraction: 0.25, Test: "copy", Phase: PhaseWarmup}},
		{Kind: KindSample, Sample: &Sample{Test: "copy", Value: 12.5, Seconds: 0.03}},
		{Kind: KindResult, Result: &Row{Test: "copy", Group: "stream", Unit: unitBandwidth, Summary: alike(10, 0.01), Stable: true, Size: 1 << 20,
			Rows: 4, Bytes: 3 << 23, Workers: 2, Seed: -5, ErrorRatio: 0.5, Compared: 9, OfBest: 1, Notes: []Note{NoteCacheUnknown}}},
		{Kind: KindResult, Result: &Row{Test: "triad", Unit: unitBandwidth, Wrong: true, Reasons: []Reason{ReasonWrong}, ErrorRatio: 1e9}},
		{Kind: KindError, Error: &Failure{Reason: ReasonMemory, Test: "add", Detail: "no memory"}},
		{Kind: KindDone, Done: &Done{Tests: 2, Seconds: 19.5}},
	}
}

func write(t testing.TB, events []Event) []byte {
	t.Helper()
	var text bytes.Buffer
	out := eventWriter{to: &text}
	for _, e := range events {
		out.write(e)
	}
	if out.err != nil {
		t.Fatal(out.err)
	}
	return text.Bytes()
}

func TestEveryEventIsReadAsItWasWritten(t *testing.T) {
	want := everyKind()
	got, bad, err := ReadAll(iotest.OneByteReader(bytes.NewReader(write(t, want))))
	if err != nil || bad != 0 || !reflect.DeepEqual(got, want) {
		t.Fatalf("%d bad lines, %v:\n%s", bad, err, write(t, got))
	}
}

func TestGarbageBetweenEventsIsPassedOver(t *testing.T) {
	events := everyKind()
	lines := bytes.SplitAfter(write(t, events), []byte("\n"))
	var text bytes.Buffer
	text.WriteString("gpubench: some words\r\n\r\n\n")
	for _, line := range lines[:len(lines)-1] {
		text.Write(bytes.Replace(line, []byte("\n"), []byte("\r\n"), 1))
		text.WriteString("\x00\xff{}[]\n" + strings.Repeat("x", 3*MaxLine+17) + "\n")
		text.Write(append(line[:len(line)/2:len(line)/2], '\n'))
	}
	text.WriteString(`{"event":"done","tests":2`)
	got, bad, err := ReadAll(&text)
	if err != nil || len(got) != len(events) || bad != 1+3*len(events)+1 {
		t.Fatalf("%d events, %d bad lines, %v", len(got), bad, err)
	}
}

func TestAWholeLastLineNeedsNoNewline(t *testing.T) {
	got, bad, err := ReadAll(strings.NewReader(`{"event":"done","tests":2,"seconds":1}`))
	if len(got) != 1 || bad != 0 || err != nil {
		t.Fatal(got, bad, err)
	}
}

func TestAReadErrorIsFinal(t *testing.T) {
	broken := errors.New("broken")
	for _, before := range []string{"", "{}\n", strings.Repeat("y", 2*MaxLine)} {
		_, _, err := ReadAll(io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", len(before), err)
		}
	}
}

func TestParseEventRefuses(t *testing.T) {
	cases := map[string]string{
		"empty":              ``,
		"no object":          `[]`,
		"no kind":            `{}`,
		"unknown kind":       `{"event":"hello"}`,
		"unknown field":      `{"event":"done","tests":1,"seconds":1,"more":1}`,
		"something after":    `{"event":"done","tests":1,"seconds":1} {}`,
		"wrong type":         `{"event":"done","tests":"1"}`,
		"too large":          `{"event":"sample","test":"copy","value":1e999}`,
		"negative":           `{"event":"sample","test":"copy","value":-1}`,
		"fraction over one":  `{"event":"progress","fraction":1.5,"phase":"check"}`,
		"odd name":           `{"event":"sample","test":"<b>","value":1}`,
		"other version":      `{"event":"plan","version":2,"tests":[{"test":"copy"}]}`,
		"plan without tests": `{"event":"plan","version":1}`,
		"a test twice":       `{"event":"plan","version":1,"tests":[{"test":"copy"},{"test":"copy"}]}`,
		"wrong with figures": `{"event":"result","test":"copy","wrong":true,"n":3,"median":5}`,
		"stable, no figures": `{"event":"result","test":"copy","stable":true}`,
		"stable, but":        `{"event":"result","test":"copy","stable":true,"n":3,"median":5,"reasons":["time"]}`,
		"figures of nothing": `{"event":"result","test":"copy","n":0,"median":5}`,
		"error, no reason":   `{"event":"error","detail":"x"}`,
		"too long":           `{"event":"error","reason":"died","detail":"` + strings.Repeat("x", maxDetail+1) + `"}`,
		"much too long":      `{"event":"error","reason":"died","detail":"` + strings.Repeat("x", MaxLine) + `"}`,
	}
	for name, line := range cases {
		if e, err := ParseEvent([]byte(line)); err == nil {
			t.Errorf("%s: taken as %+v", name, e)
		}
	}
}

// What is accepted can be written and is accepted again, and says the same; folding any events ends in a status.
func FuzzParseEvent(f *testing.F) {
	for _, line := range bytes.SplitAfter(write(f, everyKind()), []byte("\n")) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := ParseEvent(line)
		if err != nil {
			return
		}
		again, err := e.Append(nil)
		if err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		if len(again) > MaxLine {
			return
		}
		back, err := ParseEvent(again)
		if err != nil {
			t.Fatalf("%s: written but not read: %v", again, err)
		}
		if twice, _ := back.Append(nil); !bytes.Equal(again, twice) {
			t.Fatalf("%s became %s", again, twice)
		}
	})
}

func FuzzDecoder(f *testing.F) {
	f.Add(write(f, everyKind()))
	f.Add([]byte("\n\r\n{}\nx"))
	f.Fuzz(func(t *testing.T, text []byte) {
		events, bad, err := ReadAll(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(events)+bad > bytes.Count(text, []byte("\n"))+1 {
			t.Fatal("more lines than there are")
		}
		if r := Fold(events); !r.ended() {
			t.Fatalf("status %q after the end", r.Status)
		}
	})
}
