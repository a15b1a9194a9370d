package process

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/gpu"
)

// environ is all that an instance's programs find in their environment: nothing of the console's own gets in.
func (p place) environ(s gpu.Spec) []string {
	here := []string{"SHELL=" + shell(), "USER=" + p.user, "LOGNAME=" + p.user}
	return Environ(Surroundings{Home: p.home, Tools: p.tools, Notice: p.notice, Image: here}, s)
}

// Surroundings is where an instance's programs find themselves, as far as their environment tells them.
type Surroundings struct {
	Home   string
	Tools  string   // a directory of programs, "" where there is none
	Notice string   // the file that appears when the instance is reclaimed
	Image  []string // what is so in this image, KEY=value
}

// Environ returns the environment of an instance's programs, KEY=value: what its image says, what is so everywhere, what the
// person asked for, and what was granted.
func Environ(p Surroundings, s gpu.Spec) []string {
	path := "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	env := []string{"LANG=C.UTF-8", "PS1=$ "}
	for _, e := range p.Image {
		if own, ok := strings.CutPrefix(e, "PATH="); ok {
			path = own
		}
		env = append(env, e)
	}
	if p.Tools != "" {
		path += ":" + p.Tools
	}
	env = append(env, "PATH="+path, "HOME="+p.Home, "TERM=xterm-256color",
		"INSTANCE_ID="+s.ID, "INSTANCE_NAME="+s.Name, "METERHOUSE_NOTICE="+p.Notice)
	if s.CPUMillis > 0 {
		env = append(env, "OMP_NUM_THREADS="+strconv.Itoa(threads(s.CPUMillis, runtime.NumCPU())))
	}
	env = append(env, s.Env...)
	// After the person's own: these say what was granted, which is not for them to choose.
	visible := strings.Join(s.GPUs, ",")
	nvidia := visible
	if nvidia == "" {
		nvidia = "void"
	}
	env = append(env, "CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES="+visible, "NVIDIA_VISIBLE_DEVICES="+nvidia)
	return lastOfEach(env)
}

// threads is how many threads of work a quota has room for: a part of a core counts as one. The quota takes no processor
// away, so programs that count them would start more threads than can run, and wait for each other. OpenMP, MKL, OpenBLAS,
// PyTorch and nproc ask OMP_NUM_THREADS first; Go and Java read the quota itself.
func threads(cpuMillis int64, processors int) int {
	return min(int((cpuMillis+999)/1000), processors)
}

// lastOfEach keeps the last value of each name, as a shell would; what is no KEY=value is left out.
func lastOfEach(env []string) []string {
	last := map[string]int{}
	for i, e := range env {
		name, _, ok := strings.Cut(e, "=")
		if ok && name != "" && !strings.ContainsRune(e, 0) {
			last[name] = i
		}
	}
	var kept []string
	for i, e := range env {
		if name, _, _ := strings.Cut(e, "="); last[name] == i && strings.Contains(e, "=") && name != "" {
			kept = append(kept, e)
		}
	}
	return kept
}

// shell is what a terminal runs.
func shell() string {
	for _, s := range []string{"/bin/bash", "/usr/bin/bash"} {
		if _, err := os.Stat(s); err == nil {
			return s
		}
	}
	return "/bin/sh"
}

// bashrc makes the prompt short in a new home; it is the person's from then on.
const bashrc = "# Read by each terminal of this instance; change it as you like.\nPS1='\\h:\\w\\$ '\nalias ls='ls --color=auto'\n"
