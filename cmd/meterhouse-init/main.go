// Command meterhouse-init is PID 1 of an instance that runs in a container: it starts what the instance's shim orders and reaps
// what ends (gpu/process). With "inspect" it prints what the image around it contains (gpu/contents). It is built without cgo, so
// that it runs in an image of any kind.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/meterhouse/meterhouse/gpu/contents"
	"github.com/meterhouse/meterhouse/gpu/process"
)

func main() {
	run := process.RunInside
	if len(os.Args) == 2 && os.Args[1] == "inspect" {
		run = func() error { return json.NewEncoder(os.Stdout).Encode(contents.Inspect(os.DirFS("/"))) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "meterhouse-init:", err)
		os.Exit(1)
	}
}
