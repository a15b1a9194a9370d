package main

import (
	"context"
	"fmt"

	"github.com/meterhouse/meterhouse/gpu/podman"
)

// What a finding means.
const (
	findingOK     = "ok"
	findingWarn   = "warn"   // works, but less than it could
	findingBroken = "broken" // does not work until something is done
)

// finding is one thing that the doctor looked at.
type finding struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"` // what to do
}

// findings gathers them.
type findings struct{ list []finding }

func (f *findings) ok(name, format string, args ...any) {
	f.list = append(f.list, finding{name, findingOK, fmt.Sprintf(format, args...), ""})
}

func (f *findings) warn(name, fix, format string, args ...any) {
	f.list = append(f.list, finding{name, findingWarn, fmt.Sprintf(format, args...), fix})
}

func (f *findings) broken(name, fix, format string, args ...any) {
	f.list = append(f.list, finding{name, findingBroken, fmt.Sprintf(format, args...), fix})
}

func (f *findings) count(status string) int {
	n := 0
	for _, x := range f.list {
		if x.Status == status {
			n++
		}
	}
	return n
}

// doctor looks at everything that a console needs and changes nothing.
func doctor(ctx context.Context, c *call) error {
	f := c.flags()
	data := f.String("data", defaultData, "data directory")
	smtp := f.String("smtp", "", "mail server, as for serve")
	engine := f.String("engine", podman.DefaultSocket, "socket of podman's service, as for serve")
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	var found findings
	found.system()
	found.limits(ctx, *engine)
	found.driver(ctx)
	if found.dataDirectory(*data) {
		found.disk(*data)
		found.database(ctx, *data)
		found.hostKey(*data)
	}
	found.mailServer(ctx, *smtp)
	broken := found.count(findingBroken)
	if *asJSON {
		if err := c.printJSON(map[string]any{"ok": broken == 0, "checks": found.list, "version": version}); err != nil {
			return err
		}
	} else {
		t := table{head: []string{"", "WHAT", "FOUND"}}
		for _, x := range found.list {
			t.add(x.Status, x.Name, x.Detail)
			if x.Fix != "" {
				t.add(" ", " ", "→ "+x.Fix)
			}
		}
		if err := t.print(c.out); err != nil {
			return err
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d things are broken", broken, len(found.list))
	}
	return nil
}

// doctorLedger recomputes every bill from its segments and compares it with what was posted.
func doctorLedger(ctx context.Context, c *call) error {
	f := c.flags()
	data := f.String("data", defaultData, "data directory")
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	s, _, err := openBeside(ctx, *data, true)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // only read from
	sum, err := s.LedgerSum(ctx)
	if err != nil {
		return err
	}
	check, err := s.CheckLedger(ctx)
	if err != nil {
		return err
	}
	good := check.OK && sum == 0
	if *asJSON {
		err = c.printJSON(map[string]any{"ok": good, "instances": check.Instances, "ledger_sum_micros": sum, "first_difference": check.FirstDifference})
	} else if good {
		_, err = fmt.Fprintf(c.out, "%d bills equal their postings; the ledger sums to 0\n", check.Instances)
	}
	if err == nil && !good {
		return fmt.Errorf("the ledger sums to %d, first difference: %s", sum, check.FirstDifference)
	}
	return err
}
