// Command meterhouse is the console and its client in one binary: serve runs the console, shim holds one instance, and the
// other verbs look after a data directory or speak the HTTP API. It may import everything. The rules it keeps: exit status
// 0 done, 1 failed with the reason on stderr, 2 wrong usage with the help on stderr, and of exec the command's own; every flag has a twin in the
// environment; the billing clock is made here of the machine's and handed to all others as a function.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// version is set by the build.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := execute(ctx, terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr, lookup: os.LookupEnv}, os.Args[1:])
	stop()
	os.Exit(code)
}
