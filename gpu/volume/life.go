package volume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// reserve is what volumes leave free on the node: a console whose disk is full can't write its books.
const reserve = 256 << 20 // bytes

// Create makes an empty volume of a size. One that exists stays as it is; NoRoom if the node can't hold it.
func (m *Manager) Create(ctx context.Context, id string, bytes int64) error {
	return m.make(id, bytes, func(to string) error { return m.kind.create(ctx, to, bytes) })
}

// Clone makes a volume of at least a size that begins as a snapshot's content.
func (m *Manager) Clone(ctx context.Context, snapshot, id string, bytes int64) error {
	from, err := m.known(snapshotsDir, snapshot)
	if err != nil {
		return err
	}
	return m.make(id, bytes, func(to string) error {
		if err := m.kind.copy(ctx, from, to); err != nil {
			return err
		}
		if size, err := m.kind.size(to); err != nil || size >= bytes {
			return err
		}
		return m.kind.grow(ctx, to, bytes)
	})
}

func (m *Manager) make(id string, bytes int64, fill func(string) error) error {
	dir, err := m.at(volumesDir, id)
	if err != nil {
		return err
	}
	defer m.lock(id)()
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	m.room.Lock()
	defer m.room.Unlock()
	if err := m.hasRoom(bytes); err != nil {
		return err
	}
	return build(dir, fill)
}

// hasRoom refuses what could fill the node: what the others may still grow to is promised to them.
func (m *Manager) hasRoom(bytes int64) error {
	var st unix.Statfs_t
	if err := unix.Statfs(m.dir, &st); err != nil {
		return fmt.Errorf("look for room on the node: %w", err)
	}
	free := int64(st.Bavail)*st.Bsize - reserve
	known, err := m.List()
	if err != nil {
		return err
	}
	for _, id := range known {
		dir := filepath.Join(m.dir, volumesDir, id)
		size, err := m.kind.size(dir)
		if err != nil {
			return err
		}
		taken, err := m.kind.taken(dir)
		if err != nil {
			return err
		}
		free -= max(size-taken, 0)
	}
	if bytes > free {
		return &NoRoom{Wanted: bytes, Free: max(free, 0)}
	}
	return nil
}

// List returns the ids of all volumes on this node.
func (m *Manager) List() ([]string, error) { return entryNames(filepath.Join(m.dir, volumesDir)) }

// Snapshots returns the ids of all snapshots on this node.
func (m *Manager) Snapshots() ([]string, error) {
	return entryNames(filepath.Join(m.dir, snapshotsDir))
}

// Mount makes a volume's files be there and returns where: to be given to Present, or to be looked through.
func (m *Manager) Mount(ctx context.Context, id string) (string, error) {
	dir, err := m.known(volumesDir, id)
	if err != nil {
		return "", err
	}
	defer m.lock(id)()
	return filepath.Join(dir, filesDir), m.kind.mount(ctx, dir)
}

// Unmount gives back what Mount took; ErrInUse while something works in the volume. What is not mounted stays so.
func (m *Manager) Unmount(id string) error {
	dir, err := m.known(volumesDir, id)
	if err != nil {
		return err
	}
	defer m.lock(id)()
	return m.kind.unmount(dir)
}

// Mounted reports whether a volume's files are there now.
func (m *Manager) Mounted(id string) (bool, error) {
	dir, err := m.known(volumesDir, id)
	if err != nil {
		return false, err
	}
	return isMounted(filepath.Join(dir, filesDir))
}

// Resize makes a volume larger, also while instances work in it; ErrSmaller else.
func (m *Manager) Resize(ctx context.Context, id string, bytes int64) error {
	dir, err := m.known(volumesDir, id)
	if err != nil {
		return err
	}
	defer m.lock(id)()
	size, err := m.kind.size(dir)
	if err != nil {
		return err
	}
	if bytes < size {
		return ErrSmaller
	}
	m.room.Lock()
	defer m.room.Unlock()
	if err := m.hasRoom(bytes - size); err != nil {
		return err
	}
	return m.kind.grow(ctx, dir, bytes)
}

// Usage says how full a volume is. It mounts what is not.
func (m *Manager) Usage(ctx context.Context, id string) (Usage, error) {
	dir, err := m.known(volumesDir, id)
	if err != nil {
		return Usage{}, err
	}
	defer m.lock(id)()
	if err := m.kind.mount(ctx, dir); err != nil {
		return Usage{}, err
	}
	return m.kind.usage(ctx, dir)
}

// Snapshot keeps what a volume holds now under another id and returns what that takes on the node. One that exists stays as it
// is. Of an image it is as of one moment: writers wait for as long as the copy takes, a moment where the node's file system can
// share blocks. Of a watched directory it is as of each file's own moment.
func (m *Manager) Snapshot(ctx context.Context, id, snapshot string) (bytes int64, err error) {
	from, err := m.known(volumesDir, id)
	if err != nil {
		return 0, err
	}
	to, err := m.at(snapshotsDir, snapshot)
	if err != nil {
		return 0, err
	}
	defer m.lock(id)()
	if _, err := os.Stat(to); err == nil {
		return m.kind.taken(to)
	}
	m.room.Lock()
	defer m.room.Unlock()
	taken, err := m.kind.taken(from)
	if err == nil {
		err = m.hasRoom(taken)
	}
	if err == nil {
		err = build(to, func(to string) error { return m.kind.copy(ctx, from, to) })
	}
	if err != nil {
		return 0, err
	}
	return m.kind.taken(to)
}

// Delete takes a volume away for good; ErrInUse while something works in it. What is not there is deleted.
func (m *Manager) Delete(id string) error {
	dir, err := m.known(volumesDir, id)
	if errors.Is(err, ErrNoVolume) {
		return nil
	}
	if err != nil {
		return err
	}
	defer m.lock(id)()
	if err := m.kind.unmount(dir); err != nil {
		return err
	}
	return unmake(dir)
}

// DeleteSnapshot takes a snapshot away for good. What is not there is deleted.
func (m *Manager) DeleteSnapshot(snapshot string) error {
	dir, err := m.known(snapshotsDir, snapshot)
	if errors.Is(err, ErrNoVolume) {
		return nil
	}
	if err != nil {
		return err
	}
	return unmake(dir)
}
