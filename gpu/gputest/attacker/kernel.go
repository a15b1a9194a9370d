package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// mounts tries to see other files, or to write where it may only read, by changing the mounts.
func mounts(target) []attempt {
	undo := func(err error, at string) error {
		if err == nil {
			_ = unix.Unmount(at, unix.MNT_DETACH)
		}
		return err
	}
	at := "/tmp"
	return []attempt{
		{"mount tmpfs", func() error { return undo(unix.Mount("tmpfs", at, "tmpfs", 0, ""), at) }},
		{"mount proc", func() error { return undo(unix.Mount("proc", at, "proc", 0, ""), at) }},
		{"mount sysfs", func() error { return undo(unix.Mount("sysfs", at, "sysfs", 0, ""), at) }},
		{"mount cgroup", func() error { return undo(unix.Mount("cgroup2", at, "cgroup2", 0, ""), at) }},
		{"bind", func() error { return undo(unix.Mount("/", at, "", unix.MS_BIND|unix.MS_REC, ""), at) }},
		{"remount for writing", func() error { return unix.Mount("", "/run/meterhouse", "", unix.MS_BIND|unix.MS_REMOUNT, "") }},
		{"remount with devices", func() error { return unix.Mount("", "/home/work", "", unix.MS_BIND|unix.MS_REMOUNT, "") }},
		{"umount /proc", func() error { return unix.Unmount("/proc", unix.MNT_DETACH) }},
		{"umount /tmp", func() error { return unix.Unmount("/tmp", unix.MNT_DETACH) }},
		{"umount the home", func() error { return unix.Unmount("/home/work", unix.MNT_DETACH) }},
		{"pivot", func() error { return unix.PivotRoot("/tmp", "/tmp") }},
		{"chroot", func() error { return unix.Chroot("/tmp") }},
		{"open_tree", func() error {
			fd, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE)
			return closed(fd, err)
		}},
		{"fsopen", func() error {
			fd, err := unix.Fsopen("tmpfs", 0)
			return closed(fd, err)
		}},
	}
}

func closed(fd int, err error) error {
	if err == nil {
		_ = unix.Close(fd)
	}
	return err
}

// devices tries to make device files and to open the machine's disks, memory and log.
func devices(target) (all []attempt) {
	for _, d := range []struct {
		name         string
		kind         uint32
		major, minor uint32
	}{
		{"a disk", unix.S_IFBLK, 8, 0}, {"a virtual disk", unix.S_IFBLK, 254, 0}, {"a loop", unix.S_IFBLK, 7, 0},
		{"memory", unix.S_IFCHR, 1, 1}, {"the kernel's log", unix.S_IFCHR, 1, 11}, {"a GPU", unix.S_IFCHR, 195, 0},
	} {
		for _, dir := range []string{"/home/work", "/tmp", "/dev/shm"} {
			all = append(all, attempt{"mknod of " + d.name + " in " + dir, func() error {
				path := filepath.Join(dir, "node")
				err := unix.Mknod(path, d.kind|0o600, int(unix.Mkdev(d.major, d.minor)))
				_ = os.Remove(path)
				return err
			}})
		}
	}
	paths := []string{"/dev/mem", "/dev/kmsg", "/dev/port", "/dev/kvm", "/dev/loop-control", "/dev/mapper/control", "/dev/fuse", "/dev/vsock", "/dev/net/tun"}
	for _, pattern := range []string{"/dev/sd*", "/dev/vd*", "/dev/nvme*", "/dev/loop[0-9]*", "/dev/dm-*", "/dev/ram*", "/dev/nvidia[0-9]*", "/dev/dri/*"} {
		found, _ := filepath.Glob(pattern)
		paths = append(paths, found...)
	}
	for _, p := range paths {
		st, err := os.Stat(p)
		if err == nil && st.Mode()&fs.ModeDevice == 0 || p == "/dev/fuse" || p == "/dev/net/tun" || p == "/dev/vsock" || p == "/dev/kvm" {
			continue // open to everybody on many machines: what they give needs privileges besides
		}
		for word, flags := range map[string]int{"reading": os.O_RDONLY, "writing": os.O_WRONLY} {
			all = append(all, attempt{"opening " + p + " for " + word, opening(p, flags)})
		}
	}
	return all
}

