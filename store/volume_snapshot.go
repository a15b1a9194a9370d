package store

import (
	"context"
	"time"
)

// GiB is what sizes of volumes are counted in.
const GiB = int64(1) << 30

// SnapshotVolume writes down that a volume's content is to be kept; the node does it, and it is billed from when it has.
func (s *Store) SnapshotVolume(ctx context.Context, by, volumeID, name string, request Request) (snap VolumeSnapshot, made bool, err error) {
	if name, err = cleanName("name", name); err != nil {
		return snap, false, err
	}
	err = s.write(ctx, func(t *tx) error {
		v, err := t.usableVolume(by, volumeID)
		if err != nil {
			return err
		}
		if v.State != VolumeReady {
			return &Error{Kind: Conflict, Message: "volume_not_ready"}
		}
		id, first, err := t.once(by, request, func() (string, error) {
			if err := t.budgetsRefuse(v.PersonID, v.TeamID, nil, false); err != nil {
				return "", err
			}
			rate, err := t.storagePrice()
			if err != nil {
				return "", err
			}
			id := newID("s-")
			if _, err = t.exec("INSERT INTO volume_snapshot (id, volume_id, name, state, person_id, rate, created_at) VALUES (?, ?, ?, 'creating', ?, ?, ?)",
				id, volumeID, name, by, rate, micros(t.now)); err != nil {
				return "", err
			}
			t.emit("volume", volumeID)
			return id, t.audit(AuditRecord{PersonID: by, Action: "snapshot_created", Target: id, Detail: v.Name})
		})
		if err != nil {
			return err
		}
		made = first
		snap, err = scanSnapshot(t.row(snapshotQuery+"WHERE s.id = ?", id))
		return err
	})
	return snap, made, err
}

// DeleteSnapshot deletes a snapshot for good; again changes nothing.
func (s *Store) DeleteSnapshot(ctx context.Context, by, volumeID, id string) error {
	return s.write(ctx, func(t *tx) error {
		snap, err := scanSnapshot(t.row(snapshotQuery+"WHERE s.id = ? AND s.volume_id = ?", id, volumeID))
		if err != nil {
			return orNotFound(err, "snapshot", id)
		}
		if _, err = t.usableVolume(by, volumeID); err != nil || snap.State == VolumeDeleting || snap.State == VolumeDeleted {
			return err
		}
		v, err := t.ownVolume(by, volumeID)
		if err != nil {
			return err
		}
		if snap.State == VolumeCreating {
			return &Error{Kind: Conflict, Message: "volume_not_ready"}
		}
		if err := t.endSnapshot(volumeID, id); err != nil {
			return err
		}
		t.emit("volume", volumeID)
		return t.audit(AuditRecord{PersonID: by, Action: "snapshot_deleted", Target: id, Detail: v.Name})
	})
}

// endSnapshot ends a snapshot's billing; the node takes it away. What the node has not begun yet never was.
func (t *tx) endSnapshot(volumeID, id string) error {
	if _, err := t.closeVolumeSegment(volumeID, id, t.now); err != nil {
		return err
	}
	_, err := t.exec(`UPDATE volume_snapshot SET deleted_at = CASE state WHEN 'creating' THEN ?1 END, state = CASE state WHEN 'creating' THEN 'failed' ELSE 'deleting' END
		WHERE id = ?2 AND state IN ('creating', 'ready')`, micros(t.now), id)
	return err
}

// MarkVolumeReady says that the node has made a volume, or made it larger: what it has is billed from at on.
func (s *Store) MarkVolumeReady(ctx context.Context, id string, gib int64, at time.Time) error {
	return s.write(ctx, func(t *tx) error {
		v, err := t.volume(id)
		if err != nil || v.State != VolumeCreating && v.State != VolumeReady || v.State == VolumeReady && gib <= v.HeldGiB {
			return err
		}
		at = later(earlier(at, t.now), v.CreatedAt)
		if v.State == VolumeCreating {
			if _, err := t.exec("UPDATE volume SET state = 'ready', ready_at = ?1, booked_through = ?1 WHERE id = ?2", micros(at), id); err != nil {
				return err
			}
		} else if at, err = t.closeVolumeSegment(id, "", at); err != nil {
			return err
		}
		if _, err := t.exec("UPDATE volume SET held_gib = ?, fault = '' WHERE id = ?", gib, id); err != nil {
			return err
		}
		t.emit("volume", id)
		return t.openVolumeSegment(id, "", gib, v.RateMicros, at)
	})
}

