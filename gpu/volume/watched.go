package volume

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/meterhouse/meterhouse/gpu"
)

// watched is a plain directory: its size is known and shown, and nothing holds an instance to it.
type watched struct{ why string }

const sizeFile = "bytes"

func (watched) name() string { return "watched" }

func (w watched) limit() gpu.Limit {
	return gpu.Limit{Name: "volumes", Detail: "a volume is a plain directory whose size is only watched: " + w.why}
}

func (watched) create(_ context.Context, dir string, bytes int64) error {
	if err := os.Mkdir(filepath.Join(dir, filesDir), 0o700); err != nil {
		return err
	}
	return writeSize(dir, bytes)
}

func writeSize(dir string, bytes int64) error {
	next := filepath.Join(dir, sizeFile+".next")
	if err := os.WriteFile(next, []byte(strconv.FormatInt(bytes, 10)+"\n"), 0o600); err != nil {
		return err
	}
	if err := syncFile(next); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(dir, sizeFile))
}

func (watched) size(dir string) (int64, error) {
	text, err := os.ReadFile(filepath.Join(dir, sizeFile))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}

func (watched) mount(_ context.Context, dir string) error {
	_, err := os.Stat(filepath.Join(dir, filesDir))
	return err
}

func (watched) unmount(string) error { return nil }

func (watched) grow(_ context.Context, dir string, bytes int64) error { return writeSize(dir, bytes) }

func (w watched) usage(ctx context.Context, dir string) (Usage, error) {
	size, err := w.size(dir)
	if err != nil {
		return Usage{}, err
	}
	u := Usage{Bytes: size, FilesFree: -1}
	u.Used, u.Files, err = diskUse(ctx, filepath.Join(dir, filesDir))
	u.Free = max(size-u.Used, 0)
	return u, err
}

func (watched) taken(dir string) (int64, error) {
	used, _, err := diskUse(context.Background(), dir)
	return used, err
}

// diskUse adds up what a directory takes on the disk; what goes meanwhile counts nothing.
func diskUse(ctx context.Context, dir string) (bytes, files int64, err error) {
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var st unix.Stat_t
		if err == nil {
			err = unix.Lstat(path, &st)
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		bytes, files = bytes+st.Blocks*512, files+1
		return err
	})
	return bytes, files, err
}

func (w watched) copy(ctx context.Context, dir, to string) error {
	size, err := w.size(dir)
	if err != nil {
		return err
	}
	if err := copyTree(ctx, filepath.Join(dir, filesDir), filepath.Join(to, filesDir)); err != nil {
		return err
	}
	return writeSize(to, size)
}

// copyTree copies directories, files and links with their modes and times. Pipes, sockets and devices are nothing to keep.
func copyTree(ctx context.Context, from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		info, err := d.Info()
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		switch mode := info.Mode(); {
		case mode.IsDir():
			err = os.Mkdir(target, mode.Perm()|0o700)
		case mode&fs.ModeSymlink != 0:
			var link string
			if link, err = os.Readlink(path); err == nil {
				return os.Symlink(link, target)
			}
		case mode.IsRegular():
			err = copySparse(path, target)
		default:
			return nil
		}
		if err != nil {
			return fmt.Errorf("copy %s: %w", relative, err)
		}
		return os.Chtimes(target, info.ModTime(), info.ModTime())
	})
}

func (watched) recover(string) error { return nil }
