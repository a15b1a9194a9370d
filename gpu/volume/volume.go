// Package volume keeps volumes on a node: directories with a hard size that outlive every instance, their snapshots, and the
// files in them. It knows no people, prices or database; gpu/fleet asks it for what the database says should be there.
//
// It may import gpu and the standard library. The rules it keeps: what a volume holds can fill the volume and never the node;
// nothing is half there, so that after a kill at any moment the next call completes or removes what was begun; and an instance
// or a person who names a file never leaves the volume, whatever links lie in it.
package volume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/meterhouse/meterhouse/gpu"
)

var (
	// ErrNoVolume: there is no volume, or no snapshot, of that id on this node.
	ErrNoVolume = errors.New("no such volume on this node")
	// ErrInUse: something still works in the volume.
	ErrInUse = errors.New("the volume is in use")
	// ErrSmaller: a volume only grows.
	ErrSmaller = errors.New("a volume can't be made smaller")
)

// NoRoom says that the node has not enough free for what was asked: what other volumes may still take is theirs.
type NoRoom struct{ Wanted, Free int64 } // bytes

func (e *NoRoom) Error() string {
	return fmt.Sprintf("the node has %d bytes free that no volume may take, and %d are needed", e.Free, e.Wanted)
}

const (
	volumesDir   = "volumes"
	snapshotsDir = "snapshots"
	filesDir     = "files" // in a volume's directory: what an instance gets to see
	begun        = ".new-" // before the name of what is being made
	gone         = ".gone-"
)

// ids are the names that become directories.
var ids = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// Usage is how full a volume is. Bytes is what it can hold, which is a little less than its size: the file system keeps its
// own records in it.
type Usage struct {
	Bytes, Used, Free int64
	Files, FilesFree  int64 // FilesFree is -1 where there is no limit
}

// kind is how a node holds volumes to their size.
type kind interface {
	name() string
	limit() gpu.Limit
	// create makes an empty volume in dir, which exists.
	create(ctx context.Context, dir string, bytes int64) error
	size(dir string) (int64, error)
	// mount makes the volume's files be there, which they may be already.
	mount(ctx context.Context, dir string) error
	// unmount undoes it; ErrInUse while something works in it.
	unmount(dir string) error
	grow(ctx context.Context, dir string, bytes int64) error
	usage(ctx context.Context, dir string) (Usage, error)
	// copy makes in to, which exists, a copy of what dir holds: what is written meanwhile waits or, where the kind says
	// so, may be in it by half.
	copy(ctx context.Context, dir, to string) error
	// taken is what a volume or snapshot takes of the node now.
	taken(dir string) (int64, error)
	// recover ends what a console that was killed left half done.
	recover(dir string) error
}

// Manager keeps one node's volumes. Its methods may be called by many goroutines.
type Manager struct {
	dir  string
	kind kind

	mu    sync.Mutex
	locks map[string]*sync.Mutex // by id
	room  sync.Mutex             // held while room on the node is promised
}

// Open takes a directory for volumes, which it makes, and ends what a console that was killed had begun there.
func Open(dir string) (*Manager, error) {
	k := bestKind()
	m := &Manager{dir: dir, kind: k, locks: map[string]*sync.Mutex{}}
	for _, sub := range []string{volumesDir, snapshotsDir} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, err
		}
	}
	return m, m.settle()
}

// bestKind is the hardest limit that this process can set.
func bestKind() kind {
	why := cannotMount()
	if why == "" {
		return image{}
	}
	return watched{why}
}

// Limit says how volumes are held to their size on this machine.
func Limit() gpu.Limit { return bestKind().limit() }

// Limit says how volumes are held to their size.
func (m *Manager) Limit() gpu.Limit { return m.kind.limit() }

// settle removes what was begun and not finished, or not wholly deleted, and lets writers go on whom a snapshot had stopped.
func (m *Manager) settle() error {
	for _, sub := range []string{volumesDir, snapshotsDir} {
		entries, err := os.ReadDir(filepath.Join(m.dir, sub))
		if err != nil {
			return err
		}
		for _, e := range entries {
			path := filepath.Join(m.dir, sub, e.Name())
			switch {
			case strings.HasPrefix(e.Name(), begun), strings.HasPrefix(e.Name(), gone):
				err = os.RemoveAll(path)
			case sub == volumesDir:
				err = m.kind.recover(path)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// lock gives one id to one caller.
func (m *Manager) lock(id string) func() {
	m.mu.Lock()
	l := m.locks[id]
	if l == nil {
		l = &sync.Mutex{}
		m.locks[id] = l
	}
	m.mu.Unlock()
	l.Lock()
	return l.Unlock
}

// at is the directory of a volume or snapshot, by its id.
func (m *Manager) at(sub, id string) (string, error) {
	if !ids.MatchString(id) {
		return "", fmt.Errorf("%w: %q", ErrNoVolume, id)
	}
	return filepath.Join(m.dir, sub, id), nil
}

// known is at for what must exist.
func (m *Manager) known(sub, id string) (string, error) {
	dir, err := m.at(sub, id)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%w: %s", ErrNoVolume, id)
	} else if err != nil {
		return "", err
	}
	return dir, nil
}

// build makes a directory under another name and gives it its own when all of it is on the disk.
func build(dir string, fill func(to string) error) error {
	to := filepath.Join(filepath.Dir(dir), begun+filepath.Base(dir))
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	err := os.Mkdir(to, 0o700)
	if err == nil {
		err = fill(to)
	}
	if err == nil {
		err = syncDir(to)
	}
	if err == nil {
		err = os.Rename(to, dir)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(to))
	}
	return syncDir(filepath.Dir(dir))
}

// unmake takes a directory away: at once by its name, then all of it.
func unmake(dir string) error {
	to := filepath.Join(filepath.Dir(dir), gone+filepath.Base(dir))
	if err := os.Rename(dir, to); err != nil {
		return err
	}
	return errors.Join(syncDir(filepath.Dir(dir)), os.RemoveAll(to))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// entryNames lists directories by their names, without what is being made or deleted.
func entryNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if ids.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
