package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/meterhouse/meterhouse/gpu/podman"
	"github.com/meterhouse/meterhouse/gpu/process"
)

// noEngine is the value of --engine of a console that starts nothing from images.
const noEngine = "none"

// openEngine is what starts instances from images: nil where the site wants none, or where nothing can be started, because this
// user may not or because meterhouse-init does not lie beside the binary. An engine that does not run yet is no obstacle.
func openEngine(socket, binary string) (process.Enclosure, error) {
	init := filepath.Join(filepath.Dir(binary), "meterhouse-init")
	if _, err := os.Stat(init); socket == noEngine || err != nil || os.Geteuid() != 0 {
		if socket != noEngine && socket != podman.DefaultSocket {
			return nil, fmt.Errorf("--engine %s needs a console that runs as root, and meterhouse-init beside %s", socket, binary)
		}
		return nil, nil
	}
	e, err := podman.New(podman.Config{Socket: socket, Init: init})
	if err != nil {
		return nil, err
	}
	return e, nil
}
