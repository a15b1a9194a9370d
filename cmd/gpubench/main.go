// Command gpubench is the benchmark runner: a process of its own inside an instance that writes one event a line. All of it
// is in gpu/bench; this is only its name.
package main

import (
	"os"

	"github.com/meterhouse/meterhouse/gpu/bench"
)

func main() { os.Exit(bench.Main(os.Args[1:], os.Stdout, os.Stderr)) }
