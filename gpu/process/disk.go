package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// diskLook is how often it is asked how much room the file system lost, which costs next to nothing.
	diskLook = time.Second
	// diskCount is after how long an instance's files are counted again though no room was lost.
	diskCount = time.Minute
	// diskGrace is what work gets to end by itself when it has used up its disk limit; who goes on writing gets less.
	diskGrace = 10 * time.Second
)

// diskWatch holds an instance to its disk limit where no quota of the file system does: it counts what the instance's
// directories take and is over when that is more than the limit.
type diskWatch struct {
	dirs  []string
	limit int64

	used    int64 // when it was last counted
	free    int64 // of the file systems, at that moment
	counted time.Time
}

// look counts if enough may have been written since the last time to matter, and returns the bytes that are known to be used.
// Counting takes as long as there are files; what the file systems have lost since is the most that can have been written.
func (d *diskWatch) look(now time.Time) (used int64, err error) {
	free, err := d.freeRoom()
	if err != nil {
		return 0, err
	}
	if !d.counted.IsZero() && now.Sub(d.counted) < diskCount && d.free-free < (d.limit-d.used)/2 {
		return d.used, nil
	}
	used = 0
	for _, dir := range d.dirs {
		n, err := diskUsage(dir)
		if err != nil {
			return 0, err
		}
		used += n
	}
	d.used, d.free, d.counted = used, free, now
	return used, nil
}

func (d *diskWatch) freeRoom() (free int64, err error) {
	seen := map[unix.Fsid]bool{}
	for _, dir := range d.dirs {
		var st unix.Statfs_t
		if err := unix.Statfs(dir, &st); err != nil {
			return 0, err
		}
		if !seen[st.Fsid] {
			seen[st.Fsid] = true
			free += int64(st.Bfree) * st.Bsize
		}
	}
	return free, nil
}

// watchDisk tells on full how it was when the limit was passed. What can't be counted is not taken for little.
func (h *holder) watchDisk(full chan<- string) {
	defer h.work.Done()
	d := diskWatch{dirs: append([]string{homeDir, tmpDir}, h.body.scratch...), limit: h.rec.Spec.DiskBytes}
	t := time.NewTicker(diskLook)
	defer t.Stop()
	for {
		used, err := d.look(h.now())
		var words string
		switch {
		case errors.Is(err, fs.ErrNotExist): // it is ending
		case err != nil:
			words = "how much disk it uses could not be found out: " + err.Error()
		case used > d.limit:
			words = fmt.Sprintf("it used %d MiB of disk, its limit is %d MiB", used>>20, d.limit>>20)
		}
		if words != "" {
			select {
			case full <- words:
			case <-h.still:
			}
			return
		}
		select {
		case <-h.still:
			return
		case <-t.C:
		}
	}
}

// longPath is when a walk goes on from a descriptor of where it is: a path has at most 4096 bytes (path_resolution(7)), a tree
// that somebody made to hide its files in may be deeper. maxChain bounds the descriptors.
const (
	longPath = 2000
	maxChain = 200
)

// diskUsage returns the bytes that the files below dir take on disk. A file with several names counts once.
func diskUsage(dir string) (int64, error) {
	u := usage{seen: map[[2]uint64]bool{}}
	err := u.walk(dir, 0)
	return u.bytes, err
}

type usage struct {
	bytes int64
	seen  map[[2]uint64]bool
}

func (u *usage) walk(dir string, chain int) error {
	if len(dir) > longPath {
		if chain == maxChain {
			return fmt.Errorf("a directory lies deeper than %d names of paths can say", maxChain)
		}
		fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return ignoreMissing(err)
		}
		defer func() { _ = unix.Close(fd) }()
		dir, chain = "/proc/self/fd/"+strconv.Itoa(fd), chain+1
	}
	f, err := os.Open(dir)
	if err != nil {
		return ignoreMissing(err) // deleted meanwhile
	}
	defer func() { _ = f.Close() }()
	for {
		names, err := f.Readdirnames(1024)
		for _, name := range names {
			if err := u.add(filepath.Join(dir, name), chain); err != nil {
				return err
			}
		}
		if len(names) == 0 || err != nil {
			return nil // io.EOF, or a directory that was deleted meanwhile
		}
	}
}

func (u *usage) add(path string, chain int) error {
	info, err := os.Lstat(path)
	if err != nil {
		return ignoreMissing(err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if st.Nlink > 1 && !info.IsDir() {
		key := [2]uint64{st.Dev, st.Ino}
		if u.seen[key] {
			return nil
		}
		u.seen[key] = true
	}
	u.bytes += st.Blocks * 512
	if info.IsDir() {
		return u.walk(path, chain)
	}
	return nil
}
