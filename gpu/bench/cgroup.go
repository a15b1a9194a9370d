package bench

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// cgroups are the directories that hold a controller's limits for this process: its own first, then each one above it,
// because a limit holds for everything below. Paths are relative to the root of the file system that is read.
func cgroups(root fs.FS, controller string) (dirs []string, v2 bool) {
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	unified := ""
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		if fields[1] == "" {
			unified = fields[2]
		}
		for name := range strings.SplitSeq(fields[1], ",") {
			if name == controller {
				return upwards("sys/fs/cgroup/"+controller, fields[2]), false
			}
		}
	}
	return upwards("sys/fs/cgroup", unified), true
}

func upwards(mount, group string) []string {
	var dirs []string
	for at := path.Clean("/" + group); ; at = path.Dir(at) {
		dirs = append(dirs, path.Join(mount, at))
		if at == "/" {
			return dirs
		}
	}
}

// cpuQuota is the least quota above this process in thousandths of a core; 0: none.
func cpuQuota(root fs.FS) int64 {
	dirs, v2 := cgroups(root, "cpu")
	least := int64(0)
	for _, dir := range dirs {
		var quota, period int64
		if v2 {
			fields := strings.Fields(readText(root, dir+"/cpu.max"))
			if len(fields) != 2 {
				continue
			}
			quota, period = number(fields[0]), number(fields[1])
		} else {
			quota, period = number(readText(root, dir+"/cpu.cfs_quota_us")), number(readText(root, dir+"/cpu.cfs_period_us"))
		}
		if quota <= 0 || period <= 0 {
			continue
		}
		if millis := quota * 1000 / period; least == 0 || millis < least {
			least = millis
		}
	}
	return least
}

// cpuThrottled counts how often a quota above this process has held it back; known is false where nothing is told.
func cpuThrottled(root fs.FS) (times int64, known bool) {
	dirs, _ := cgroups(root, "cpu")
	for _, dir := range dirs {
		for line := range strings.Lines(readText(root, dir+"/cpu.stat")) {
			if value, ok := strings.CutPrefix(line, "nr_throttled "); ok {
				times += number(value)
				known = true
			}
		}
	}
	return times, known
}

// memoryLeft is how many bytes this process may still take: the least that a cgroup above it or the machine has left.
// 0: nothing is told.
func memoryLeft(root fs.FS) int64 {
	left := memoryAvailable(readText(root, "proc/meminfo"))
	limitFile, usageFile := "/memory.max", "/memory.current"
	dirs, v2 := cgroups(root, "memory")
	if !v2 {
		limitFile, usageFile = "/memory.limit_in_bytes", "/memory.usage_in_bytes"
	}
	for _, dir := range dirs {
		limit, used := number(readText(root, dir+limitFile)), number(readText(root, dir+usageFile))
		if limit <= 0 {
			continue
		}
		if free := max(limit-used, 1); left == 0 || free < left {
			left = free
		}
	}
	return left
}

func memoryAvailable(meminfo string) int64 {
	for line := range strings.Lines(meminfo) {
		if value, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			return number(strings.TrimSuffix(strings.TrimSpace(value), " kB")) << 10
		}
	}
	return 0
}

// readText is a file's text without the space around it; "" if it can not be read, which these files often can not.
func readText(root fs.FS, name string) string {
	text, _ := fs.ReadFile(root, name)
	return strings.TrimSpace(string(text))
}

// number is 0 for what is no number, such as "max".
func number(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
