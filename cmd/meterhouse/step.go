package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
)

func stop(ctx context.Context, c *call) error {
	return c.step(ctx, "stop", instance.ended)
}

func keep(ctx context.Context, c *call) error {
	return c.step(ctx, "keep", func(instance) bool { return true })
}

func suspend(ctx context.Context, c *call) error {
	return c.step(ctx, "suspend", func(i instance) bool { return i.Status == "suspended" || i.ended() })
}

func resume(ctx context.Context, c *call) error {
	return c.step(ctx, "resume", func(i instance) bool { return i.Status == "running" || i.ended() })
}

// step asks each named instance to take a step; one that can't does not keep the others from it.
func (c *call) step(ctx context.Context, name string, done func(instance) bool) error {
	f := c.flags()
	flags := f.client()
	wait := f.Bool("wait", false, "wait until it is done")
	args, tail, err := f.parse()
	if err != nil {
		return err
	}
	if args = append(args, tail...); len(args) == 0 {
		return misuse("which instance?")
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	var taken []instance
	var failed []error
	for _, id := range args {
		var i instance
		err := api.post(ctx, "/instances/"+url.PathEscape(id)+"/"+name, struct{}{}, &i, true)
		if err == nil && *wait {
			i, err = api.waitFor(ctx, id, done)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", id, err))
			continue
		}
		taken = append(taken, i)
		if !*flags.json {
			fmt.Fprintf(c.out, "%s  %s  %s\n", i.ID, i.Status, amount(i.Cost))
		}
	}
	if *flags.json {
		failed = append(failed, c.printJSON(map[string]any{"instances": raws(taken)}))
	}
	return errors.Join(failed...)
}
