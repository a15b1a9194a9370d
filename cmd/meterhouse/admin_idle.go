package main

import (
	"context"
	"fmt"

	"github.com/meterhouse/meterhouse/store"
)

func adminIdle(ctx context.Context, c *call) error {
	f := c.flags()
	data := f.String("data", defaultData, "data directory")
	mail := f.Duration("mail", 0, "how long idle until the mail goes out; 0: as it is")
	stop := f.Duration("stop", 0, "how long idle until the stop, an hour after the mail at least; 0: as it is")
	minimum := f.Duration("minimum", -1, "how long every instance may run, however idle; below 0: as it is")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	if args[0] != "on" && args[0] != "off" {
		return misuse("%q is neither on nor off", args[0])
	}
	return withData(ctx, *data, func(s *store.Store) error {
		was, err := s.IdleSetting(ctx)
		if err != nil {
			return err
		}
		set := was.Settings
		set.On = args[0] == "on"
		if *mail != 0 {
			set.Mail = *mail
		}
		if *stop != 0 {
			set.Stop = *stop
		}
		if *minimum >= 0 {
			set.Minimum = *minimum
		}
		if err := s.SetIdle(ctx, "", set); err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.out, "idle instances are stopped: %s; mail after %v, stop after %v, at least %v of running\n", args[0], set.Mail, set.Stop, set.Minimum)
		return err
	})
}
