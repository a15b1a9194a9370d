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

	"github.com/meterhouse/meterhouse/gpu"
)

// group is the cgroup in which an instance's processes are counted, frozen and ended.
type group struct {
	Plan cgroupPlan `json:"plan"`
	Name string     `json:"name"`
	Init int        `json:"init"` // PID of the init where that is in the group too; it is none of the work
}

func (g group) any() bool                { return g.Plan.any(g.Name) != "" }
func (g group) has(c string) bool        { return g.Plan.has(c) }
func (g group) dirs() []string           { return g.Plan.dirs(g.Name) }
func (g group) freeze(frozen bool) error { return g.Plan.freeze(g.Name, frozen) }
func (g group) oomKills() int64          { return g.Plan.oomKills(g.Name) }
func (g group) remove() error            { return g.Plan.remove(g.Name) }

// everyone returns who is in the group, its init included.
func (g group) everyone() ([]int, error) { return g.Plan.pids(g.Name) }

// work returns who is in the group without its init.
func (g group) work() ([]int, error) {
	pids, err := g.Plan.pids(g.Name)
	return slices.DeleteFunc(pids, func(pid int) bool { return pid == g.Init }), err
}

// kill ends everyone in the group and returns who is left when patience is over.
func (g group) kill(patience time.Duration) ([]int, error) { return g.Plan.kill(g.Name, patience, 0) }

// killWork is kill without the init, which is needed to learn how the others ended.
func (g group) killWork(patience time.Duration) ([]int, error) {
	return g.Plan.kill(g.Name, patience, g.Init)
}

// measure asks the cgroup and, for what it can't say, adds up the processes below the init.
func (g group) measure(init int) (gpu.Usage, error) {
	u, err := g.Plan.usage(g.Name)
	if g.Init != 0 && err == nil {
		u = withoutInit(u, g.Init)
	}
	if err != nil || g.has("cpuacct") && g.has("memory") && g.has("pids") {
		return u, err
	}
	pids, err := descendants(init)
	if err != nil {
		return u, err
	}
	var tree gpu.Usage
	tree.Pids = int64(len(pids))
	for _, pid := range pids {
		s, _ := readStat(pid)
		tree.CPU += time.Duration(s.ticks+s.reaped) * clockTick
		tree.Memory += s.rss // shared pages count more than once
	}
	s, _ := readStat(init)
	tree.CPU += time.Duration(s.reaped) * clockTick // those who have ended; its own time is ours, not theirs
	if !g.has("cpuacct") {
		u.CPU = tree.CPU
	}
	if !g.has("memory") {
		u.Memory = tree.Memory
	}
	if !g.has("pids") {
		u.Pids = tree.Pids
	}
	return u, nil
}

// withoutInit takes from what a group uses what its init does.
func withoutInit(u gpu.Usage, init int) gpu.Usage {
	s, ok := readStat(init)
	if !ok {
		return u
	}
	u.CPU = max(u.CPU-time.Duration(s.ticks)*clockTick, 0)
	u.Memory = max(u.Memory-anonymous(init), 0)
	u.Pids = max(u.Pids-int64(s.threads), 0)
	return u
}

// groupOf finds the cgroup that somebody else made for a process: mountinfo says where the hierarchies are mounted,
// /proc/PID/cgroup where in them the process is.
func groupOf(pid int) (group, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return group{}, err
	}
	groups, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return group{}, err
	}
	g, err := placeGroup(string(mounts), string(groups))
	g.Init = pid
	return g, err
}

func placeGroup(mountinfo, groups string) (group, error) {
	v1, unified, _ := hierarchies(mountinfo)
	g := group{Plan: cgroupPlan{V2: len(v1) == 0, Parents: map[string]string{}, Missing: map[string]string{}}}
	for line := range strings.Lines(groups) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		names, path, ok := strings.Cut(rest, ":")
		if !ok || path == "/" {
			continue
		}
		g.Name = filepath.Base(path)
		for _, c := range controllers {
			switch {
			case g.Plan.V2 && names == "" && unified != "":
				g.Plan.Parents[c] = filepath.Join(unified, filepath.Dir(path))
			case !g.Plan.V2 && slices.Contains(strings.Split(names, ","), c) && v1[c] != "":
				g.Plan.Parents[c] = filepath.Join(v1[c], filepath.Dir(path))
			}
		}
	}
	if g.Name == "" || len(g.Plan.Parents) == 0 {
		return g, errors.New("it is in no cgroup of its own")
	}
	for c, parent := range g.Plan.Parents {
		if _, err := os.Stat(filepath.Join(parent, g.Name)); err != nil {
			return g, fmt.Errorf("its cgroup of %s can't be seen from here: %w", c, err)
		}
	}
	return g, nil
}
