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

// sftp serves the files of an instance to its SSH session, inside it and as its user. The instance's init starts it.
func sftp(context.Context, *call) error { return status(process.ServeSFTP()) }

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