// MarkVolumeFault says why the node could not do what was asked. One that was never made has failed and is not billed.
func (s *Store) MarkVolumeFault(ctx context.Context, id, why string) error {
	return s.write(ctx, func(t *tx) error {
		t.emit("volume", id)
		_, err := t.exec(`UPDATE volume SET fault = ?1, deleted_at = CASE state WHEN 'creating' THEN ?2 ELSE deleted_at END,
			state = CASE state WHEN 'creating' THEN 'failed' ELSE state END WHERE id = ?3 AND fault <> ?1`, clipped(why, detailMax), micros(t.now), id)
		return err
	})
}

// MarkVolumeDeleted says that the node has taken a volume away.
func (s *Store) MarkVolumeDeleted(ctx context.Context, id string) error {
	return s.write(ctx, func(t *tx) error {
		t.emit("volume", id)
		_, err := t.exec("UPDATE volume SET state = 'deleted', deleted_at = max(booked_through, ready_at) WHERE id = ? AND state = 'deleting'", id)
		return err
	})
}

// MarkVolumeSeen writes down how full a volume is.
func (s *Store) MarkVolumeSeen(ctx context.Context, id string, used, held int64) error {
	return s.write(ctx, func(t *tx) error {
		changed, err := t.exec("UPDATE volume SET used_bytes = ?1, held_bytes = ?2, seen_at = ?3 WHERE id = ?4 AND (used_bytes IS NOT ?1 OR held_bytes IS NOT ?2)", used, held, micros(t.now), id)
		if changed > 0 {
			t.emit("volume", id)
		}
		return err
	})
}

// MarkSnapshotReady says that the node has made a snapshot that takes so many bytes.
func (s *Store) MarkSnapshotReady(ctx context.Context, id string, bytes int64, at time.Time) error {
	return s.write(ctx, func(t *tx) error {
		snap, err := scanSnapshot(t.row(snapshotQuery+"WHERE s.id = ?", id))
		if err != nil || snap.State != VolumeCreating {
			return orNotFound(err, "snapshot", id)
		}
		gib := max((bytes+GiB-1)/GiB, 1)
		v, err := t.volume(snap.VolumeID)
		if err != nil {
			return err
		}
		at = later(later(earlier(at, t.now), snap.CreatedAt), *v.ReadyAt)
		if _, err := t.exec("UPDATE volume_snapshot SET state = 'ready', ready_at = ?, gib = ? WHERE id = ?", micros(at), gib, id); err != nil {
			return err
		}
		t.emit("volume", snap.VolumeID)
		return t.openVolumeSegment(snap.VolumeID, id, gib, snap.RateMicros, at)
	})
}

// MarkSnapshotGone says that the node has taken a snapshot away, or, with why, that it could not make it.
func (s *Store) MarkSnapshotGone(ctx context.Context, id, why string) error {
	return s.write(ctx, func(t *tx) error {
		t.emit("volume", id)
		_, err := t.exec(`UPDATE volume_snapshot SET fault = ?1, deleted_at = ?2, state = CASE state WHEN 'creating' THEN 'failed' ELSE 'deleted' END
			WHERE id = ?3 AND (state = 'deleting' AND ?1 = '' OR state = 'creating' AND ?1 <> '')`, clipped(why, detailMax), micros(t.now), id)
		return err
	})
}

// NodeVolumes returns what a node has to look after: its volumes that there are, and those that are to be made or taken away,
// with their snapshots; also of volumes that have just gone.
func (s *Store) NodeVolumes(ctx context.Context, nodeID string) (all []Volume, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanVolume, volumeQuery+`WHERE v.node_id = ? AND (v.deleted_at IS NULL
			OR EXISTS (SELECT 1 FROM volume_snapshot s WHERE s.volume_id = v.id AND s.deleted_at IS NULL)) ORDER BY v.seq`, nodeID)
		for k := range all {
			if err := t.withVolume(&all[k]); err != nil {
				return err
			}
		}
		return err
	})
	return all, err
}
