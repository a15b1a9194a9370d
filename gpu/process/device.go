package process

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// deviceRule lets an instance use a GPU's device file or keeps it out.
type deviceRule struct {
	path         string
	major, minor uint32
	allow        bool
}

// String is the line that devices.deny takes (devices.rst).
func (r deviceRule) String() string { return fmt.Sprintf("c %d:%d rwm", r.major, r.minor) }

// nvidiaMajor is the major number of every NVIDIA device file but those of memory and capabilities (devices.txt).
const nvidiaMajor = 195

// nvidiaControl are files that any program needs that uses a GPU at all; they give access to none by themselves.
var nvidiaControl = []string{"nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset"}

// gpuDevices looks through dev for the device files of GPUs and says of each whether it is granted. proc is where the driver
// tells which minor number is which GPU; a GPU that it does not list (a simulated one) has no file.
func gpuDevices(dev, proc string, granted []string) []deviceRule {
	minors := nvidiaMinors(proc, granted)
	var rules []deviceRule
	add := func(path string, allow bool) {
		var st unix.Stat_t
		if unix.Stat(path, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR {
			rules = append(rules, deviceRule{path: path, major: unix.Major(st.Rdev), minor: unix.Minor(st.Rdev), allow: allow})
		}
	}
	files, _ := filepath.Glob(filepath.Join(dev, "nvidia*"))
	for _, f := range files {
		name := filepath.Base(f)
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "nvidia")); err == nil {
			add(f, slices.Contains(minors, n))
		} else if slices.Contains(nvidiaControl, name) {
			add(f, len(minors) > 0)
		}
	}
	// What follows belongs to no single GPU that we could name: MIG's capabilities, AMD's compute device, render nodes.
	for _, pattern := range []string{"nvidia-caps/*", "nvidia-caps-imex-channels/*", "kfd", "dri/*"} {
		files, _ := filepath.Glob(filepath.Join(dev, pattern))
		for _, f := range files {
			add(f, false)
		}
	}
	return rules
}

// nvidiaMinors reads /proc/driver/nvidia/gpus/*/information, which names UUID and minor number of each GPU.
func nvidiaMinors(proc string, granted []string) []int {
	var minors []int
	files, _ := filepath.Glob(filepath.Join(proc, "driver/nvidia/gpus/*/information"))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		uuid, minor := "", -1
		for line := range strings.Lines(string(b)) {
			name, value, _ := strings.Cut(line, ":")
			switch value = strings.TrimSpace(value); strings.TrimSpace(name) {
			case "GPU UUID":
				uuid = value
			case "Device Minor":
				if n, err := strconv.Atoi(value); err == nil {
					minor = n
				}
			}
		}
		if minor >= 0 && slices.Contains(granted, uuid) {
			minors = append(minors, minor)
		}
	}
	return minors
}
