package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/podman"
	"github.com/meterhouse/meterhouse/gpu/process"
)

// noEngine is the value of --engine of a console that starts nothing from images.
const noEngine = "none"

// openEngine is what starts instances from images, and what keeps those: nil where the site wants none, or where nothing can be started, because this
// user may not or because meterhouse-init does not lie beside the binary. An engine that does not run yet is no obstacle.
func openEngine(socket, binary string) (process.Enclosure, gpu.Images, error) {
	init := filepath.Join(filepath.Dir(binary), "meterhouse-init")
	if _, err := os.Stat(init); socket == noEngine || err != nil || os.Geteuid() != 0 {
		if socket != noEngine && socket != podman.DefaultSocket {
			return nil, nil, fmt.Errorf("--engine %s needs a console that runs as root, and meterhouse-init beside %s", socket, binary)
		}
		return nil, nil, nil
	}
	c := podman.Config{Socket: socket, Init: init}
	e, err := podman.New(c)
	if err != nil {
		return nil, nil, err
	}
	images, err := podman.NewImages(c)
	if err != nil {
		return nil, nil, err
	}
	return e, images, nil
}
