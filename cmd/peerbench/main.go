// Command peerbench measures Meterhouse side by side with peers that do the same work: `make bench` runs every row,
// `make bench ONLY=name,name` some. Ours and the peer's runs alternate in one process on one machine; what is reported is
// the median ratio and its spread, and a row counts only if both gave equal results. It reports, and fails on nothing but
// its own faults.
//
// It is a module of its own, so that no peer becomes a dependency of the product.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
)

// row is one comparison.
type row struct {
	name string
	says string // the work, in one line
	run  func(ctx context.Context, dir string) ([]outcome, error)
}

// rows are all comparisons there are.
var rows = []row{
	{"ledger_month", "this month's cost by team, beside SUM … GROUP BY with a covering index", ledgerMonth},
	{"budget_check", "the budget check before renting, beside SUM over the team's postings", budgetCheck},
	{"replay", "a recorded workload at 64 GPUs through `meterhouse plan replay`, ledger included", replayWorkload},
	{"prompt", "from the order to the first prompt of an isolated instance, beside bwrap with the same namespaces", prompt},
}

func main() {
	only := flag.String("only", "", "names, with commas; all if empty")
	out := flag.String("out", "bench.json", "where the figures go")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *only, *out); err != nil {
		fmt.Fprintln(os.Stderr, "peerbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only, out string) error {
	var names []string
	for _, r := range rows {
		names = append(names, r.name)
	}
	chosen := names
	if only != "" {
		chosen = strings.Split(only, ",")
	}
	for _, name := range chosen {
		if !slices.Contains(names, name) {
			return fmt.Errorf("no row %q: there are %s", name, strings.Join(names, ", "))
		}
	}
	commit, err := exec.CommandContext(ctx, "git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		commit = []byte("unknown")
	}
	var all []outcome
	for _, r := range rows {
		if !slices.Contains(chosen, r.name) {
			continue
		}
		fmt.Printf("%s: %s\n", r.name, r.says)
		dir, err := os.MkdirTemp("", "peerbench-")
		if err != nil {
			return err
		}
		found, err := r.run(ctx, dir)
		if removed := os.RemoveAll(dir); err == nil {
			err = removed
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		for k := range found {
			found[k].Commit = strings.TrimSpace(string(commit))
			fmt.Println("  " + found[k].String())
		}
		all = append(all, found...)
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text, '\n'), 0o644)
}
