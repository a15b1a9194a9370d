package bench

import (
	"slices"
	"testing"
	"testing/fstest"
	"time"
)

// files makes a file system of names and texts.
func files(pairs ...string) fstest.MapFS {
	root := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		root[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return root
}

func TestTheTightestLimitAboveTheProcessCounts(t *testing.T) {
	cases := []struct {
		name   string
		root   fstest.MapFS
		quota  int64
		memory int64
	}{
		{"nothing told", files(), 0, 0},
		{"no limits", files("proc/self/cgroup", "0::/\n", "proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    2048 kB\n"), 0, 2 << 20},
		{"version 2", files("proc/self/cgroup", "0::/a/b\n",
			"sys/fs/cgroup/a/cpu.max", "150000 100000\n", "sys/fs/cgroup/a/b/cpu.max", "max 100000\n",
			"sys/fs/cgroup/a/memory.max", "1000000\n", "sys/fs/cgroup/a/memory.current", "400000\n",
			"sys/fs/cgroup/a/b/memory.max", "max\n", "proc/meminfo", "MemAvailable: 2048 kB\n"), 1500, 600000},
		{"version 1", files("proc/self/cgroup", "4:memory:/x\n3:cpu,cpuacct:/x\n0::/\n",
			"sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "50000\n", "sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes", "5000\n", "sys/fs/cgroup/memory/x/memory.usage_in_bytes", "6000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"), 500, 1},
		{"a container sees its own limits at the top", files("proc/self/cgroup", "0::/elsewhere/c\n", "sys/fs/cgroup/cpu.max", "200000 100000\n"), 2000, 0},
		{"garbage", files("proc/self/cgroup", "what\n::\n", "sys/fs/cgroup/cpu.max", "x y z\n", "sys/fs/cgroup/memory.max", "-3\n"), 0, 0},
	}
	for _, c := range cases {
		if got := cpuQuota(c.root); got != c.quota {
			t.Errorf("%s: quota %d, want %d", c.name, got, c.quota)
		}
		if got := memoryLeft(c.root); got != c.memory {
			t.Errorf("%s: memory %d, want %d", c.name, got, c.memory)
		}
	}
}

func TestWorkersStayWithinTheQuota(t *testing.T) {
	for _, c := range []struct {
		cores int
		quota int64
		want  int
	}{{8, 0, 8}, {8, 1500, 1}, {8, 2000, 2}, {8, 500, 1}, {2, 64000, 2}} {
		if got := workers(c.cores, c.quota); got != c.want {
			t.Errorf("%d cores, quota %d: %d workers", c.cores, c.quota, got)
		}
	}
}

func TestEachLastLevelCacheIsCountedOnce(t *testing.T) {
	const cpu = "sys/devices/system/cpu/"
	root := files(
		cpu+"cpu0/cache/index0/level", "1", cpu+"cpu0/cache/index0/size", "32K", cpu+"cpu0/cache/index0/shared_cpu_list", "0",
		cpu+"cpu0/cache/index3/level", "3", cpu+"cpu0/cache/index3/size", "16384K", cpu+"cpu0/cache/index3/shared_cpu_list", "0-1",
		cpu+"cpu1/cache/index3/level", "3", cpu+"cpu1/cache/index3/size", "16384K", cpu+"cpu1/cache/index3/shared_cpu_list", "0-1",
		cpu+"cpu2/cache/index3/level", "3", cpu+"cpu2/cache/index3/size", "16M", cpu+"cpu2/cache/index3/shared_cpu_list", "2-3",
		cpu+"cpu2/cache/index2/level", "2", cpu+"cpu2/cache/index2/size", "1M", cpu+"cpu2/cache/index2/shared_cpu_list", "2",
	)
	if got, known := lastLevelCache(root); got != 32<<20 || !known {
		t.Error(got, known)
	}
	if got, known := lastLevelCache(files()); got != 0 || known {
		t.Error("unknown is", got, known)
	}
}

func TestTheProcessorIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"processor\t: 0\nmodel\t\t: 2\nmodel name\t: AMD EPYC\nmodel name\t: other\n": "AMD EPYC",
		"processor: 0\nModel\t: Raspberry Pi 5\n":                                     "Raspberry Pi 5",
		"": "",
	} {
		if got := cpuModel(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := chosen("always [madvise] never"); got != "madvise" {
		t.Error(got)
	}
}

func TestOnlyOthersCountAsOtherLoad(t *testing.T) {
	before := loadReading{known: true, total: 10_000, busy: 5_000, own: time.Second}
	after := func(total, busy, steal int64, own time.Duration, throttled int64) loadReading {
		return loadReading{known: true, total: 10_000 + total, busy: 5_000 + busy, steal: steal, own: time.Second + own, throttled: throttled}
	}
	cases := []struct {
		name string
		then loadReading
		want disturbance
	}{
		{"alone", after(1000, 500, 0, 5*time.Second, 0), disturbance{known: true}},
		{"one other", after(1000, 600, 0, 5*time.Second, 0), disturbance{known: true, other: 0.1}},
		{"noise of ticks", after(10, 2, 2, 0, 0), disturbance{known: true}},
		{"stolen", after(1000, 0, 50, 0, 0), disturbance{known: true, steal: 0.05}},
		{"held back", after(1000, 0, 0, 0, 1), disturbance{known: true, throttled: true}},
		{"no time passed", after(0, 0, 0, 0, 0), disturbance{}},
		{"not told", loadReading{}, disturbance{}},
	}
	for _, c := range cases {
		if got := c.then.since(before); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestLoadIsReadFromTheKernelsFiles(t *testing.T) {
	r := readLoad(files("proc/stat", "cpu  10 20 30 400 50 6 7 8 9 9\ncpu0 1 1\n",
		"proc/self/cgroup", "0::/a\n", "sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_throttled 3\nthrottled_usec 9\n",
		"sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "4\n"))
	if !r.known || r.total != 531 || r.busy != 73 || r.steal != 8 || r.throttled != 7 {
		t.Errorf("%+v", r)
	}
	if r := readLoad(files("proc/stat", "cpu 1 2\n")); r.known {
		t.Errorf("half a line is known: %+v", r)
	}
}

func TestTheSizeFitsTheMemoryAndTheCaches(t *testing.T) {
	const usual = usualStreamBytes / streamArrays / streamElement
	cases := []struct {
		name    string
		request Request
		env     Environment
		size    int
		notes   []Note
		flaws   []Reason
		fails   bool
	}{
		{"usual", Request{Suite: SuiteStream}, Environment{MemoryBytes: 8 << 30, CacheBytes: 32 << 20}, usual, nil, nil, false},
		{"large caches", Request{Suite: SuiteStream}, Environment{MemoryBytes: 8 << 30, CacheBytes: 100 << 20}, 4 * 100 << 20 / 8, nil, nil, false},
		{"very large caches", Request{Suite: SuiteStream}, Environment{MemoryBytes: 8 << 30, CacheBytes: 512 << 20}, 2 << 30 / 24, nil, []Reason{ReasonInCache}, false},
		{"cache unknown", Request{Suite: SuiteStream}, Environment{MemoryBytes: 8 << 30}, usual, []Note{NoteCacheUnknown}, nil, false},
		{"memory unknown", Request{Suite: SuiteStream}, Environment{CacheBytes: 1 << 20}, usual, nil, nil, false},
		{"little memory", Request{Suite: SuiteStream}, Environment{MemoryBytes: 400_000_000, CacheBytes: 1 << 20}, 10_000_000, []Note{NoteSizeShrunk}, nil, false},
		{"asked for, in cache", Request{Suite: SuiteStream, Size: 1 << 20}, Environment{MemoryBytes: 8 << 30, CacheBytes: 32 << 20}, 1 << 20, nil, []Reason{ReasonInCache}, false},
		{"no memory", Request{Suite: SuiteStream}, Environment{MemoryBytes: 20_000, CacheBytes: 1 << 20}, 0, nil, nil, true},
		{"matmul", Request{Suite: SuiteMatmul}, Environment{MemoryBytes: 1 << 30}, usualMatmulSize, nil, nil, false},
		{"matmul asked for", Request{Suite: SuiteMatmul, Size: 300}, Environment{}, 300, nil, nil, false},
		{"matmul, little memory", Request{Suite: SuiteMatmul}, Environment{MemoryBytes: 64 << 20}, 512, []Note{NoteSizeShrunk}, nil, false},
		{"matmul, no memory", Request{Suite: SuiteMatmul}, Environment{MemoryBytes: 1000}, 0, nil, nil, true},
	}
	for _, c := range cases {
		p, err := decide(c.request, c.env)
		if (err != nil) != c.fails {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil && (p.size != c.size || !slices.Equal(p.notes, c.notes) || !slices.Equal(p.flaws, c.flaws)) {
			t.Errorf("%s: size %d (want %d), notes %v, flaws %v", c.name, p.size, c.size, p.notes, p.flaws)
		}
	}
}
