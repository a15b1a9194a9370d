package bench

import (
	"io/fs"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// environment reads what is on the machine. root is the root of its file system.
func environment(root fs.FS) Environment {
	cores := runtime.NumCPU()
	quota := cpuQuota(root)
	cache, _ := lastLevelCache(root)
	load, _ := strconv.ParseFloat(firstField(readText(root, "proc/loadavg")), 64)
	return Environment{
		CPUModel:     cpuModel(readText(root, "proc/cpuinfo")),
		Cores:        cores,
		Workers:      workers(min(cores, runtime.GOMAXPROCS(0)), quota),
		QuotaMillis:  quota,
		Governor:     readText(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		LoadAverage:  load,
		MemoryBytes:  memoryLeft(root),
		CacheBytes:   cache,
		HugePages:    chosen(readText(root, "sys/kernel/mm/transparent_hugepage/enabled")),
		Kernel:       readText(root, "proc/sys/kernel/osrelease"),
		GoVersion:    runtime.Version(),
		Architecture: architecture(),
		Vector:       vectorName(),
	}
}

// workers is how many threads can run all the time: whole cores within the quota, one at least.
func workers(cores int, quotaMillis int64) int {
	if quotaMillis > 0 {
		cores = min(cores, int(quotaMillis/1000))
	}
	return max(cores, 1)
}

// cpuModel is how /proc/cpuinfo names the first processor, on x86 and on others.
func cpuModel(cpuinfo string) string {
	for _, key := range []string{"model name", "Model", "cpu model", "CPU part"} {
		for line := range strings.Lines(cpuinfo) {
			name, value, ok := strings.Cut(line, ":")
			if ok && strings.TrimSpace(name) == key {
				return strings.TrimSpace(value)
			}
		}
	}
	return ""
}

// chosen is the word in brackets, which is how the kernel marks a setting's value.
func chosen(s string) string {
	_, s, _ = strings.Cut(s, "[")
	s, _, _ = strings.Cut(s, "]")
	return s
}

func firstField(s string) string {
	s, _, _ = strings.Cut(s, " ")
	return s
}

// architecture is what the kernels were compiled for: the level decides which instructions the compiler may use.
func architecture() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			if s.Key == "GOAMD64" {
				return runtime.GOARCH + "/" + s.Value
			}
		}
	}
	return runtime.GOARCH
}
