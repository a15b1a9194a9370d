package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// shimGroup is where shims and inits live: out of reach of a service manager that ends the console with all that it
// started, and not counted in any instance. No instance can have this name: ids have no underscore.
const shimGroup = "_shims"

// controllers are those that limits, usage and suspending need.
var controllers = []string{"cpu", "cpuacct", "memory", "pids", "freezer", "devices"}

// cgroupPlan says where on this machine the groups of instances are made. It travels to the shim in spec.json.
type cgroupPlan struct {
	V2 bool
	// Parents has the directory .../meterhouse of each controller that can be used. In version 2 it is one directory.
	Parents map[string]string
	// Aside has the parents in hierarchies without limits, where only the shim moves.
	Aside []string
	// Missing says why a controller can't be used.
	Missing map[string]string
}

func detectCgroups() cgroupPlan {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return noCgroups("/proc/self/mountinfo can't be read: " + err.Error())
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return noCgroups("this kernel has no cgroups")
	}
	return planCgroups(string(mounts), string(own))
}

func noCgroups(why string) cgroupPlan {
	p := cgroupPlan{Parents: map[string]string{}, Missing: map[string]string{}}
	for _, c := range controllers {
		p.Missing[c] = why
	}
	return p
}

// planCgroups reads mountinfo (proc_pid_mountinfo(5)) and /proc/self/cgroup and tries where groups can be made.
func planCgroups(mountinfo, own string) cgroupPlan {
	v1, unified, named := hierarchies(mountinfo)
	switch {
	case len(v1) > 0:
		return planV1(v1, named, unified)
	case unified != "":
		return planV2(unified, own)
	}
	return noCgroups("no cgroup file system is mounted")
}

// hierarchies says where version 1's controllers, version 2 and systemd's own hierarchy are mounted.
func hierarchies(mountinfo string) (v1 map[string]string, unified, named string) {
	v1 = map[string]string{}
	for line := range strings.Lines(mountinfo) {
		left, right, ok := strings.Cut(line, " - ")
		l, r := strings.Fields(left), strings.Fields(right)
		if !ok || len(l) < 5 || len(r) < 3 {
			continue
		}
		switch point := unescapeMount(l[4]); r[0] {
		case "cgroup2":
			unified = point
		case "cgroup":
			options := strings.Split(r[2], ",")
			for _, c := range controllers {
				if slices.Contains(options, c) {
					v1[c] = point
				}
			}
			if slices.Contains(options, "name=systemd") {
				named = point
			}
		}
	}
	return v1, unified, named
}

// unescapeMount undoes mountinfo's octal escapes of blanks and backslashes.
func unescapeMount(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// dirs returns each group directory of name once.
func (p cgroupPlan) dirs(name string) []string {
	var ds []string
	for _, c := range controllers {
		if parent, ok := p.Parents[c]; ok {
			if d := filepath.Join(parent, name); !slices.Contains(ds, d) {
				ds = append(ds, d)
			}
		}
	}
	return ds
}

// any returns one directory of the group, for questions that any hierarchy answers; "" where there is none. The freezer's
// comes first: who is in there is what suspending and ending act upon.
func (p cgroupPlan) any(name string) string {
	for _, c := range []string{"freezer", "pids", "memory", "cpu", "cpuacct", "devices"} {
		if parent, ok := p.Parents[c]; ok {
			return filepath.Join(parent, name)
		}
	}
	return ""
}

func (p cgroupPlan) file(controller, name, file string) string {
	return filepath.Join(p.Parents[controller], name, file)
}

func (p cgroupPlan) has(controller string) bool { _, ok := p.Parents[controller]; return ok }

// pids returns who is in the group, zombies excluded; none where the group does not exist.
func (p cgroupPlan) pids(name string) ([]int, error) {
	dir := p.any(name)
	if dir == "" {
		return nil, nil
	}
	b, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	var pids []int
	for _, f := range strings.Fields(string(b)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			return nil, fmt.Errorf("%s/cgroup.procs: %w", dir, err)
		}
		if s, ok := readStat(pid); ok && s.state != 'Z' {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// join moves the calling process into the shims' group everywhere. A console that removes the empty group at this moment
// is why it is tried more than once.
func (p cgroupPlan) join() error {
	dirs := p.dirs(shimGroup)
	for _, a := range p.Aside {
		dirs = append(dirs, filepath.Join(a, shimGroup))
	}
	for _, d := range dirs {
		var err error
		for range 5 {
			if err = os.MkdirAll(d, 0o755); err != nil {
				continue
			}
			if err = writeFile(filepath.Join(d, "cgroup.procs"), "0"); err == nil {
				break
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// remove deletes the empty group and, where nothing else is left, its parents. Processes that have just ended keep a
// group busy for a moment.
func (p cgroupPlan) remove(name string) error {
	var errs []error
	for _, d := range p.dirs(name) {
		var err error
		for range 50 {
			if err = os.Remove(d); err == nil || errors.Is(err, os.ErrNotExist) {
				err = nil
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// tidy deletes the groups that all instances share, where they are empty. That they are not is no error.
func (p cgroupPlan) tidy() {
	parents := p.Aside
	for _, d := range p.dirs("") {
		parents = append(parents, filepath.Clean(d))
	}
	for _, d := range parents {
		if os.Remove(filepath.Join(d, shimGroup)) == nil {
			_ = os.Remove(d)
		}
	}
}

// writeFile writes to a file that exists already, as control files do: they must not be created or truncated.
func writeFile(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func readNumber(path string) (int64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
}

// readFields reads a file of "name number" lines; what is not like that is left out.
func readFields(path string) (map[string]int64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := map[string]int64{}
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				m[name] = n
			}
		}
	}
	return m, nil
}
