package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/gpu/bench"
)

// benchmarkRun is what the API says of a run.
type benchmarkRun struct {
	ID       string            `json:"id"`
	Suite    string            `json:"suite"`
	Backend  string            `json:"backend"`
	Status   string            `json:"status"`
	Permille int               `json:"progress_permille"`
	Phase    string            `json:"phase"`
	Error    string            `json:"error,omitempty"`
	Results  []benchmarkResult `json:"results"`

	raw json.RawMessage // all that the API said
}

// UnmarshalJSON keeps what it reads, so that --json prints all of it.
func (b *benchmarkRun) UnmarshalJSON(text []byte) error {
	type plain benchmarkRun
	*b = benchmarkRun{raw: bytes.Clone(text)}
	return json.Unmarshal(text, (*plain)(b))
}

type benchmarkResult struct {
	Test      string  `json:"test"`
	Unit      string  `json:"unit"`
	Median    float64 `json:"median"`
	P5        float64 `json:"p5"`
	P95       float64 `json:"p95"`
	CV        float64 `json:"cv"`
	N         int     `json:"n"`
	Stable    bool    `json:"stable"`
	Simulated bool    `json:"simulated"`
}

func (b benchmarkRun) over() bool { return b.Status != "queued" && b.Status != "running" }

// suites names what can be measured, for people.
func suites() string {
	var names []string
	for _, s := range bench.Suites() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

func benchmark(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	backend := f.String("backend", "cpu", "what computes")
	gpus := f.String("gpus", "", "UUIDs of GPUs, with commas between them")
	size := f.Int64("size", 0, "of the data; the usual one if 0")
	seed := f.Int64("seed", 1, "of the data")
	seconds := f.Int64("seconds", 0, "the most the whole run may take; what it needs if 0")
	noWait := f.Bool("no-wait", false, "print the run's id and leave")
	args, tail, err := f.parse()
	if err != nil {
		return err
	}
	if len(args) != 1 || tail != nil {
		return misuse("one suite is needed: %s", suites())
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	body := map[string]any{"suite": args[0], "backend": *backend, "seed": *seed}
	if *size != 0 {
		body["size"] = *size
	}
	if *seconds != 0 {
		body["seconds"] = *seconds
	}
	if *gpus != "" {
		body["gpus"] = strings.Split(*gpus, ",")
	}
	var run benchmarkRun
	if err := api.post(ctx, "/benchmarks", body, &run, false); blames(err, "suite") {
		return fmt.Errorf("%w Suites: %s", err, suites())
	} else if err != nil {
		return err
	}
	if !*noWait {
		if run, err = c.waitForRun(ctx, api, run); err != nil {
			return err
		}
	}
	if *flags.json {
		err = c.printJSON(run.raw)
	} else {
		err = c.printRun(run)
	}
	if err == nil && slices.Contains([]string{"failed", "wrong", "cancelled"}, run.Status) {
		return fmt.Errorf("the run %s is %s: %s", run.ID, run.Status, run.Error)
	}
	return err
}

// waitForRun follows a run to its end and says on stderr where it stands.
func (c *call) waitForRun(ctx context.Context, api *client, run benchmarkRun) (benchmarkRun, error) {
	said := ""
	for {
		if err := api.get(ctx, "/benchmarks/"+url.PathEscape(run.ID), nil, &run); err != nil {
			return run, err
		}
		if run.over() {
			return run, nil
		}
		if now := fmt.Sprintf("%s %d %% %s", run.Status, run.Permille/10, run.Phase); now != said {
			fmt.Fprintln(c.err, now)
			said = now
		}
		select {
		case <-ctx.Done():
			return run, ctx.Err()
		case <-time.After(2 * waitInterval):
		}
	}
}

func (c *call) printRun(run benchmarkRun) error {
	if _, err := fmt.Fprintf(c.out, "%s  %s on %s  %s\n", run.ID, run.Suite, run.Backend, run.Status); err != nil || len(run.Results) == 0 {
		return err
	}
	t := table{head: []string{"TEST", "MEDIAN", "P5", "P95", "UNIT", "CV", "N", "STABLE"}}
	for _, r := range run.Results {
		if r.N == 0 {
			t.add(r.Test, "–", "–", "–", r.Unit, "–", "0", "no") // nothing ran: 0 would be a figure
			continue
		}
		stable := "yes"
		if !r.Stable {
			stable = "no"
		}
		if r.Simulated {
			stable += ", simulated"
		}
		t.add(r.Test, figure(r.Median), figure(r.P5), figure(r.P95), r.Unit, fmt.Sprintf("%.1f %%", r.CV*100), strconv.Itoa(r.N), stable)
	}
	return t.print(c.out)
}

func figure(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
