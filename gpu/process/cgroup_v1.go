package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/meterhouse/meterhouse/gpu"
)

// CPUPeriod is the kernel's default for CPU quotas, in microseconds (sched-bwc.rst).
const CPUPeriod = 100_000

// CPUQuota turns thousandths of a core into microseconds a period; the kernel refuses less than 1 ms.
func CPUQuota(millis int64) int64 { return max(millis*CPUPeriod/1000, 1000) }

func planV1(mounts map[string]string, named, unified string) cgroupPlan {
	p := cgroupPlan{Parents: map[string]string{}, Missing: map[string]string{}}
	for _, c := range controllers {
		point, ok := mounts[c]
		if !ok {
			p.Missing[c] = "the cgroup controller " + c + " is not mounted"
			continue
		}
		parent := filepath.Join(point, "meterhouse")
		if err := tryGroup(parent); err != nil {
			p.Missing[c] = why(err, parent)
			continue
		}
		p.Parents[c] = parent
	}
	for _, point := range []string{named, unified} {
		if point != "" && tryGroup(filepath.Join(point, "meterhouse")) == nil {
			p.Aside = append(p.Aside, filepath.Join(point, "meterhouse"))
		}
	}
	p.tidy() // what was made to try; each start makes what it needs
	return p
}

// tryGroup makes the parent group and asks whether groups can be made in it.
func tryGroup(parent string) error {
	if err := os.MkdirAll(filepath.Join(parent, shimGroup), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(parent, shimGroup, "cgroup.procs"), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func why(err error, path string) string {
	switch {
	case errors.Is(err, os.ErrPermission):
		return "no permission to write to " + path + ": run the console as root, or give it this cgroup (systemd: Delegate=yes)"
	case readOnly(err):
		return path + " is on a read-only file system: mount the cgroups writable (a container needs that said when it is made)"
	}
	return err.Error()
}

// createV1 makes the group in each hierarchy and sets its limits; what the kernel refuses is returned in words.
func (p cgroupPlan) createV1(spec gpu.Spec, devices []deviceRule) error {
	for _, d := range p.dirs(spec.ID) {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	var errs []error
	set := func(controller, file string, value int64) {
		if p.has(controller) {
			errs = append(errs, writeFile(p.file(controller, spec.ID, file), strconv.FormatInt(value, 10)))
		}
	}
	if spec.CPUMillis > 0 {
		set("cpu", "cpu.cfs_period_us", CPUPeriod)
		set("cpu", "cpu.cfs_quota_us", CPUQuota(spec.CPUMillis))
	}
	if spec.MemoryBytes > 0 {
		set("memory", "memory.limit_in_bytes", spec.MemoryBytes)
		// Memory and swap together get the same limit, so that nothing is swapped; a kernel without swap accounting has no such file.
		if _, err := os.Stat(p.file("memory", spec.ID, "memory.memsw.limit_in_bytes")); err == nil {
			set("memory", "memory.memsw.limit_in_bytes", spec.MemoryBytes)
		}
	}
	if spec.Pids > 0 {
		set("pids", "pids.max", spec.Pids)
	}
	if p.has("devices") {
		for _, line := range denials(devices) {
			errs = append(errs, writeFile(p.file("devices", spec.ID, "devices.deny"), line))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("setting limits: %w", err)
	}
	return nil
}

// denials are the lines for devices.deny. An instance without a GPU is denied NVIDIA's devices as a whole, those that come
// later included; with one that can't be said, since a denial of all could not be lifted for some.
func denials(rules []deviceRule) []string {
	var lines []string
	granted := false
	for _, r := range rules {
		granted = granted || r.allow
		if !r.allow {
			lines = append(lines, r.String())
		}
	}
	if !granted {
		lines = append(lines, fmt.Sprintf("c %d:* rwm", nvidiaMajor))
	}
	return lines
}
