package main

import (
	"context"
	"fmt"
	"runtime"
)

func printVersion(_ context.Context, c *call) error {
	f := c.flags()
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	if *asJSON {
		return c.printJSON(map[string]string{"version": version, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
	}
	_, err := fmt.Fprintf(c.out, "meterhouse %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
