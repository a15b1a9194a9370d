package gputest

import (
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

var limitTests = map[string]func(*testing.T, *rig){
	"LimitsSaysHowOrWhyNot":            limitsSay,
	"TheMemoryLimitKillsAndSaysSo":     memoryLimit,
	"TheCPUQuotaHolds":                 cpuQuota,
	"ProgramsAreToldHowManyThreadsFit": threadsFit,
	"UsageCountsMemoryAndProcesses":    usageCounts,
	"TheDiskLimitLeavesRoomToWork":     diskRoom,
}

func limitsSay(t *testing.T, r *rig) {
	said := map[string]bool{}
	for _, l := range r.Limits(r.ctx) {
		said[l.Name] = true
		if l.Detail == "" {
			t.Errorf("%s: enforced %v, and no word how or why not", l.Name, l.Enforced)
		}
		t.Logf("%s: %v, %s", l.Name, l.Enforced, l.Detail)
	}
	for _, name := range []string{"cpu", "memory", "pids", "disk", "devices", "namespaces", "user", "sockets", "egress"} {
		if !said[name] {
			t.Errorf("nothing is said of %s", name)
		}
	}
}

func memoryLimit(t *testing.T, r *rig) {
	r.need("memory")
	s := r.run(gpu.Spec{Command: "dd if=/dev/zero of=/dev/null bs=512M count=1", MemoryBytes: 64 << 20})
	if !s.Exit.OOM || s.Exit.Code != 137 {
		t.Errorf("exit %+v", s.Exit)
	}
	r.end(r.id)
	if s := r.run(gpu.Spec{Command: "dd if=/dev/zero of=/dev/null bs=1M count=1; kill -9 $$", MemoryBytes: 64 << 20}); s.Exit.OOM {
		t.Errorf("killed by itself, and the memory limit is blamed: %+v", s.Exit)
	}
}

// memoryBomb has a part of an instance take memory without end, beside a neighbour with the same limit.
func memoryBomb(t *testing.T, r *rig) {
	r.need("memory")
	const limit = 64 << 20
	neighbour := r.beside(gpu.Spec{Command: "x=$(head -c 20000000 /dev/zero | tr '\\0' x); echo ready; while :; do sleep 0.05; done", MemoryBytes: limit})
	s := r.run(gpu.Spec{Command: `echo before; tail /dev/zero & bomb=$!; wait $bomb; code=$?; echo "the bomb: $code"; exit $code`, MemoryBytes: limit})
	if !s.Exit.OOM || s.Exit.Code != 137 {
		t.Errorf("exit %+v, want to hear of the memory limit", s.Exit)
	}
	// Between them the shell may say that it was killed.
	if text, _ := r.log(0); !strings.HasPrefix(text, "before\n") || !strings.HasSuffix(text, "the bomb: 137\n") {
		t.Errorf("log %q: more than the bomb was ended", text)
	}
	if s, err := r.State(r.ctx, neighbour); err != nil || s.Phase != gpu.PhaseRunning {
		t.Errorf("the neighbour: %+v, %v", s, err)
	}
	exit, err := r.Exec(r.ctx, neighbour, gpu.ExecRequest{Argv: []string{"/bin/sh", "-c", "exit 5"}})
	if err != nil || exit.Code != 5 {
		t.Errorf("the neighbour does not work on: %+v, %v", exit, err)
	}
}

func threadsFit(t *testing.T, r *rig) {
	s := r.run(gpu.Spec{Command: `echo "$OMP_NUM_THREADS"`, CPUMillis: 600})
	if text, _ := r.log(0); s.Exit.Code != 0 || text != "1\n" {
		t.Errorf("exit %+v, log %q", s.Exit, text)
	}
	r.end(r.id)
	s = r.run(gpu.Spec{Command: `exit $OMP_NUM_THREADS`, CPUMillis: 600, Env: []string{"OMP_NUM_THREADS=7"}})
	if s.Exit.Code != 7 {
		t.Errorf("the person's own value does not count: exit %+v", s.Exit)
	}
}

func forkBomb(t *testing.T, r *rig) {
	r.need("pids")
	const limit = 24
	r.start(gpu.Spec{Command: `i=0; while [ $i -lt 200 ]; do sleep 1000 & i=$((i+1)); done; wait`, Pids: limit})
	most := int64(0)
	r.until("the bomb failed", func() bool {
		u, err := r.Usage(r.ctx, r.id)
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, u.Pids)
		s, err := r.State(r.ctx, r.id)
		return err != nil || s.Phase == gpu.PhaseExited
	})
	if most > limit {
		t.Errorf("%d processes, the limit is %d", most, limit)
	}
	if text, _ := r.log(0); !strings.Contains(strings.ToLower(text), "fork") {
		t.Errorf("nobody was refused a process: log %q", text)
	}
}

