// Command meterhouse-init is PID 1 of an instance that runs in a container: it starts what the instance's shim orders and reaps
// what ends. It is built without cgo, so that it runs in an image of any kind; all of it is in gpu/process.
package main

import (
	"fmt"
	"os"

	"github.com/meterhouse/meterhouse/gpu/process"
)

func main() {
	if err := process.RunInside(); err != nil {
		fmt.Fprintln(os.Stderr, "meterhouse-init:", err)
		os.Exit(1)
	}
}
