package volume

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const loopControl = "/dev/loop-control"

// loopTries is how often another program may take the loop device that was free a moment ago.
const loopTries = 16

// attachLoop opens the loop device of an image. Two devices of one image would be two file systems that don't know each other
// and destroy it, so the one that there is, also for a mount that only an instance still sees, is used again. It goes by itself
// with its last mount.
func attachLoop(path string) (*os.File, error) {
	known, err := findLoop(path)
	if err != nil {
		return nil, err
	}
	if known != "" {
		return os.OpenFile(known, os.O_RDWR, 0)
	}
	backing, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer backing.Close()
	control, err := os.OpenFile(loopControl, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer control.Close()
	for range loopTries {
		n, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
		if err != nil {
			return nil, err
		}
		device, err := os.OpenFile("/dev/loop"+strconv.Itoa(n), os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		config := unix.LoopConfig{Fd: uint32(backing.Fd())}
		config.Info.Flags = unix.LO_FLAGS_AUTOCLEAR
		copy(config.Info.File_name[:], filepath.Base(filepath.Dir(path)))
		err = unix.IoctlLoopConfigure(int(device.Fd()), &config)
		if err == nil {
			return device, nil
		}
		err = errors.Join(err, device.Close())
		if !errors.Is(err, unix.EBUSY) {
			return nil, err
		}
	}
	return nil, errors.New("other programs take every free loop device")
}

// findLoop returns the loop device that has an image, "" if none has.
func findLoop(path string) (string, error) {
	var want unix.Stat_t
	if err := unix.Stat(path, &want); err != nil {
		return "", err
	}
	devices, err := filepath.Glob("/sys/block/loop*/loop/backing_file")
	if err != nil {
		return "", err
	}
	for _, d := range devices {
		name := "/dev/" + strings.Split(d, "/")[3]
		has, err := hasLoop(name, want)
		if err != nil {
			return "", err
		}
		if has {
			return name, nil
		}
	}
	return "", nil
}

func hasLoop(device string, want unix.Stat_t) (bool, error) {
	f, err := os.Open(device)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ENXIO) {
			return false, nil
		}
		return false, err
	}
	defer f.Close()
	info, err := unix.IoctlLoopGetStatus64(int(f.Fd()))
	if errors.Is(err, unix.ENXIO) {
		return false, nil // given back meanwhile
	}
	if err != nil {
		return false, fmt.Errorf("ask %s for its image: %w", device, err)
	}
	return info.Inode == want.Ino && info.Device == want.Dev, nil
}

// isMounted reports whether a directory is where something is mounted: then it is on another device than the one above it, or
// is another directory of the same one.
func isMounted(dir string) (bool, error) {
	var stx unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, dir, unix.AT_SYMLINK_NOFOLLOW, 0, &stx)
	if errors.Is(err, unix.ENOENT) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at %s: %w", dir, err)
	}
	if stx.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT == 0 {
		return false, errors.New("this kernel does not tell what is mounted: Linux 5.8 is needed")
	}
	return stx.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0, nil
}
