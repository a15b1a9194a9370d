package main

import (
	"context"
	"fmt"

	"github.com/meterhouse/meterhouse/store"
)

func adminGPUClear(ctx context.Context, c *call) error {
	f := c.flags()
	data := f.String("data", defaultData, "data directory")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	return withData(ctx, *data, func(s *store.Store) error {
		g, err := s.GPU(ctx, args[0])
		if err != nil {
			return err
		}
		if g.State == store.GPUOK {
			_, err := fmt.Fprintf(c.out, "%s is offered already\n", g.UUID)
			return err
		}
		if err := s.SetGPUState(ctx, g.UUID, store.GPUOK, ""); err != nil {
			return err
		}
		record := store.AuditRecord{Action: "gpu_cleared", Target: g.UUID, Detail: "was " + g.State + ": " + g.StateReason}
		if err := s.Audit(ctx, record); err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.out, "%s is offered again; it was %s (%s)\n", g.UUID, g.State, g.StateReason)
		return err
	})
}
