package podman

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/process"
	"golang.org/x/sys/unix"
)

// spec is the part of podman's SpecGenerator that is used (pkg/specgen).
type spec struct {
	Name       string            `json:"name"`
	Image      string            `json:"image"`
	Entrypoint []string          `json:"entrypoint"`
	Command    []string          `json:"command"`
	Env        map[string]string `json:"env"`
	EnvHost    bool              `json:"env_host"`
	HTTPProxy  bool              `json:"httpproxy"`
	Labels     map[string]string `json:"labels"`
	Hostname   string            `json:"hostname"`
	User       string            `json:"user"`
	WorkDir    string            `json:"work_dir"`

	Mounts      []mount    `json:"mounts"`
	ImageVolume string     `json:"image_volume_mode"`
	Devices     []device   `json:"devices,omitempty"`
	ShmSize     *int64     `json:"shm_size,omitempty"`
	UserNS      namespace  `json:"userns"`
	IDMappings  idmappings `json:"idmappings"`
	NetNS       namespace  `json:"netns"`

	Networks map[string]struct{} `json:"Networks,omitempty"`

	ReadOnly        bool              `json:"read_only_filesystem,omitempty"`
	NoNewPrivileges bool              `json:"no_new_privileges"`
	CapDrop         []string          `json:"cap_drop"`
	Limits          limits            `json:"resource_limits"`
	RLimits         []rlimit          `json:"r_limits"`
	StorageOpts     map[string]string `json:"storage_opts,omitempty"`
	Health          health            `json:"healthconfig"`
	Log             logging           `json:"log_configuration"`
}

type mount struct {
	Type        string   `json:"type"`
	Source      string   `json:"source"`
	Destination string   `json:"destination"`
	Options     []string `json:"options"`
}

type device struct {
	Path string `json:"path"`
}

type namespace struct {
	Mode string `json:"nsmode"`
}

type idmappings struct {
	HostUIDMapping bool
	HostGIDMapping bool
	UIDMap         []idmap
	GIDMap         []idmap
}

type idmap struct {
	ContainerID int `json:"container_id"`
	HostID      int `json:"host_id"`
	Size        int `json:"size"`
}

type limits struct {
	CPU    cpuLimit    `json:"cpu"`
	Memory memoryLimit `json:"memory"`
	Pids   pidsLimit   `json:"pids"`
}

type cpuLimit struct {
	Quota  int64  `json:"quota,omitempty"`
	Period uint64 `json:"period,omitempty"`
}

type memoryLimit struct {
	Limit int64 `json:"limit,omitempty"`
	Swap  int64 `json:"swap,omitempty"` // memory and swap together
}

type pidsLimit struct {
	Limit int64 `json:"limit,omitempty"`
}

type rlimit struct {
	Type string `json:"type"`
	Soft uint64 `json:"soft"`
	Hard uint64 `json:"hard"`
}

type health struct {
	Test []string `json:"Test"`
}

type logging struct {
	Driver string `json:"driver"`
}

const (
	// insideDir is where an instance finds what is ours; its notice lies there.
	insideDir = "/run/meterhouse"
	initFile  = "init"
	toolsDir  = "bin"
	// home is where a person's directory is in an instance, as it is without an image.
	home = "/home/work"
)

