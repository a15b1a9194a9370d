package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// mountRun shows /run as it is, with the instance's own directory in it: /run is the machine's, and keeps no trace. shown is
// false where the machine has no /run. What is made there later is not seen.
func (b *bindings) mountRun() (shown bool, err error) {
	const root = "/run"
	entries, err := os.ReadDir(root)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	files := make([]*os.File, len(entries))
	links := make([]string, len(entries))
	for k, entry := range entries {
		path := filepath.Join(root, entry.Name())
		if entry.Type()&os.ModeSymlink != 0 {
			links[k], _ = os.Readlink(path)
		} else if fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0); err == nil {
			files[k] = os.NewFile(uintptr(fd), path)
			defer files[k].Close()
		}
	}
	if err := unix.Mount("tmpfs", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=1m"); err != nil {
		return false, fmt.Errorf("covering %s: %w", root, err)
	}
	for k, entry := range entries {
		path := filepath.Join(root, entry.Name())
		switch {
		case links[k] != "":
			err = os.Symlink(links[k], path)
		case files[k] == nil || path == filepath.Dir(gpu.NoticeFile):
			continue
		case entry.IsDir():
			err = os.Mkdir(path, 0o755)
		default:
			err = os.WriteFile(path, nil, 0o644)
		}
		if err != nil {
			return false, err
		}
		if files[k] != nil {
			// One that can't be shown is as good as not there: it is not ours.
			_ = unix.Mount("/proc/self/fd/"+strconv.Itoa(int(files[k].Fd())), path, "", unix.MS_BIND|unix.MS_REC, "")
		}
	}
	own := filepath.Dir(gpu.NoticeFile)
	if err := os.Mkdir(own, 0o755); err != nil {
		return false, err
	}
	if err := b.bind(b.run, own); err != nil {
		return false, err
	}
	return true, errors.Join(remount(own, unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV), remount(root, unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV))
}
