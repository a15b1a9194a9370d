package main

import (
	"context"
	"fmt"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/money"
)

func adminPriceSet(ctx context.Context, c *call) error {
	f := c.flags()
	kind := f.String("kind", string(store.OnDemand), "on_demand or reserved; that of spot follows from the one on demand")
	starts := f.String("starts", "", "when it begins to hold, RFC 3339; now if empty")
	data := f.String("data", defaultData, "data directory")
	args, err := f.parseArgs(2)
	if err != nil {
		return err
	}
	micros, err := money.Parse(args[1])
	if err != nil || micros < 0 {
		return misuse("the amount %q is a plain number an hour, such as 2.50", args[1])
	}
	var from time.Time
	if *starts != "" {
		if from, err = time.Parse(time.RFC3339, *starts); err != nil {
			return misuse("--starts %q is no time such as 2026-01-31T00:00:00Z", *starts)
		}
	}
	return withData(ctx, *data, func(s *store.Store) error {
		if from.IsZero() {
			from = s.Now()
		}
		if err := s.SetPrice(ctx, args[0], store.InstanceKind(*kind), micros, from, ""); err != nil {
			return err
		}
		_, err := fmt.Fprintf(c.out, "%s is %s an hour (%s) for what is rented from %s on; what runs keeps its price\n",
			args[0], args[1], *kind, from.Format(time.RFC3339))
		return err
	})
}
