package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/meterhouse/meterhouse/gpu/nvidia"
	"github.com/meterhouse/meterhouse/gpu/process"
	"github.com/meterhouse/meterhouse/gpu/volume"
)

// driverWait is how long a driver may take to list its GPUs.
const driverWait = 10 * time.Second

func (f *findings) system() {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		f.broken("system", "Meterhouse runs on Linux", "%v", err)
		return
	}
	f.ok("system", "Linux %s on %s, %d cores", unix.ByteSliceToString(name.Release[:]), runtime.GOARCH, runtime.NumCPU())
	if os.Getuid() != 0 {
		f.warn("user", "run the console as root, so that instances get their own user, cgroup and namespaces", "runs as user %d, not as root", os.Getuid())
		return
	}
	f.ok("user", "root")
}

// limits asks the executor what this machine enforces; its own directory is a throw-away one.
func (f *findings) limits(ctx context.Context, engine string) {
	f.cgroups()
	dir, err := os.MkdirTemp("", "meterhouse-doctor-")
	if err != nil {
		f.broken("limits", "make room in the directory for temporary files", "%v", err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }() // a leftover empty directory harms nobody
	binary, err := os.Executable()
	var images process.Enclosure
	if err == nil {
		images, _, err = openEngine(engine, binary)
	}
	var executor *process.Executor
	if err == nil {
		executor, err = process.New(process.Config{Dir: dir, Now: time.Now, Images: images})
	}
	if err != nil {
		f.broken("limits", "", "%v", err)
		return
	}
	for _, l := range append(executor.Limits(ctx), volume.Limit()) {
		if l.Enforced {
			f.ok("limit "+l.Name, "enforced: %s", l.Detail)
			continue
		}
		f.warn("limit "+l.Name, "", "not enforced: %s", l.Detail)
	}
}

func (f *findings) cgroups() {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		f.warn("cgroups", "mount /proc", "%v", err)
		return
	}
	var v1 []string
	v2 := ""
	for line := range strings.Lines(string(mounts)) {
		part := strings.Fields(line)
		if len(part) < 3 {
			continue
		}
		switch part[2] {
		case "cgroup":
			v1 = append(v1, filepath.Base(part[1]))
		case "cgroup2":
			v2 = part[1]
		}
	}
	switch {
	case len(v1) > 0:
		f.ok("cgroups", "version 1 (%s)", strings.Join(v1, ", "))
	case v2 != "":
		f.ok("cgroups", "version 2 at %s", v2)
	default:
		f.warn("cgroups", "mount cgroup2 at /sys/fs/cgroup", "none mounted: no limit can be enforced")
	}
}

func (f *findings) driver(ctx context.Context) {
	source, err := nvidia.Open(nvidia.Config{Now: time.Now})
	if errors.Is(err, nvidia.ErrNoDriver) {
		f.warn("NVIDIA driver", "install NVIDIA's driver to rent out its GPUs; --demo shows simulated ones", "%v", err)
		return
	}
	if err != nil {
		f.broken("NVIDIA driver", "look at what nvidia-smi says", "%v", err)
		return
	}
	defer func() { _ = source.Close() }() // a driver that hangs has been reported already
	ctx, cancel := context.WithTimeout(ctx, driverWait)
	defer cancel()
	devices, err := source.Devices(ctx)
	if err != nil {
		f.broken("NVIDIA driver", "look at what nvidia-smi says; versions that differ need a reboot or a reload of the driver", "%v", err)
		return
	}
	f.ok("NVIDIA driver", "%d GPUs", len(devices))
	for _, d := range devices {
		f.ok("GPU", "%s %s, driver %s", d.Model, d.UUID, d.Driver)
	}
}
