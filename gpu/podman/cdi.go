package podman

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// cdiDirs are where the container device interface looks for its files; a later one wins (container-device-interface SPEC.md).
var cdiDirs = []string{"/etc/cdi", "/var/run/cdi"}

// cdiSpec is the part of a CDI file that is used.
type cdiSpec struct {
	Kind    string `json:"kind"`
	Devices []struct {
		Name  string `json:"name"`
		Edits struct {
			Nodes []struct {
				Path string `json:"path"`
			} `json:"deviceNodes"`
		} `json:"containerEdits"`
	} `json:"devices"`
}

// devicesOf finds each granted GPU among the machine's CDI devices, by its UUID. A GPU that has device files and is in no file
// is an error that says what to do; a simulated one has neither.
func devicesOf(uuids []string) (names, files []string, err error) {
	known := map[string]string{}
	nodes := map[string][]string{}
	for _, dir := range cdiDirs {
		found, _ := filepath.Glob(filepath.Join(dir, "*.json"))
		for _, f := range found {
			var s cdiSpec
			b, err := os.ReadFile(f)
			if err == nil {
				err = json.Unmarshal(b, &s)
			}
			if err != nil {
				return nil, nil, fmt.Errorf("the CDI file %s: %w", f, err)
			}
			for _, d := range s.Devices {
				known[d.Name] = s.Kind + "=" + d.Name
				nodes[d.Name] = nil
				for _, n := range d.Edits.Nodes {
					nodes[d.Name] = append(nodes[d.Name], n.Path)
				}
			}
		}
	}
	for _, uuid := range uuids {
		name, ok := known[uuid]
		switch {
		case ok:
			names, files = append(names, name), append(files, nodes[uuid]...)
		case real(uuid):
			return nil, nil, fmt.Errorf("GPU %s is in no file of %s: make them with nvidia-ctk cdi generate --device-name-strategy=uuid", uuid, strings.Join(cdiDirs, " or "))
		}
	}
	return names, files, nil
}

// real reports whether the driver knows a GPU of that UUID.
func real(uuid string) bool {
	found, _ := filepath.Glob("/proc/driver/nvidia/gpus/*/information")
	for _, f := range found {
		if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), uuid) {
			return true
		}
	}
	return false
}
