package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/gpu"
)

// v2Needs says which controller of version 2 does the work of each of version 1; "" needs none.
var v2Needs = map[string]string{"cpu": "cpu", "cpuacct": "", "memory": "memory", "pids": "pids", "freezer": "", "devices": ""}

// planV2 takes meterhouse below the root of the hierarchy or, where that is not ours to write, below our own group, which a
// service manager may have handed over.
func planV2(mount, own string) cgroupPlan {
	var first error
	for _, base := range []string{mount, ownV2(mount, own)} {
		parent := filepath.Join(base, "meterhouse")
		err := tryGroup(parent)
		if err == nil {
			return enableV2(base, parent)
		}
		if first == nil {
			first = err
		}
	}
	return noCgroups(why(first, filepath.Join(mount, "meterhouse")))
}

func ownV2(mount, own string) string {
	for line := range strings.Lines(own) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return filepath.Join(mount, path)
		}
	}
	return mount
}

// enableV2 hands controllers down to the groups of instances. A group with processes of its own can't do that (the rule of
// "no internal processes", cgroup-v2.rst), so the console moves aside where it is alone in a group that it was given.
func enableV2(base, parent string) cgroupPlan {
	p := cgroupPlan{V2: true, Parents: map[string]string{}, Missing: map[string]string{}}
	b, _ := os.ReadFile(filepath.Join(base, "cgroup.controllers"))
	offered := strings.Fields(string(b))
	for _, c := range controllers {
		need := v2Needs[c]
		if need == "" {
			p.Parents[c] = parent
			continue
		}
		if !slices.Contains(offered, need) {
			p.Missing[c] = "the cgroup controller " + need + " is not offered in " + base
			continue
		}
		err := writeFile(filepath.Join(base, "cgroup.subtree_control"), "+"+need)
		if err != nil && writeFile(filepath.Join(parent, shimGroup, "cgroup.procs"), strconv.Itoa(os.Getpid())) == nil {
			err = writeFile(filepath.Join(base, "cgroup.subtree_control"), "+"+need)
		}
		if err == nil {
			err = writeFile(filepath.Join(parent, "cgroup.subtree_control"), "+"+need)
		}
		if err != nil {
			p.Missing[c] = "the cgroup controller " + need + " can't be handed down in " + base + ": " + err.Error() + "; run the console as a service of its own with Delegate=yes"
			continue
		}
		p.Parents[c] = parent
	}
	if err := tryDeviceFilter(); err != nil {
		delete(p.Parents, "devices")
		p.Missing["devices"] = err.Error() + ": run the console as root"
	}
	return p
}

func (p cgroupPlan) createV2(spec gpu.Spec, devices []deviceRule) error {
	dir := p.any(spec.ID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var errs []error
	set := func(controller, file, value string) {
		if p.has(controller) {
			errs = append(errs, writeFile(filepath.Join(dir, file), value))
		}
	}
	if spec.CPUMillis > 0 {
		set("cpu", "cpu.max", fmt.Sprintf("%d %d", CPUQuota(spec.CPUMillis), CPUPeriod))
	}
	if spec.MemoryBytes > 0 {
		set("memory", "memory.max", strconv.FormatInt(spec.MemoryBytes, 10))
		if _, err := os.Stat(filepath.Join(dir, "memory.swap.max")); err == nil {
			set("memory", "memory.swap.max", "0")
		}
	}
	if spec.Pids > 0 {
		set("pids", "pids.max", strconv.FormatInt(spec.Pids, 10))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("setting limits: %w", err)
	}
	if !p.has("devices") {
		return nil
	}
	return attachDeviceFilter(dir, devices)
}