func opening(path string, flags int) func() error {
	return func() error {
		f, err := os.OpenFile(path, flags|unix.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		return f.Close()
	}
}

// kernel tries to change settings of the whole machine. It only opens them.
func kernel(target) (all []attempt) {
	for _, p := range []string{
		"/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches",
		"/proc/sys/vm/overcommit_memory", "/proc/sys/net/ipv4/ip_forward", "/proc/sys/fs/binfmt_misc/register", "/proc/sys/kernel/panic",
		"/sys/kernel/uevent_helper", "/sys/power/state", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/module/kernel/parameters/panic",
		"/sys/kernel/debug/sched/debug", "/sys/kernel/security/lockdown", "/proc/1/mem",
	} {
		all = append(all, attempt{"writing " + p, opening(p, os.O_WRONLY)})
	}
	for _, p := range []string{"/proc/kcore", "/proc/kmsg"} {
		all = append(all, attempt{"reading " + p, opening(p, os.O_RDONLY)})
	}
	return append(all,
		attempt{"syslog", func() error { _, err := unix.Klogctl(unix.SYSLOG_ACTION_CONSOLE_ON, nil); return err }},
		attempt{"setting the clock", func() error { // to what it is
			var now unix.Timespec
			if err := unix.ClockGettime(unix.CLOCK_REALTIME, &now); err != nil {
				return err
			}
			return unix.ClockSettime(unix.CLOCK_REALTIME, &now)
		}},
		attempt{"setting the host name", func() error { return unix.Sethostname([]byte("owned")) }},
		attempt{"loading a module", func() error { return mustPermit(unix.InitModule([]byte("no module"), "")) }},
		attempt{"bpf", func() error {
			_, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_LOAD, 0, 0)
			return mustPermit(errno)
		}},
		attempt{"swapoff", func() error { return mustPermit(swapoff("/no/such/swap")) }},
		attempt{"reboot", func() error { return unix.Reboot(unix.LINUX_REBOOT_CMD_CAD_OFF) }})
}

func swapoff(path string) error {
	p, err := unix.BytePtrFromString(path)
	if err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_SWAPOFF, pointer(p), 0, 0)
	return errno
}

// mustPermit is nil unless an error is a refusal: a call that was made wrong on purpose, so that it harms nobody, and that got far
// enough to be found wrong, was let through.
func mustPermit(err error) error {
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOSYS) {
		return err
	}
	return nil
}

// cgroups tries to leave its own limits, or to have the kernel run a program on the node (release_agent).
func cgroups(target) (all []attempt) {
	seen := map[string]bool{}
	try := func(name, path string, flags int) {
		if !seen[name+path] {
			seen[name+path] = true
			all = append(all, attempt{name + " " + path, opening(path, flags)})
		}
	}
	b, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		for _, root := range []string{"/sys/fs/cgroup/" + strings.TrimPrefix(f[1], "name="), "/sys/fs/cgroup"} {
			for _, group := range []string{root, filepath.Join(root, f[2])} {
				for _, file := range []string{"release_agent", "notify_on_release", "cgroup.procs", "tasks", "cgroup.subtree_control", "cgroup.kill", "cgroup.freeze",
					"memory.limit_in_bytes", "memory.max", "pids.max", "cpu.cfs_quota_us", "cpu.max", "devices.allow", "freezer.state"} {
					try("writing", filepath.Join(group, file), os.O_WRONLY)
				}
				if _, err := os.Stat(filepath.Join(group, "cgroup.procs")); err != nil {
					continue // no cgroup: an engine may show an empty directory of the container's own
				}
				made := filepath.Join(group, "escape")
				all = append(all, attempt{"making " + made, func() error {
					err := os.Mkdir(made, 0o755)
					_ = os.Remove(made)
					return err
				}})
			}
		}
	}
	return append(all, attempt{"a cgroup namespace", func() error { return unshared(unix.CLONE_NEWCGROUP) }})
}

func unshared(flag int) error {
	if err := unix.Unshare(flag); err != nil {
		return err
	}
	return mountWithin(flag)
}

// mountWithin says that a namespace was made: by itself it gives nothing, the mount that would is tried in it.
func mountWithin(flag int) error {
	err := unix.Mount("cgroup2", "/tmp", "cgroup2", 0, "")
	if err == nil {
		_ = unix.Unmount("/tmp", unix.MNT_DETACH)
		return nil
	}
	return fmt.Errorf("in a namespace of its own (%#x): %w", flag, err)
}
