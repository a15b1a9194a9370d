package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// place is where an instance's processes find themselves.
type place struct {
	home    string
	user    string
	tools   string // a directory of programs, "" where there is none
	program string // Argv[0], or where it was bound to
	notice  string // the file that appears when it is reclaimed
}

// furnish gives the namespaces their own mounts: home, /tmp, /proc, terminals, shared memory, and a cover over the console's
// data and over the device files of GPUs that were not granted. It reads top to bottom in the order in which it must happen.
func (rec record) furnish() (place, error) {
	here, err := os.Getwd()
	if err != nil {
		return place{}, err
	}
	p := place{home: filepath.Join(here, homeDir), user: userName(), notice: filepath.Join(here, runDir, filepath.Base(gpu.NoticeFile))}
	if len(rec.Spec.Argv) > 0 {
		p.program = rec.Spec.Argv[0]
	}
	if rec.Level == levelPlain {
		return p, nil
	}
	if err := unix.Sethostname([]byte(HostName(rec.Spec))); err != nil {
		return p, fmt.Errorf("host name: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return p, fmt.Errorf("making mounts private: %w", err)
	}
	if err := rec.leaveOthers(here); err != nil {
		return p, err
	}
	// Opened before anything is covered: from here on they are reached by their descriptors alone.
	b, err := openBindings(rec, here)
	if err != nil {
		return p, err
	}
	defer b.close()
	if err := rec.coverDevices(); err != nil {
		return p, err
	}
	if root := homeRoot(); root != "" {
		if err := b.mountHome(root); err != nil {
			return p, err
		}
		p.home, p.tools = filepath.Join(root, workUser), filepath.Join(root, "meterhouse", "bin")
	}
	for _, t := range []string{"/tmp", "/var/tmp"} {
		if err := b.bind(b.tmp, t); err != nil && !errors.Is(err, unix.ENOENT) {
			return p, err
		}
	}
	if rec.UID != 0 {
		p.user = workUser
		for f, path := range map[*os.File]string{b.passwd: "/etc/passwd", b.groups: "/etc/group"} {
			if err := b.bind(f, path); err != nil {
				return p, err
			}
		}
	}
	if shown, err := b.mountRun(); err != nil {
		return p, err
	} else if shown {
		p.notice = gpu.NoticeFile
	}
	if err := b.mountVolumes(rec.Spec.Mounts); err != nil {
		return p, err
	}
	if err := rec.coverData(here); err != nil {
		return p, err
	}
	if p.tools != "" {
		p.program = b.reachable(p, rec.UID)
	}
	return p, mountKernelFiles(rec.Level)
}

// MaxTerminals is how many terminals an instance may have open. All instances of a node share about three thousand
// (kernel.pty.max, less kernel.pty.reserve).
const MaxTerminals = 256

// mountKernelFiles shows the namespaces' own processes, terminals and shared memory, and no way to change the cgroups.
func mountKernelFiles(l level) error {
	const quiet = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if err := unix.Mount("proc", "/proc", "proc", quiet, ""); err != nil {
		return fmt.Errorf("mounting /proc: %w", err)
	}
	options := "newinstance,ptmxmode=0666,mode=0620,max=" + strconv.Itoa(MaxTerminals)
	if err := unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, options); err != nil {
		return fmt.Errorf("mounting /dev/pts: %w", err)
	}
	if err := unix.Mount("tmpfs", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"); err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("mounting /dev/shm: %w", err)
	}
	if l != levelUser {
		return nil
	}
	// The same user may own a cgroup that was handed down, and could lift its own limits.
	const groups = "/sys/fs/cgroup"
	if err := unix.Mount(groups, groups, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("covering the cgroups: %w", err)
	}
	return unix.MountSetattr(unix.AT_FDCWD, groups, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// coverDevices forbids device files by a mount option: opening one fails as it does where the device cgroup forbids it.
func (rec record) coverDevices() error {
	for _, path := range rec.Masked {
		if err := unix.Mount(path, path, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("covering %s: %w", path, err)
		}
		if err := remount(path, unix.MS_NODEV); err != nil {
			return fmt.Errorf("covering %s: %w", path, err)
		}
	}
	return nil
}

// coverData hides the console's data, unless a mount has hidden it already.
func (rec record) coverData(here string) error {
	if _, err := os.Stat(here); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := unix.Mount("tmpfs", rec.Data, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC|unix.MS_RDONLY, "mode=0555,size=4k"); err != nil {
		return fmt.Errorf("hiding the console's data: %w", err)
	}
	return nil
}

// remount adds options to a mount and keeps those it has: dropping one is refused in a user namespace.
func remount(path string, add uintptr) error {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return err
	}
	flags := uintptr(st.Flags) & (unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_NOATIME | unix.MS_NODIRATIME)
	return unix.Mount("", path, "", unix.MS_BIND|unix.MS_REMOUNT|flags|add, "")
}

// HostName makes a host name of the person's name for the instance (RFC 1123), or of its id.
func HostName(s gpu.Spec) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s.Name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0:
			b.WriteByte('-')
		}
	}
	name := b.String()
	name = strings.Trim(name[:min(len(name), 63)], "-")
	if name == "" {
		return s.ID
	}
	return name
}

func userName() string {
	if uid := os.Getuid(); uid != 0 {
		return "user" + strconv.Itoa(uid)
	}
	return "root"
}
