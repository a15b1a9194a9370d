package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// followPause is how often a follower looks for more. It costs one fstat; a person does not notice it.
const followPause = 100 * time.Millisecond

// logPart is one opened file of a log.
type logPart struct {
	file *os.File
	base int64
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
	part, size, err := openPart(dir, offset)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, fmt.Errorf("instance %q: %w", id, gpu.ErrNoInstance)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("log of %s: %w", id, err)
	}
	at := min(max(offset, part.base), part.base+size)
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
func openPart(dir string, offset int64) (logPart, int64, error) {
	gone := 0
	for range 100 {
		before, err := readIndex(dir)
		if err != nil {
			return logPart{}, 0, err
		}
		var found logPart
		var size int64
		known := true
		for _, name := range []string{logFile + ".1", logFile} {
			f, err := os.Open(filepath.Join(dir, name))
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return logPart{}, 0, errors.Join(err, found.close())
			}
			st, err := f.Stat()
			if err != nil {
				return logPart{}, 0, errors.Join(err, f.Close(), found.close())
			}
			base, ok := before[inode(st)]
			known = known && ok
			if found.file != nil && offset < base {
				if err := f.Close(); err != nil {
					return logPart{}, 0, errors.Join(err, found.close())
				}
				continue
			}
			if err := found.close(); err != nil {
				return logPart{}, 0, errors.Join(err, f.Close())
			}
			found, size = logPart{f, base}, st.Size()
		}
		after, err := readIndex(dir)
		if err == nil && known && found.file != nil && reflect.DeepEqual(before, after) {
			return found, size, nil
		}
		if err := errors.Join(err, found.close()); err != nil {
			return logPart{}, 0, err
		}
		if found.file == nil {
			gone++
		}
		time.Sleep(time.Millisecond) // a rotation is going on
	}
	if gone == 100 { // a rotation never takes both files away for long: they were deleted
		return logPart{}, 0, os.ErrNotExist
	}
	return logPart{}, 0, errors.New("it is being rotated faster than it can be read")
}

func (p logPart) close() error {
	if p.file == nil {
		return nil
	}
	return p.file.Close()
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
	part, _, err := openPart(r.dir, r.at)
	if err != nil {
		return false, err
	}
	r.at = max(r.at, part.base)
	if _, err := part.file.Seek(r.at-part.base, io.SeekStart); err != nil {
		return false, errors.Join(err, part.close())
	}
	err = r.part.close()
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
