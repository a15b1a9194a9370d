package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// followPause is how often a follower looks for more. It costs one fstat; a person does not notice it.
const followPause = 100 * time.Millisecond

// logPart is one opened file of a log.
type logPart struct {
	file  *os.File
	inode uint64
	base  int64 // the whole output's byte at which it begins
	size  int64 // when it was opened
}

// Log opens what the command has written, also of an instance that was removed while its log still lies there.
func (e *Executor) Log(ctx context.Context, id string, offset int64, follow bool) (io.ReadCloser, int64, error) {
	dir, err := e.path(id)
	if err != nil {
		return nil, 0, err
	}
	if offset < 0 {
		return nil, 0, fmt.Errorf("a log has no byte %d", offset)
	}
	part, err := openPart(dir, offset)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, fmt.Errorf("instance %q: %w", id, gpu.ErrNoInstance)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("log of %s: %w", id, err)
	}
	at := min(max(offset, part.base), part.base+part.size)
	if _, err := part.file.Seek(at-part.base, io.SeekStart); err != nil {
		return nil, 0, errors.Join(err, part.file.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := func() bool {
		s, err := e.look(id, dir)
		return err != nil || s.ended()
	}
	return &logReader{ctx: ctx, cancel: cancel, dir: dir, part: part, at: at, follow: follow, ended: ended}, at, nil
}

// openPart opens the file that holds the byte at offset, or the nearest later one.
func openPart(dir string, offset int64) (logPart, error) {
	gone := 0
	for range 100 {
		before, err := readIndex(dir)
		if err != nil {
			return logPart{}, err
		}
		parts, err := openParts(dir)
		if err != nil {
			return logPart{}, err
		}
		after, err := readIndex(dir)
		if err == nil && len(parts) > 0 && maps.Equal(before, after) {
			setBases(parts, before)
			holds := 0
			if last := len(parts) - 1; offset >= parts[last].base {
				holds = last
			}
			found := parts[holds]
			return found, closeParts(slices.Delete(parts, holds, holds+1))
		}
		if err := errors.Join(err, closeParts(parts)); err != nil {
			return logPart{}, err
		}
		if len(parts) == 0 {
			gone++
		}
		time.Sleep(time.Millisecond) // a rotation is going on
	}
	if gone == 100 { // a rotation never takes both files away for long: they were deleted
		return logPart{}, os.ErrNotExist
	}
	return logPart{}, errors.New("it is being rotated faster than it can be read")
}

// openParts opens those files of a log that are there, the older one first.
func openParts(dir string) (parts []logPart, err error) {
	for _, name := range []string{logFile + ".1", logFile} {
		f, err := os.Open(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, errors.Join(err, closeParts(parts))
		}
		parts = append(parts, logPart{file: f})
		st, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, closeParts(parts))
		}
		parts[len(parts)-1].size, parts[len(parts)-1].inode = st.Size(), inode(st)
	}
	return parts, nil
}

// setBases says where each file begins, as a trusted index has it. Where the index doesn't know one of them, the whole
// directory was copied, and so they have other inodes: the newest begins where the older one ends, and that at a byte which
// the index names.
func setBases(parts []logPart, index map[uint64]int64) {
	known := true
	for k := range parts {
		base, ok := index[parts[k].inode]
		parts[k].base, known = base, known && ok
	}
	if known {
		return
	}
	bases := slices.Sorted(maps.Values(index))
	if len(bases) > 0 {
		parts[0].base = bases[0]
	}
	for _, base := range bases {
		if slices.Contains(bases, base+parts[0].size) {
			parts[0].base = base
		}
	}
	for k := 1; k < len(parts); k++ {
		parts[k].base = parts[k-1].base + parts[k-1].size
	}
}

func closeParts(parts []logPart) (err error) {
	for _, p := range parts {
		err = errors.Join(err, p.file.Close())
	}
	return err
}

// logReader reads on over rotations. Close may come from another goroutine than Read.
type logReader struct {
	mu     sync.Mutex // held while reading or waiting
	ctx    context.Context
	cancel context.CancelFunc
	dir    string
	part   logPart
	at     int64
	follow bool
	ended  func() bool
	over   bool // the command has ended: what is there now is all
}

func (r *logReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if err := r.ctx.Err(); err != nil {
			return 0, err
		}
		n, err := r.part.file.Read(p)
		if n > 0 {
			r.at += int64(n)
			return n, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		switch moved, err := r.next(); {
		case err != nil:
			return 0, err
		case moved:
			continue
		case !r.follow || r.over:
			return 0, io.EOF
		case r.ended():
			r.over = true // once more to the end, then it is the end
			continue
		}
		select {
		case <-r.ctx.Done():
			return 0, r.ctx.Err()
		case <-time.After(followPause):
		}
	}
}

// next moves on where the file that was read is no longer the one that grows. Its end is read once more first: it may have
// grown between our last look and its rotation.
func (r *logReader) next() (bool, error) {
	now, err := os.Stat(filepath.Join(r.dir, logFile))
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return false, nil // between the two renames of a rotation
		}
		return false, err
	}
	mine, err := r.part.file.Stat()
	if err != nil {
		return false, err
	}
	if inode(now) == inode(mine) {
		return false, nil
	}
	if mine.Size() > r.at-r.part.base {
		return true, nil
	}
	part, err := openPart(r.dir, r.at)
	if err != nil {
		return false, err
	}
	r.at = max(r.at, part.base)
	if _, err := part.file.Seek(r.at-part.base, io.SeekStart); err != nil {
		return false, errors.Join(err, part.file.Close())
	}
	err = r.part.file.Close()
	r.part = part
	return true, err
}

// Close ends a Read that waits.
func (r *logReader) Close() error {
	r.cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.part.file.Close()
}
