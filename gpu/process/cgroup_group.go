package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// create makes the instance's group with its limits. Where the machine has no cgroups it does nothing.
func (p cgroupPlan) create(spec gpu.Spec, devices []deviceRule) error {
	switch {
	case len(p.Parents) == 0:
		return nil
	case p.V2:
		return p.createV2(spec, devices)
	}
	return p.createV1(spec, devices)
}

// freeze stops or thaws every process of the group and returns when the kernel says that it is done.
func (p cgroupPlan) freeze(name string, frozen bool) error {
	file, value, done := p.file("freezer", name, "freezer.state"), "THAWED", "THAWED"
	if frozen {
		value, done = "FROZEN", "FROZEN"
	}
	watch := file
	if p.V2 {
		file, watch = p.file("freezer", name, "cgroup.freeze"), p.file("freezer", name, "cgroup.events")
		value, done = "0", "frozen 0"
		if frozen {
			value, done = "1", "frozen 1"
		}
	}
	for range 500 {
		// Version 1 may stay in FREEZING while processes are being born; writing again moves it on (freezer-subsystem.rst).
		if err := writeFile(file, value); err != nil {
			return err
		}
		b, err := os.ReadFile(watch)
		if err != nil {
			return err
		}
		if strings.Contains(string(b), done) {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("the processes of %s did not all freeze within 5 s", name)
}

// kill ends every process of the group but one that is spared (0: none), and thaws it, since version 1 delivers no signal to
// what is frozen. It returns who is left when patience is over.
func (p cgroupPlan) kill(name string, patience time.Duration, spared int) ([]int, error) {
	dir := p.any(name)
	if dir == "" {
		return nil, nil
	}
	if p.V2 && spared == 0 {
		// Since Linux 5.14; before that the loop below does it.
		_ = writeFile(filepath.Join(dir, "cgroup.kill"), "1")
	}
	const pause = 5 * time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		pids, err := p.pids(name)
		pids = slices.DeleteFunc(pids, func(pid int) bool { return pid == spared })
		if err != nil || len(pids) == 0 || waited > patience {
			return pids, err
		}
		for _, pid := range pids {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return pids, err
			}
		}
		if p.has("freezer") && !p.V2 {
			if err := writeFile(p.file("freezer", name, "freezer.state"), "THAWED"); err != nil && !errors.Is(err, os.ErrNotExist) {
				return pids, err
			}
		}
		time.Sleep(pause)
	}
}

// oomKills returns how often the memory limit has killed a process.
func (p cgroupPlan) oomKills(name string) int64 {
	if !p.has("memory") {
		return 0
	}
	file := "memory.oom_control"
	if p.V2 {
		file = "memory.events"
	}
	m, err := readFields(p.file("memory", name, file))
	if err != nil {
		return 0
	}
	return m["oom_kill"]
}

// usage returns what the group has used. Memory is what can't be given back without ending something: no page cache.
func (p cgroupPlan) usage(name string) (u gpu.Usage, err error) {
	var errs []error
	if p.has("cpuacct") {
		if p.V2 {
			m, err := readFields(p.file("cpuacct", name, "cpu.stat"))
			u.CPU, errs = time.Duration(m["usage_usec"])*time.Microsecond, append(errs, err)
		} else {
			n, err := readNumber(p.file("cpuacct", name, "cpuacct.usage"))
			u.CPU, errs = time.Duration(n), append(errs, err)
		}
	}
	if p.has("memory") {
		m, err := readFields(p.file("memory", name, "memory.stat"))
		errs = append(errs, err)
		if p.V2 {
			u.Memory = m["anon"] + m["shmem"]
			if swap, err := readNumber(p.file("memory", name, "memory.swap.current")); err == nil {
				u.Memory += swap
			}
		} else {
			u.Memory = m["total_rss"] + m["total_shmem"] + m["total_swap"]
		}
	}
	if p.has("pids") {
		u.Pids, err = readNumber(p.file("pids", name, "pids.current"))
		errs = append(errs, err)
	}
	return u, errors.Join(errs...)
}

func readOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
