package volume

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Errors of what a person does with files. Others are the disk's.
var (
	ErrNoFile    = errors.New("no such file in the volume")
	ErrOutside   = errors.New("the path leads out of the volume")
	ErrNotAFile  = errors.New("it is no plain file")
	ErrExists    = errors.New("there is something of that name")
	ErrFull      = errors.New("the volume is full")
	ErrBadName   = errors.New("that can't be a name")
	ErrNotFolder = errors.New("it is no directory")
)

// File is an entry of a directory of a volume.
type File struct {
	Name      string
	Directory bool
	Link      string // where it points, of a symbolic link
	Bytes     int64
	Modified  time.Time
	Plain     bool // it can be read
}

// uploadPrefix begins the name of what is being uploaded.
const uploadPrefix = ".upload-"

// listMost is how many entries of a directory are listed.
const listMost = 10000

// Tree is the files of a mounted volume. Nothing that is done through it leaves the volume: os.Root holds that, whatever links
// are made meanwhile. Close it.
type Tree struct{ root *os.Root }

// Tree opens a volume's files, and mounts it if it isn't.
func (m *Manager) Tree(ctx context.Context, id string) (*Tree, error) {
	at, err := m.Mount(ctx, id)
	if err != nil {
		return nil, err
	}
	return OpenTree(at)
}

// OpenTree opens the files of a directory that is there already, as those of a volume.
func OpenTree(dir string) (*Tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Tree{root}, nil
}

// Close gives the volume back.
func (t *Tree) Close() error { return t.root.Close() }

// Name makes a path of what a person wrote: from the volume's root, without . and .., "." for the root itself.
func Name(text string) (string, error) {
	if strings.ContainsRune(text, 0) || len(text) > unix.PathMax {
		return "", ErrBadName
	}
	for part := range strings.SplitSeq(text, "/") {
		if part == ".." {
			return "", ErrOutside
		}
	}
	return path.Clean("./" + strings.TrimLeft(text, "/")), nil
}

// List returns a directory's entries, directories first; more says that there are others.
func (t *Tree) List(name string) (files []File, more bool, err error) {
	d, err := t.open(name)
	if err != nil {
		return nil, false, err
	}
	defer d.Close()
	if info, err := d.Stat(); err != nil || !info.IsDir() {
		return nil, false, orElse(err, ErrNotFolder)
	}
	entries, err := d.ReadDir(listMost + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, fault(err)
	}
	more = len(entries) > listMost
	for _, e := range entries[:min(len(entries), listMost)] {
		info, err := e.Info()
		if err != nil {
			continue // deleted meanwhile
		}
		f := File{Name: e.Name(), Directory: info.IsDir(), Bytes: info.Size(), Modified: info.ModTime(), Plain: info.Mode().IsRegular()}
		if info.Mode()&fs.ModeSymlink != 0 {
			f.Link, _ = t.root.Readlink(path.Join(name, e.Name()))
			to, err := t.root.Stat(path.Join(name, e.Name()))
			f.Plain = err == nil && to.Mode().IsRegular()
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b File) int {
		if a.Directory != b.Directory {
			return map[bool]int{true: -1, false: 1}[a.Directory]
		}
		return strings.Compare(a.Name, b.Name)
	})
	return files, more, nil
}

// open never waits, as a pipe would.
func (t *Tree) open(name string) (*os.File, error) {
	f, err := t.root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	return f, fault(err)
}

// Open opens a plain file to be read.
func (t *Tree) Open(name string) (*os.File, fs.FileInfo, error) {
	f, err := t.open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil, errors.Join(orElse(err, ErrNotAFile), f.Close())
	}
	return f, info, nil
}

// Write makes a file of what is read, or replaces one, in one step: who reads meanwhile sees the old or the new one. ErrFull
// leaves nothing behind.
func (t *Tree) Write(name string, r io.Reader) (n int64, err error) {
	if name == "." {
		return 0, ErrBadName
	}
	if info, err := t.root.Lstat(name); err == nil && info.IsDir() {
		return 0, ErrExists
	}
	part := path.Join(path.Dir(name), uploadPrefix+path.Base(name))
	if len(path.Base(part)) > 255 {
		part = path.Join(path.Dir(name), uploadPrefix+path.Base(name)[:200])
	}
	_ = t.root.Remove(part) // of an upload that was broken off
	f, err := t.root.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, fault(err)
	}
	n, err = io.Copy(f, r)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = t.root.Rename(part, name)
	}
	if err != nil {
		_ = t.root.Remove(part)
		return 0, fault(err)
	}
	return n, nil
}

// Mkdir makes a directory.
func (t *Tree) Mkdir(name string) error { return fault(t.root.Mkdir(name, 0o755)) }

// Remove deletes a file, a link, or a directory with all that is in it; links are not followed.
func (t *Tree) Remove(name string) error {
	if name == "." {
		return ErrBadName
	}
	if _, err := t.root.Lstat(name); err != nil {
		return fault(err)
	}
	return fault(t.root.RemoveAll(name))
}

// Free is how much more can be written, in bytes.
func (t *Tree) Free() (int64, error) {
	d, err := t.root.Open(".")
	if err != nil {
		return 0, err
	}
	defer d.Close()
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(d.Fd()), &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * st.Bsize, nil
}

func orElse(err, other error) error {
	if err != nil {
		return fault(err)
	}
	return other
}

// fault gives what a person can do something about its own error.
func fault(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return fmt.Errorf("%w: %w", ErrFull, err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrNoFile, err)
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%w: %w", ErrExists, err)
	case errors.Is(err, unix.ENAMETOOLONG):
		return fmt.Errorf("%w: %w", ErrBadName, err)
	case errors.Is(err, unix.ENOTDIR):
		return fmt.Errorf("%w: %w", ErrNotFolder, err)
	case errors.Is(err, unix.ENXIO):
		return fmt.Errorf("%w: %w", ErrNotAFile, err)
	case strings.Contains(err.Error(), "path escapes from parent"): // os.Root's error has no name
		return fmt.Errorf("%w: %w", ErrOutside, err)
	}
	return err
}
