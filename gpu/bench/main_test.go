package bench

import (
	"bytes"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// asRunner makes this test binary a gpubench.
const asRunner = "BENCH_TEST_AS_RUNNER"

func TestMain(m *testing.M) {
	if os.Getenv(asRunner) != "" {
		os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func gpubench(args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), asRunner+"=1")
	return c
}

func TestWrongUsageIsExitTwoAndSaysWhatThereIs(t *testing.T) {
	cases := []struct {
		args []string
		says string
	}{
		{nil, "a suite is needed; there is stream, matmul"},
		{[]string{"--suite", "pcie"}, `no suite "pcie"; there is stream, matmul`},
		{[]string{"--suite", "stream", "--backend", "cuda"}, `no backend "cuda"; there is cpu`},
		{[]string{"--suite", "stream", "--size", "many"}, `invalid value "many" for flag -size`},
		{[]string{"--suite", "stream", "--size", "12"}, "size of stream must be between 1024"},
		{[]string{"--suite", "matmul", "--size", "100000"}, "size of matmul must be between 16 and 8192"},
		{[]string{"--suite", "stream", "--seconds", "-1"}, "seconds must be between 0 and 86400"},
		{[]string{"--suite", "stream", "--gpus", strings.Repeat("x,", 1025)}, "at most 1024 GPUs"},
		{[]string{"--suite", "stream", "extra"}, `unexpected argument "extra"`},
		{[]string{"--what"}, "not defined: -what"},
	}
	for _, c := range cases {
		var out, words bytes.Buffer
		if code := Main(c.args, &out, &words); code != exitUsage || !strings.Contains(words.String(), c.says) || out.Len() > 0 {
			t.Errorf("%v: exit %d, %q, %d bytes of events", c.args, code, words.String(), out.Len())
		}
	}
}

func TestHelpNamesEveryFlagButTheHiddenOne(t *testing.T) {
	var words bytes.Buffer
	if code := Main([]string{"--help"}, io.Discard, &words); code != exitRan {
		t.Error(code)
	}
	for _, name := range []string{"suite", "backend", "size", "seed", "seconds", "gpus"} {
		if !strings.Contains(words.String(), "--"+name) {
			t.Errorf("no --%s in\n%s", name, words.String())
		}
	}
	if strings.Contains(words.String(), hiddenFlag) {
		t.Error("the hidden flag is shown")
	}
}

func TestFlagsHaveEnvironmentTwinsAndWinOverThem(t *testing.T) {
	env := map[string]string{"METERHOUSE_SUITE": "matmul", "METERHOUSE_SECONDS": "7", "METERHOUSE_SPOIL": "x"}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	var r runner
	if err := parse([]string{"--seconds", "9"}, lookup, &r, io.Discard); err != nil {
		t.Fatal(err)
	}
	if r.request.Suite != SuiteMatmul || r.request.Seconds != 9 || r.spoiled != "" {
		t.Errorf("%+v", r)
	}
	env["METERHOUSE_SIZE"] = "big"
	if err := parse(nil, lookup, &r, io.Discard); err == nil || !strings.Contains(err.Error(), `METERHOUSE_SIZE="big"`) {
		t.Error(err)
	}
}

func TestArgvAsksForTheSameRequest(t *testing.T) {
	want := Request{Suite: SuiteStream, Backend: BackendCPU, Size: 4096, Seed: -3, Seconds: 20, GPUs: []string{"GPU-a", "GPU-b"}}
	var r runner
	none := func(string) (string, bool) { return "", false }
	if err := parse(want.Argv(), none, &r, io.Discard); err != nil || !reflect.DeepEqual(r.request, want) {
		t.Errorf("%+v, %v", r.request, err)
	}
}

func TestARealRunEndsInTimeWithAllItsResults(t *testing.T) {
	for _, suite := range Suites() {
		t.Run(string(suite), func(t *testing.T) {
			t.Parallel()
			size := map[Suite]string{SuiteStream: "65536", SuiteMatmul: "96"}[suite]
			began := time.Now()
			var words bytes.Buffer
			c := gpubench("--suite", string(suite), "--seconds", "3", "--size", size)
			c.Stderr = &words
			out, err := c.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, words.String())
			}
			events, bad, err := ReadAll(bytes.NewReader(out))
			r := Fold(events)
			if err != nil || bad > 0 || (r.Status != StatusDone && r.Status != StatusUnstable) {
				t.Fatalf("%v, %d bad lines, %s %s", err, bad, r.Status, r.Detail)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestAKilledRunHasFailedAndSaysWhere(t *testing.T) {
	c := gpubench("--suite", "stream", "--size", "65536")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var r Result
	for d := NewDecoder(out); ; {
		e, err := d.Next()
		if err != nil {
			break
		}
		r.Add(e)
		if e.Kind == KindSample {
			c.Process.Kill()
		}
	}
	err = c.Wait()
	r.End(err.Error())
	if r.Status != StatusFailed || r.Reason != ReasonDied || !strings.Contains(r.Detail, "(signal: killed)") || r.Plan == nil {
		t.Errorf("%+v", r)
	}
}

// The committed file is what readers of this format version must go on reading.
func TestTheFormatIsAsCommitted(t *testing.T) {
	golden := filepath.Join("testdata", "events.ndjson")
	text := write(t, everyKind())
	if *update {
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("events are written as\n%s", text)
	}
	if events, bad, err := ReadAll(bytes.NewReader(want)); err != nil || bad > 0 || !reflect.DeepEqual(events, everyKind()) {
		t.Errorf("%d events, %d bad lines, %v", len(events), bad, err)
	}
}