func cpuQuota(t *testing.T, r *rig) {
	r.need("cpu")
	r.start(gpu.Spec{Command: `while :; do :; done & while :; do :; done`, CPUMillis: 200})
	used := func() time.Duration {
		u, err := r.Usage(r.ctx, r.id)
		if err != nil {
			t.Fatal(err)
		}
		return u.CPU
	}
	r.until("it works", func() bool { return used() > 50*time.Millisecond })
	from, before := used(), time.Now()
	time.Sleep(1500 * time.Millisecond) // long enough for many periods of the quota
	share := float64(used()-from) / float64(time.Since(before))
	if share > 0.3 {
		t.Errorf("it got %.2f cores, its limit is 0.2", share)
	}
}

func noGPU(t *testing.T, r *rig) {
	s := r.run(gpu.Spec{Command: `for d in /dev/nvidia[0-9]* /dev/dri/render*; do [ -e "$d" ] || continue; (: < "$d") 2>/dev/null && echo "opened $d"; done; echo "visible: $CUDA_VISIBLE_DEVICES."`})
	text, _ := r.log(0)
	if s.Exit.Code != 0 || !strings.HasSuffix(text, "visible: .\n") {
		t.Errorf("exit %+v, log %q", s.Exit, text)
	}
	if strings.Contains(text, "opened") {
		r.need("devices")
		t.Errorf("log %q", text)
	}
}

func cleanEnvironment(t *testing.T, r *rig) {
	s := r.run(gpu.Spec{Command: `env; cd && pwd && touch here && ls; touch /tmp/there; exit $MINE`, Env: []string{"MINE=6", "CUDA_VISIBLE_DEVICES=all"}, GPUs: []string{"GPU-a", "GPU-b"}})
	text, _ := r.log(0)
	if s.Exit.Code != 6 || !strings.Contains(text, "\nhere\n") {
		t.Errorf("exit %+v; log %q", s.Exit, text)
	}
	if strings.Contains(text, secret) {
		t.Errorf("the console's environment leaks: %q", text)
	}
	for _, line := range []string{"CUDA_VISIBLE_DEVICES=GPU-a,GPU-b", "TERM=xterm-256color", "CUDA_DEVICE_ORDER=PCI_BUS_ID", "MINE=6"} {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("no line %q in %q", line, text)
		}
	}
}

func usageCounts(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: `sleep 1000 & sleep 1000 & x=$(head -c 20000000 /dev/zero | tr '\0' x); echo ready; wait`})
	r.await("ready")
	u, err := r.Usage(r.ctx, r.id)
	if err != nil {
		t.Fatal(err)
	}
	if u.Pids < 3 || u.Pids > 8 || u.Memory < 20e6 || u.Memory > 200e6 || u.CPU <= 0 {
		t.Errorf("%+v", u)
	}
}

// diskBomb writes on after its limit, in places that are easily overlooked.
func diskBomb(t *testing.T, r *rig) {
	r.need("disk")
	const limit = 8 << 20
	neighbour := r.beside(gpu.Spec{Command: "echo ready; while :; do sleep 0.05; done", DiskBytes: limit})
	for _, where := range []string{"~/bomb", "/tmp/bomb"} {
		s := r.run(gpu.Spec{Command: `trap '' TERM; d=` + where + `; mkdir $d; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); head -c 1000000 /dev/zero > $d/$i; sleep 0.05; done`, DiskBytes: limit})
		if s.Exit.Code == 0 || !strings.Contains(s.Exit.Err, "disk") {
			t.Errorf("%s: exit %+v, want to hear of the disk limit", where, s.Exit)
		}
		r.end(r.id)
	}
	if s, err := r.State(r.ctx, neighbour); err != nil || s.Phase != gpu.PhaseRunning {
		t.Errorf("the neighbour: %+v, %v", s, err)
	}
}

func diskRoom(t *testing.T, r *rig) {
	s := r.run(gpu.Spec{Command: `head -c 4000000 /dev/zero > ~/half; sleep 1.5; ls -s ~/half > /dev/null; exit 3`, DiskBytes: 8 << 20})
	if s.Exit.Code != 3 || s.Exit.Err != "" {
		t.Errorf("exit %+v", s.Exit)
	}
}
