package process

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// fake makes files below a directory, as a cgroup file system would have them.
func fake(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func content(t *testing.T, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var limited = gpu.Spec{ID: "i", CPUMillis: 1500, MemoryBytes: 1 << 30, Pids: 100}

func TestVersion2GetsItsLimitsInItsOwnWords(t *testing.T) {
	root := fake(t, map[string]string{
		"cgroup.controllers": "cpuset cpu io memory pids\n", "cgroup.subtree_control": "", "meterhouse/cgroup.subtree_control": "",
		"meterhouse/_shims/cgroup.procs": "", "meterhouse/i/cgroup.procs": "", "meterhouse/i/cpu.max": "max 100000", "meterhouse/i/memory.max": "max",
		"meterhouse/i/memory.swap.max": "max", "meterhouse/i/pids.max": "max",
	})
	p := planCgroups("30 23 0:26 / "+root+" rw,nosuid - cgroup2 cgroup2 rw\n", "0::/user.slice\n")
	if !p.V2 || !p.has("cpu") || !p.has("memory") || !p.has("pids") || !p.has("freezer") {
		t.Fatalf("%+v", p)
	}
	delete(p.Parents, "devices") // needs a real one
	if err := p.create(limited, nil); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"cpu.max": "150000 100000", "memory.max": "1073741824", "memory.swap.max": "0", "pids.max": "100"} {
		if got := content(t, root, "meterhouse/i", file); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestVersion2WithoutAControllerSaysWhich(t *testing.T) {
	root := fake(t, map[string]string{
		"cgroup.controllers": "pids\n", "cgroup.subtree_control": "", "meterhouse/cgroup.subtree_control": "", "meterhouse/_shims/cgroup.procs": "",
	})
	p := planV2(root, "")
	if p.has("cpu") || p.has("memory") || !p.has("pids") || !strings.Contains(p.Missing["memory"], "memory") {
		t.Errorf("%+v", p)
	}
	if err := os.Remove(filepath.Join(root, "cgroup.subtree_control")); err != nil {
		t.Fatal(err)
	}
	if p := planV2(root, ""); p.has("pids") || !strings.Contains(p.Missing["pids"], "Delegate") {
		t.Errorf("not handed down: %+v", p)
	}
}

func TestVersion2FallsBackToItsOwnGroup(t *testing.T) {
	root := fake(t, map[string]string{
		"meterhouse": "a file, so that no group can be made here", "svc/cgroup.controllers": "cpu memory pids", "svc/cgroup.subtree_control": "",
		"svc/meterhouse/cgroup.subtree_control": "", "svc/meterhouse/_shims/cgroup.procs": "",
	})
	if p := planV2(root, "1:name=systemd:/x\n0::/svc\n"); p.Parents["memory"] != filepath.Join(root, "svc/meterhouse") {
		t.Errorf("%+v", p)
	}
}

func TestVersion1GetsItsLimitsInItsOwnWords(t *testing.T) {
	root := fake(t, map[string]string{
		"cpu,cpuacct/meterhouse/_shims/cgroup.procs": "", "memory/meterhouse/_shims/cgroup.procs": "", "pids dir/meterhouse/_shims/cgroup.procs": "",
		"cpu,cpuacct/meterhouse/i/cpu.cfs_quota_us": "-1", "cpu,cpuacct/meterhouse/i/cpu.cfs_period_us": "",
		"memory/meterhouse/i/memory.limit_in_bytes": "", "memory/meterhouse/i/memory.memsw.limit_in_bytes": "", "pids dir/meterhouse/i/pids.max": "max",
	})
	p := planCgroups("31 24 0:27 / "+root+"/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"+
		"32 24 0:28 / "+root+"/memory rw shared:9 - cgroup cgroup rw,memory\n"+
		"33 24 0:29 / "+root+`/pids\040dir rw - cgroup cgroup rw,pids`+"\n", "")
	if p.V2 || !p.has("cpu") || !p.has("cpuacct") || !p.has("pids") || p.has("freezer") || p.Missing["freezer"] == "" {
		t.Fatalf("%+v", p)
	}
	if n := len(p.dirs("i")); n != 3 {
		t.Errorf("%d groups, cpu and cpuacct are one", n)
	}
	if err := p.create(limited, nil); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"cpu,cpuacct/meterhouse/i/cpu.cfs_quota_us": "150000", "memory/meterhouse/i/memory.limit_in_bytes": "1073741824",
		"memory/meterhouse/i/memory.memsw.limit_in_bytes": "1073741824", "pids dir/meterhouse/i/pids.max": "100",
	} {
		if got := content(t, root, file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestUsageIsWhatCannotBeGivenBack(t *testing.T) {
	root := fake(t, map[string]string{
		"v2/i/cpu.stat": "usage_usec 1500000\nuser_usec 1\n", "v2/i/memory.stat": "anon 1000\nfile 5000\nshmem 20\n", "v2/i/memory.swap.current": "3\n",
		"v2/i/pids.current": "7\n", "v2/i/memory.events": "low 0\noom 2\noom_kill 1\n",
		"v1/i/cpuacct.usage": "2500000000\n", "v1/i/memory.stat": "cache 9\ntotal_rss 1000\ntotal_shmem 20\ntotal_swap 3\ntotal_cache 5000\n",
		"v1/i/pids.current": "8\n", "v1/i/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n",
	})
	for version, want := range map[string]gpu.Usage{"v1": {CPU: 2500 * time.Millisecond, Memory: 1023, Pids: 8}, "v2": {CPU: 1500 * time.Millisecond, Memory: 1023, Pids: 7}} {
		p := cgroupPlan{V2: version == "v2", Parents: map[string]string{}}
		for _, c := range controllers {
			p.Parents[c] = filepath.Join(root, version)
		}
		if u, err := p.usage("i"); err != nil || u != want {
			t.Errorf("%s: %+v, %v; want %+v", version, u, err, want)
		}
		if n := p.oomKills("i"); n != map[string]int64{"v1": 4, "v2": 1}[version] {
			t.Errorf("%s: %d kills", version, n)
		}
	}
}

// gpuMachine makes a /dev and a /proc with two NVIDIA GPUs.
func gpuMachine(t *testing.T) (dev, proc string) {
	t.Helper()
	root := fake(t, map[string]string{
		"proc/driver/nvidia/gpus/0000:3b:00.0/information": "Model: \t\t X\nGPU UUID:   \t GPU-one\nDevice Minor: \t 0\n",
		"proc/driver/nvidia/gpus/0000:5e:00.0/information": "Model: \t\t X\nGPU UUID:   \t GPU-two\nDevice Minor: \t 1\n",
		"dev/nvidia-caps/readme":                           "",
	})
	dev = filepath.Join(root, "dev")
	for name, number := range map[string]uint64{"nvidia0": unix.Mkdev(195, 0), "nvidia1": unix.Mkdev(195, 1), "nvidiactl": unix.Mkdev(195, 255), "nvidia-uvm": unix.Mkdev(507, 0), "nvidia-caps/nvidia-cap1": unix.Mkdev(508, 1)} {
		if err := unix.Mknod(filepath.Join(dev, name), unix.S_IFCHR|0o666, int(number)); err != nil {
			t.Skipf("device files can't be made here: %v", err)
		}
	}
	return dev, filepath.Join(root, "proc")
}

func TestOnlyTheGrantedGPUsFilesAreOpen(t *testing.T) {
	dev, proc := gpuMachine(t)
	for want, granted := range map[string][]string{
		"nvidia-uvm nvidia1 nvidiactl":         {"GPU-two"},
		"":                                     nil,
		" ":                                    {"SIM-no-such-file"},
		"nvidia-uvm nvidia0 nvidia1 nvidiactl": {"GPU-two", "GPU-one"},
	} {
		var open []string
		rules := gpuDevices(dev, proc, granted)
		for _, r := range rules {
			if r.allow {
				open = append(open, filepath.Base(r.path))
			}
		}
		slices.Sort(open)
		if got := strings.Join(open, " "); got != strings.TrimSpace(want) || len(rules) != 5 {
			t.Errorf("granted %v: open %q of %d", granted, got, len(rules))
		}
	}
	if lines := denials(gpuDevices(dev, proc, nil)); !slices.Contains(lines, "c 195:* rwm") || !slices.Contains(lines, "c 507:0 rwm") {
		t.Errorf("denied without a GPU: %q", lines)
	}
	if lines := denials(gpuDevices(dev, proc, []string{"GPU-two"})); slices.Contains(lines, "c 195:* rwm") || slices.Contains(lines, "c 195:1 rwm") || !slices.Contains(lines, "c 195:0 rwm") {
		t.Errorf("denied with one: %q", lines)
	}
}

// onV2 is an executor on the machine's version 2 hierarchy, whatever it has besides.
func onV2(t *testing.T, dir string) *Executor {
	t.Helper()
	mount := "/sys/fs/cgroup/unified"
	if _, err := os.Stat(mount); err != nil {
		mount = "/sys/fs/cgroup"
	}
	p := planV2(mount, "")
	if !p.has("freezer") {
		t.Skipf("no cgroup version 2 here: %s", p.Missing["freezer"])
	}
	e := open(t, dir)
	e.probe.Do(func() { e.level, e.why = probeLevel(t.Context(), e.binary); e.plan = p })
	t.Cleanup(func() { // the last shims are still ending
		for range 100 {
			if p.tidy(); os.MkdirAll(p.any(""), 0o755) == nil && os.Remove(p.any("")) == nil {
				return
			}
			time.Sleep(lookPause)
		}
	})
	return e
}

func TestTheDeviceFilterOfVersion2ClosesWhatIsNotGranted(t *testing.T) {
	e := onV2(t, t.TempDir())
	if !e.plan.has("devices") {
		t.Skip(e.plan.Missing["devices"])
	}
	// Files that any machine has stand in for GPUs: full and random are closed, null and zero stay open.
	dir, _ := start(t, e, gpu.Spec{ID: "filter", Command: "while ! [ -e go ]; do sleep 0.01; done; for d in null zero full random; do (: < /dev/$d) 2>&1 && echo $d; done"})
	rules := []deviceRule{{major: 1, minor: 7}, {major: 1, minor: 8}, {major: 1, minor: 3, allow: true}}
	if err := attachDeviceFilter(e.plan.any("filter"), rules); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, homeDir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Wait(t.Context(), "filter"); err != nil {
		t.Fatal(err)
	}
	got := content(t, dir, logFile)
	if !strings.HasPrefix(got, "null\nzero\n") || strings.Contains(got, "\nfull\n") || strings.Contains(got, "\nrandom\n") || !strings.Contains(got, "not permitted") {
		t.Errorf("%q", got)
	}
}

func TestAMaskedDeviceCannotBeOpened(t *testing.T) {
	e := open(t, t.TempDir())
	if e.Limits(t.Context()); e.level == levelPlain {
		t.Skip("needs namespaces")
	}
	for _, l := range slices.Compact([]level{e.level, levelUser}) {
		e.level = l
		e.mask = []string{"/dev/full"}
		got := output(t, e, gpu.Spec{ID: "mask-" + string(l), Command: "(: < /dev/null) && echo null; (: < /dev/full) 2>/dev/null && echo full; umount /dev/full 2>/dev/null; (: < /dev/full) 2>/dev/null && echo full"})
		if got != "null\n" {
			t.Errorf("%s: %q", l, got)
		}
	}
}

func TestAProcesssNameCannotFoolUs(t *testing.T) {
	s, ok := parseStat([]byte("42 (a) Z 1 (b) c) S 7 42 42 0 -1 4194560 100 0 0 0 3 4 5 6 20 0 1 0 999 1000000 250 18446744073709551615 1 1 0"))
	if !ok || s.parent != 7 || s.state != 'S' || s.ticks != 7 || s.reaped != 11 || s.start != 999 || s.rss != int64(250*os.Getpagesize()) {
		t.Errorf("%+v, %v", s, ok)
	}
	for _, b := range []string{"", "42", "42 (", "42 (a) S 1"} {
		if s, ok := parseStat([]byte(b)); ok {
			t.Errorf("%q: %+v", b, s)
		}
	}
}
