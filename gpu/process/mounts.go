package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/volume"
	"golang.org/x/sys/unix"
)

// mountsDir holds what the instance was given besides its home, each presented as its own user's.
const mountsDir = "mounts"

// present shows each directory that was asked for in the instance's own, where only the instance's user has its files, and has
// the record name them there.
func (e *Executor) present(dir string, rec *record) error {
	if len(rec.Spec.Mounts) > 0 && e.level == levelPlain && rec.Enclosure == "" {
		return errors.New("a volume needs an instance with mounts of its own, which this machine does not allow: run the console as root")
	}
	owner := volume.Owner{UID: rec.UID, GID: rec.UID, Count: 1}
	if rec.Enclosure != "" {
		owner.Count = usersEach
	}
	mounts := slices.Clone(rec.Spec.Mounts)
	for i, m := range mounts {
		at := filepath.Join(dir, mountsDir, strconv.Itoa(i))
		if _, err := volume.Present(m.Source, at, owner, m.ReadOnly); err != nil {
			return err
		}
		mounts[i].Source = at
	}
	rec.Spec.Mounts = mounts
	return nil
}

// withdraw undoes present. What nobody presented is withdrawn.
func withdraw(dir string) error {
	root := filepath.Join(dir, mountsDir)
	entries, err := os.ReadDir(root)
	if err != nil {
		return ignoreMissing(err)
	}
	var errs []error
	for _, entry := range entries {
		errs = append(errs, volume.Withdraw(filepath.Join(root, entry.Name())))
	}
	return errors.Join(append(errs, ignoreMissing(os.Remove(root)))...)
}

// leaveOthers unmounts, in the namespace that was just made, what is mounted in the console's data for others, and volumes of
// another console: one would be kept busy by every instance that began while it was there.
func (rec record) leaveOthers(here string) error {
	b, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	lines := strings.Split(string(b), "\n")
	slices.Reverse(lines) // what lies in another mount comes after it
	for _, line := range lines {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		at := unescapeMount(f[4])
		inData := at != rec.Data && within(at, rec.Data)
		if volume := strings.Contains(line, " - ext4 /dev/loop"); (inData || volume && at != "/") && !within(at, here) {
			if err := unix.Unmount(at, unix.MNT_DETACH); err != nil && !errors.Is(err, unix.EINVAL) { // gone with what it lay in
				return fmt.Errorf("leaving %s: %w", at, err)
			}
		}
	}
	return nil
}

// mountVolumes binds what was presented to where the instance is to find it.
func (b *bindings) mountVolumes(mounts []gpu.Mount) error {
	for i, m := range mounts {
		point, err := mountPoint(m.Target)
		if err != nil {
			return fmt.Errorf("making %s: %w", m.Target, err)
		}
		err = b.bind(b.volumes[i], "/proc/self/fd/"+strconv.Itoa(point))
		if err = errors.Join(err, unix.Close(point)); err != nil {
			return fmt.Errorf("mounting %s: %w", m.Target, err)
		}
	}
	return nil
}

// mountPoint opens a directory and makes what is missing of it. No link is followed: the home, which may be on the way, is the
// person's. A directory that this makes outside of the instance's own ones is made on the machine, and stays, empty.
func mountPoint(path string) (int, error) {
	at, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	for name := range strings.SplitSeq(strings.Trim(filepath.Clean(path), "/"), "/") {
		next, err := unix.Openat2(at, name, &how)
		if errors.Is(err, unix.ENOENT) {
			if err = unix.Mkdirat(at, name, 0o755); err == nil || errors.Is(err, unix.EEXIST) {
				next, err = unix.Openat2(at, name, &how)
			}
		}
		if err = errors.Join(err, unix.Close(at)); err != nil {
			return -1, err
		}
		at = next
	}
	return at, nil
}
