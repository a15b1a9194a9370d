package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/meterhouse/meterhouse/store"
)

func adminSpotMinimum(ctx context.Context, c *call) error {
	f := c.flags()
	data := f.String("data", defaultData, "data directory")
	args, err := f.parseArgs(2)
	if err != nil {
		return err
	}
	percent, err := strconv.ParseInt(args[1], 10, 8)
	if err != nil || percent < 10 || percent > 100 {
		return misuse("the minimum %q is a whole number of percent from 10 to 100", args[1])
	}
	return withData(ctx, *data, func(s *store.Store) error {
		if err := s.SetSpotMinimum(ctx, args[0], percent*10_000, ""); err != nil {
			return err
		}
		_, err := fmt.Fprintf(c.out, "%s costs at least %d %% of its price on demand as spot; the price goes there by 2 %% in 5 minutes\n", args[0], percent)
		return err
	})
}
