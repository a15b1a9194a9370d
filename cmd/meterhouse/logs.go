package main

import (
	"context"
	"encoding/json"
	"io"
)

func logs(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	var follow bool
	f.BoolVar(&follow, "follow", false, "go on until the command ends")
	f.BoolVar(&follow, "f", false, "the same as --follow")
	offset := f.Int64("offset", 0, "byte to begin at, counted from the very first")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	if *offset < 0 {
		return misuse("--offset is not negative")
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	take := func(chunk logChunk) error {
		_, err := io.WriteString(c.out, chunk.Text)
		return err
	}
	if *flags.json {
		lines := json.NewEncoder(c.out) // an object a line, as it comes
		take = func(chunk logChunk) error { return lines.Encode(chunk) }
	}
	if follow {
		return api.follow(ctx, args[0], *offset, take)
	}
	_, _, err = api.readLog(ctx, args[0], *offset, false, take)
	return err
}
