package main

import (
	"context"
	"os"

	"github.com/meterhouse/meterhouse/gpu/bench"
	"github.com/meterhouse/meterhouse/gpu/podman"
	"github.com/meterhouse/meterhouse/gpu/process"
)

// shim holds one instance: its terminal, its exit status and its log. The executor starts it; people don't.
func shim(_ context.Context, c *call) error { return status(process.Shim(c.args, podman.InShim())) }

// gpubench measures, inside an instance.
func gpubench(_ context.Context, c *call) error {
	return status(bench.Main(c.args, os.Stdout, os.Stderr))
}

func status(code int) error {
	if code == exitDone {
		return nil
	}
	return exitStatus(code)
}
