package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A log is two files: log, which grows, and log.1, what was log before. log.index says at which byte of the whole output each
// of them begins, by inode number, since names change in a rotation and inodes don't. The index is written before the names
// change and names the file to come as well; so whoever finds the same index before and after opening can trust it.

// logWriter belongs to one goroutine of the shim.
type logWriter struct {
	dir  string
	file *os.File
	base int64 // the whole output's byte at which file begins
	size int64
	max  int64 // of one part
	lost int64 // bytes that could not be written
}

func openLog(dir string, limit int64) (*logWriter, error) {
	w := &logWriter{dir: dir, max: max(limit/2, 1)}
	f, err := os.OpenFile(filepath.Join(dir, logFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	index, err := readIndex(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(err, f.Close())
	}
	w.file, w.size, w.base = f, st.Size(), index[inode(st)]
	if _, ok := index[inode(st)]; !ok {
		if err := w.writeIndex(map[uint64]int64{inode(st): w.base}); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return w, nil
}

// Write never fails: the work must go on when the disk is full. What is lost is said in the log as soon as there is room.
func (w *logWriter) Write(p []byte) (int, error) {
	if w.lost > 0 {
		w.append([]byte(fmt.Sprintf("\n[%d bytes of output were lost: the log could not be written]\n", w.lost)))
	}
	for rest := p; len(rest) > 0; {
		if w.size >= w.max {
			if err := w.rotate(); err != nil {
				w.lost += int64(len(rest))
				return len(p), nil //nolint:nilerr // what is lost is counted, and said when there is room
			}
		}
		n := min(int64(len(rest)), w.max-w.size)
		w.append(rest[:n])
		rest = rest[n:]
	}
	return len(p), nil
}

func (w *logWriter) append(p []byte) {
	n, err := w.file.Write(p)
	w.size += int64(n)
	if err == nil {
		w.lost = 0
		return
	}
	w.lost += int64(len(p) - n)
}

func (w *logWriter) rotate() error {
	path := filepath.Join(w.dir, logFile)
	next, err := os.OpenFile(path+".next", os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	base := w.base + w.size
	index := map[uint64]int64{}
	for f, b := range map[*os.File]int64{w.file: w.base, next: base} {
		st, err := f.Stat()
		if err != nil {
			return errors.Join(err, next.Close())
		}
		index[inode(st)] = b
	}
	if st, err := os.Stat(path + ".1"); err == nil {
		if old, err := readIndex(w.dir); err == nil {
			index[inode(st)] = old[inode(st)]
		}
	}
	err = w.writeIndex(index)
	if err == nil {
		err = os.Rename(path, path+".1")
	}
	if err == nil {
		err = os.Rename(path+".next", path)
	}
	if err != nil {
		return errors.Join(err, next.Close())
	}
	err = w.file.Close()
	w.file, w.base, w.size = next, base, 0
	return err
}

func (w *logWriter) close() error { return w.file.Close() }

func (w *logWriter) writeIndex(index map[uint64]int64) error {
	var b strings.Builder
	for ino, base := range index {
		fmt.Fprintf(&b, "%d %d\n", ino, base)
	}
	return replaceFile(filepath.Join(w.dir, logIndexFile), []byte(b.String()), 0o600)
}

// readIndex returns the base of each file by its inode.
func readIndex(dir string) (map[uint64]int64, error) {
	b, err := os.ReadFile(filepath.Join(dir, logIndexFile))
	if err != nil {
		return nil, err
	}
	index := map[uint64]int64{}
	for line := range strings.Lines(string(b)) {
		var ino uint64
		var base int64
		if _, err := fmt.Sscanf(line, "%d %d\n", &ino, &base); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", logIndexFile, line, err)
		}
		index[ino] = base
	}
	return index, nil
}

func inode(st os.FileInfo) uint64 {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}