// describe says to the engine what an instance is.
func (p plan) describe(o process.Order) spec {
	s := spec{
		Name: nameOf(o.Spec.ID), Image: p.Image,
		Entrypoint: []string{filepath.Join(insideDir, initFile)}, Command: []string{},
		Env:    map[string]string{},
		Labels: map[string]string{label: nameOf(o.Spec.ID)}, Hostname: process.HostName(o.Spec),
		User: "0:0", WorkDir: "/",
		ImageVolume: "ignore", // an image's volume would be one more thing to be deleted and limited
		UserNS:      namespace{"private"},
		IDMappings:  idmappings{UIDMap: []idmap{{0, o.FirstUser, o.Users()}}, GIDMap: []idmap{{0, o.FirstUser, o.Users()}}},
		NetNS:       namespace{"none"},

		NoNewPrivileges: true, CapDrop: []string{"CAP_MKNOD", "CAP_NET_RAW", "CAP_AUDIT_WRITE", "CAP_SYS_CHROOT", "CAP_SETPCAP", "CAP_SETFCAP"},
		Limits: limitsOf(o.Spec), RLimits: rlimits(),
		Health: health{[]string{"NONE"}}, Log: logging{"k8s-file"},
	}
	if half := o.Spec.MemoryBytes / 2; half > 0 { // the kernel's own default; podman's is 64 MB, which stops data loaders
		s.ShmSize = &half
	}
	s.Mounts = []mount{
		// As runc makes it, but for max: the machine's terminals are for all.
		{"devpts", "devpts", "/dev/pts", []string{"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "max=" + strconv.Itoa(process.MaxTerminals)}},
		{"bind", o.Home(), home, []string{"rw", "rbind", "nosuid", "nodev"}},
		{"bind", o.Run(), insideDir, []string{"ro", "rbind", "nosuid", "nodev"}},
		{"bind", p.Init, filepath.Join(insideDir, initFile), []string{"ro", "bind", "nosuid", "nodev"}},
	}
	tools := p.tools(o)
	for _, t := range slices.Sorted(maps.Keys(tools)) {
		s.Mounts = append(s.Mounts, mount{"bind", tools[t], t, []string{"ro", "bind", "nosuid", "nodev"}})
	}
	for _, m := range o.Spec.Mounts {
		way := "rw"
		if m.ReadOnly {
			way = "ro"
		}
		s.Mounts = append(s.Mounts, mount{"bind", m.Source, m.Target, []string{way, "rbind", "nosuid", "nodev"}})
	}
	for _, d := range p.Devices {
		s.Devices = append(s.Devices, device{d})
	}
	if p.Network {
		s.NetNS = namespace{"bridge"}
		s.Networks = map[string]struct{}{s.Name: {}}
	}
	return s
}

// tools returns where each program of ours is inside, and where on the machine.
func (p plan) tools(o process.Order) map[string]string {
	all := map[string]string{}
	for _, t := range o.Tools {
		all[filepath.Join(insideDir, toolsDir, filepath.Base(t))] = t
	}
	if len(o.Spec.Argv) > 0 {
		all[p.program(o.Spec)] = o.Spec.Argv[0]
	}
	return all
}

// program is where Argv[0], a program of the machine, is found inside.
func (p plan) program(s gpu.Spec) string {
	if len(s.Argv) == 0 {
		return ""
	}
	return filepath.Join(insideDir, toolsDir, filepath.Base(s.Argv[0]))
}

func limitsOf(s gpu.Spec) (l limits) {
	if s.CPUMillis > 0 {
		l.CPU = cpuLimit{Quota: process.CPUQuota(s.CPUMillis), Period: process.CPUPeriod}
	}
	if s.MemoryBytes > 0 {
		l.Memory = memoryLimit{Limit: s.MemoryBytes + process.InitBytes, Swap: s.MemoryBytes + process.InitBytes}
	}
	if s.Pids > 0 {
		l.Pids.Limit = s.Pids + process.InitThreads
	}
	return l
}

// rlimits are what this process may give: an engine that may raise limits does no harm with less, and one that may not, as in
// a container without CAP_SYS_RESOURCE, could not start with more. Podman lowers its own number of processes to 32,768, what PIDs
// go up to by default; a plan's limit of pids is the one that counts.
func rlimits() (all []rlimit) {
	for _, l := range []struct {
		name  string
		which int
		most  uint64
	}{{"nofile", unix.RLIMIT_NOFILE, 1 << 20}, {"nproc", unix.RLIMIT_NPROC, 1 << 15}} {
		var own unix.Rlimit
		if err := unix.Getrlimit(l.which, &own); err == nil {
			all = append(all, rlimit{l.name, min(own.Max, l.most), min(own.Max, l.most)})
		}
	}
	return all
}

// makeMountpoints makes what the mounts into the run directory are bound to: it is closed to changes inside, also to the engine's.
func makeMountpoints(p plan, o process.Order) error {
	files := []string{initFile}
	for t := range p.tools(o) {
		files = append(files, strings.TrimPrefix(t, insideDir+"/"))
	}
	if err := os.MkdirAll(filepath.Join(o.Run(), toolsDir), 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(o.Run(), f), nil, 0o755); err != nil {
			return err
		}
	}
	return nil
}
