package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/volume"
	"github.com/meterhouse/meterhouse/store"
)

const volumesInterval = 20 * time.Second

// volumes makes what is on the node match what the database says of volumes, and writes down how full they are.
func (m *machine) volumes(ctx context.Context) error {
	if m.vols == nil {
		return nil
	}
	defer m.leaveVolumes()
	return m.loop(ctx, "volumes", volumesInterval, m.volumesNow, m.tendVolumes)
}

// leaveVolumes unmounts what the console had mounted for itself; instances go on in mounts of their own.
func (m *machine) leaveVolumes() {
	all, err := m.vols.List()
	for _, id := range all {
		if e := m.vols.Unmount(id); e != nil && !errors.Is(e, volume.ErrInUse) {
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		m.log.Warn("a volume stays mounted", "error", err)
	}
}

// tendVolumes does one thing after the other; what fails with one volume keeps no other from being tended.
func (m *machine) tendVolumes(ctx context.Context) error {
	all, err := m.store.NodeVolumes(ctx, m.nodeID())
	if err != nil {
		return fmt.Errorf("look for volumes: %w", err)
	}
	var failed []error
	for k := range all {
		if err := m.tendVolume(ctx, &all[k]); err != nil && ctx.Err() == nil {
			failed = append(failed, fmt.Errorf("volume %s: %w", all[k].ID, err))
		}
	}
	return errors.Join(append(failed, m.dropSnapshots(ctx))...)
}

func (m *machine) tendVolume(ctx context.Context, v *store.Volume) error {
	switch {
	case v.State == store.VolumeCreating, v.State == store.VolumeReady && v.HeldGiB < v.GiB:
		if err := m.makeVolume(ctx, v); err != nil {
			return err
		}
	case v.State == store.VolumeDeleting:
		if err := m.vols.Delete(v.ID); err != nil {
			return err
		}
		if err := m.store.MarkVolumeDeleted(ctx, v.ID); err != nil {
			return err
		}
	case v.State == store.VolumeReady:
		if err := m.lookAtVolume(ctx, v); err != nil {
			return err
		}
	}
	for _, snap := range v.Snapshots {
		if err := m.tendSnapshot(ctx, v, snap); err != nil {
			return err
		}
	}
	return nil
}

// makeVolume makes a volume, or makes it larger. What the node has no room for is written down where the person sees it.
func (m *machine) makeVolume(ctx context.Context, v *store.Volume) error {
	bytes := v.GiB * store.GiB
	var err error
	switch {
	case v.State == store.VolumeReady:
		err = m.vols.Resize(ctx, v.ID, bytes)
	case v.SnapshotID != "":
		err = m.vols.Clone(ctx, v.SnapshotID, v.ID, bytes)
	default:
		err = m.vols.Create(ctx, v.ID, bytes)
	}
	if err == nil {
		return m.store.MarkVolumeReady(ctx, v.ID, v.GiB, m.now())
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return m.store.MarkVolumeFault(ctx, v.ID, err.Error())
}

// lookAtVolume writes down how full a volume is while it is mounted, and unmounts what nobody uses.
func (m *machine) lookAtVolume(ctx context.Context, v *store.Volume) error {
	mounted, err := m.vols.Mounted(v.ID)
	if err != nil {
		return err
	}
	if mounted || v.SeenAt == nil || len(v.Attachments) > 0 {
		u, err := m.vols.Usage(ctx, v.ID)
		if err != nil {
			return err
		}
		if err := m.store.MarkVolumeSeen(ctx, v.ID, u.Used, u.Bytes); err != nil {
			return err
		}
	}
	if len(v.Attachments) > 0 {
		return nil
	}
	if err := m.vols.Unmount(v.ID); err != nil && !errors.Is(err, volume.ErrInUse) {
		return err
	}
	return nil
}

func (m *machine) tendSnapshot(ctx context.Context, v *store.Volume, snap store.VolumeSnapshot) error {
	switch {
	case snap.State == store.VolumeCreating && v.State == store.VolumeReady:
		bytes, err := m.vols.Snapshot(ctx, v.ID, snap.ID)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return m.store.MarkSnapshotGone(ctx, snap.ID, err.Error())
		}
		return m.store.MarkSnapshotReady(ctx, snap.ID, bytes, m.now())
	case snap.State == store.VolumeDeleting:
		if err := m.vols.DeleteSnapshot(snap.ID); err != nil {
			return err
		}
		return m.store.MarkSnapshotGone(ctx, snap.ID, "")
	}
	return nil
}

// dropSnapshots removes what was made of snapshots that were given up meanwhile. The node is looked at first: what the database
// learns of after that is not on the list.
func (m *machine) dropSnapshots(ctx context.Context) error {
	there, err := m.vols.Snapshots()
	if err != nil || len(there) == 0 {
		return err
	}
	all, err := m.store.NodeVolumes(ctx, m.nodeID())
	if err != nil {
		return err
	}
	for _, id := range there {
		known := slices.ContainsFunc(all, func(v store.Volume) bool {
			return slices.ContainsFunc(v.Snapshots, func(s store.VolumeSnapshot) bool { return s.ID == id })
		})
		if !known {
			if err := m.vols.DeleteSnapshot(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// errNoVolumes says why nothing can be attached on a node without a place for volumes.
var errNoVolumes = errors.New("this node keeps no volumes")

// mounts makes the volumes of an instance be there, for its executor to present and bind.
func (m *machine) mounts(ctx context.Context, instanceID string) ([]gpu.Mount, error) {
	attached, err := m.store.Attachments(ctx, instanceID)
	if err != nil || len(attached) == 0 {
		return nil, err
	}
	if m.vols == nil {
		return nil, errNoVolumes
	}
	list := make([]gpu.Mount, 0, len(attached))
	for _, a := range attached {
		at, err := m.vols.Mount(ctx, a.VolumeID)
		if err != nil {
			return nil, fmt.Errorf("mount the volume %s: %w", a.VolumeName, err)
		}
		list = append(list, gpu.Mount{Source: at, Target: a.Path, ReadOnly: a.ReadOnly})
	}
	return list, nil
}

// VolumeTree opens the files of a volume of this node; close it. An error of volume says what is wrong with it.
func (f *Fleet) VolumeTree(ctx context.Context, id string) (*volume.Tree, error) {
	if f.local.vols == nil {
		return nil, errNoVolumes
	}
	return f.local.vols.Tree(ctx, id)
}

// VolumeLimit says how this node holds volumes to their size.
func (f *Fleet) VolumeLimit() gpu.Limit {
	if f.local.vols == nil {
		return gpu.Limit{Name: "volumes", Detail: errNoVolumes.Error()}
	}
	return f.local.vols.Limit()
}

// openVolumes takes the directory for volumes; "" is none.
func openVolumes(dir string) (*volume.Manager, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return volume.Open(dir)
}
