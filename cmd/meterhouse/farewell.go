package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/meterhouse/meterhouse/store"
)

// farewellNames is how many instances are named; more are counted.
const farewellNames = 5

// farewell says what goes on, and costs, without the console: who ends it may think that this ends everything.
func (p *program) farewell(ctx context.Context, out io.Writer) error {
	var going []string
	for f := (store.Filter{Live: true}); ; {
		live, next, err := p.store.Instances(ctx, f)
		if err != nil {
			return fmt.Errorf("say what goes on: %w", err)
		}
		for _, i := range live {
			if i.State.HoldsGPUs() {
				going = append(going, i.ID)
			}
		}
		if f.Cursor = next; next == "" {
			break
		}
	}
	if len(going) == 0 {
		return nil
	}
	named := strings.Join(going[:min(len(going), farewellNames)], " ")
	if len(going) > farewellNames {
		named += " …"
	}
	_, err := fmt.Fprintf(out, "\nThe console has ended. What was rented goes on without it and is billed on: %d (%s).\n"+
		"To end that too, start the console again, run `meterhouse stop %s`, and end it then.\n\n", len(going), named, named)
	return err
}
