// Command meterhouse-init is PID 1 of an instance that runs in a container: it starts what the instance's shim orders and reaps
// what ends (gpu/process). With "sftp" it serves the instance's files to an SSH client, with "inspect" it prints what the image
// around it contains (gpu/contents). It is built without cgo, so that it runs in an image of any kind.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/meterhouse/meterhouse/gpu/contents"
	"github.com/meterhouse/meterhouse/gpu/process"
)

func main() {
	run := process.RunInside
	switch strings.Join(os.Args[1:], " ") {
	case "sftp":
		os.Exit(process.ServeSFTP())
	case "inspect":
		run = func() error { return json.NewEncoder(os.Stdout).Encode(contents.Inspect(os.DirFS("/"))) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "meterhouse-init:", err)
		os.Exit(1)
	}
}
