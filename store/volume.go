package store

import (
	"context"
	"database/sql"
	"time"
)

// Storage is the item of the ledger that volumes are: nobody rents an instance of that kind.
const Storage InstanceKind = "storage"

// VolumeState is where a volume or a snapshot stands.
type VolumeState string

// The states of volumes and snapshots; the database refuses every other step than creating → ready → deleting → deleted, and
// creating → failed.
const (
	VolumeCreating VolumeState = "creating"
	VolumeReady    VolumeState = "ready"
	VolumeDeleting VolumeState = "deleting"
	VolumeDeleted  VolumeState = "deleted"
	VolumeFailed   VolumeState = "failed"
)

// Volume is storage that outlives instances.
type Volume struct {
	ID, Name             string
	State                VolumeState
	NodeID               string
	TeamID, TeamName     string
	PersonID, PersonName string // who made it
	Shared               bool   // the whole team may attach it and change its files
	GiB                  int64  // asked for
	HeldGiB              int64  // what the node has made of it, and what is billed
	RateMicros           int64  // a GiB-month of 730 h, locked
	SnapshotID           string // it began as this one
	CreatedAt            time.Time
	ReadyAt, DeletedAt   *time.Time
	Fault                string // why the node could not do what was asked last, in its words
	UsedBytes, HeldBytes *int64 // as last seen; nil: not yet
	SeenAt               *time.Time
	Attachments          []Attachment // live ones
	Snapshots            []VolumeSnapshot
	CostMicros           int64 // by now, of those that Volumes and Volume return

	bookedMicros  int64
	bookedThrough *time.Time
}

// MonthMicros is what a volume and its snapshots cost in a month of 730 h, as they are.
func (v *Volume) MonthMicros() int64 {
	sum := v.HeldGiB * v.RateMicros
	for _, s := range v.Snapshots {
		if s.State == VolumeReady {
			sum += s.GiB * s.RateMicros
		}
	}
	return sum
}

// VolumeSnapshot is what a volume held at a moment.
type VolumeSnapshot struct {
	ID, VolumeID, Name string
	State              VolumeState
	GiB                int64 // what it takes, begun GiB
	RateMicros         int64
	CreatedAt          time.Time
	Fault              string
}

// Attachment is a volume in an instance.
type Attachment struct {
	InstanceID, InstanceName string
	VolumeID, VolumeName     string
	Path                     string // in the instance
	ReadOnly                 bool
}

const volumeQuery = `SELECT v.id, v.name, v.state, v.node_id, v.team_id, t.name, v.person_id, p.name, v.shared, v.gib, v.held_gib, v.rate, coalesce(v.snapshot_id, ''),
	v.created_at, v.ready_at, v.deleted_at, v.fault, v.used_bytes, v.held_bytes, v.seen_at, v.booked_micros, v.booked_through
	FROM volume v JOIN team t ON t.id = v.team_id JOIN person p ON p.id = v.person_id `

func scanVolume(r scanner) (v Volume, err error) {
	var created int64
	var ready, deleted, used, held, seen, booked sql.NullInt64
	err = r.Scan(&v.ID, &v.Name, &v.State, &v.NodeID, &v.TeamID, &v.TeamName, &v.PersonID, &v.PersonName, &v.Shared, &v.GiB, &v.HeldGiB, &v.RateMicros, &v.SnapshotID,
		&created, &ready, &deleted, &v.Fault, &used, &held, &seen, &v.bookedMicros, &booked)
	v.CreatedAt, v.ReadyAt, v.DeletedAt, v.SeenAt, v.bookedThrough = fromMicros(created), timeOrNil(ready), timeOrNil(deleted), timeOrNil(seen), timeOrNil(booked)
	if used.Valid && held.Valid {
		v.UsedBytes, v.HeldBytes = &used.Int64, &held.Int64
	}
	return v, err
}

// Volumes returns a team's volumes that there are (every team's for ""), by name.
func (s *Store) Volumes(ctx context.Context, teamID string) (all []Volume, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanVolume, volumeQuery+"WHERE v.deleted_at IS NULL AND (?1 = '' OR v.team_id = ?1) ORDER BY t.name, v.name, +v.seq", teamID)
		for k := range all {
			if err := t.withVolume(&all[k]); err != nil {
				return err
			}
		}
		return err
	})
	return all, err
}

// Volume returns one by its id, also one that is deleted.
func (s *Store) Volume(ctx context.Context, id string) (v Volume, err error) {
	err = s.read(ctx, func(t *tx) error {
		v, err = t.volume(id)
		return err
	})
	return v, err
}

func (t *tx) volume(id string) (Volume, error) {
	v, err := scanVolume(t.row(volumeQuery+"WHERE v.id = ?", id))
	if err != nil {
		return v, orNotFound(err, "volume", id)
	}
	return v, t.withVolume(&v)
}

// withVolume fills in what stands in other tables.
func (t *tx) withVolume(v *Volume) (err error) {
	if v.Attachments, err = list(t, scanAttachment, attachmentQuery+"WHERE a.volume_id = ? AND a.released_at IS NULL ORDER BY a.attached_at, i.seq", v.ID); err != nil {
		return err
	}
	if v.Snapshots, err = list(t, scanSnapshot, snapshotQuery+"WHERE s.volume_id = ? AND s.deleted_at IS NULL ORDER BY s.seq", v.ID); err != nil {
		return err
	}
	v.CostMicros, err = t.volumeCost(v)
	return err
}

const attachmentQuery = `SELECT a.instance_id, i.name, a.volume_id, v.name, a.path, a.read_only
	FROM volume_attachment a JOIN instance i ON i.id = a.instance_id JOIN volume v ON v.id = a.volume_id `

func scanAttachment(r scanner) (a Attachment, err error) {
	return a, r.Scan(&a.InstanceID, &a.InstanceName, &a.VolumeID, &a.VolumeName, &a.Path, &a.ReadOnly)
}

const snapshotQuery = "SELECT s.id, s.volume_id, s.name, s.state, s.gib, s.rate, s.created_at, s.fault FROM volume_snapshot s "

func scanSnapshot(r scanner) (s VolumeSnapshot, err error) {
	var created int64
	err = r.Scan(&s.ID, &s.VolumeID, &s.Name, &s.State, &s.GiB, &s.RateMicros, &created, &s.Fault)
	s.CreatedAt = fromMicros(created)
	return s, err
}

// Attachments returns the volumes that an instance has, by their paths; of an ended one those that it had.
func (s *Store) Attachments(ctx context.Context, instanceID string) (all []Attachment, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanAttachment, attachmentQuery+"WHERE a.instance_id = ? ORDER BY a.path", instanceID)
		return err
	})
	return all, err
}

// MayUse reports whether a person with a role in the volume's team may attach it and change its files: their own, one
// that is shared, or as a manager any.
func (v *Volume) MayUse(role Role, personID string) bool {
	return role.Acts(v.PersonID == personID) || v.Shared && role.AtLeast(Member)
}

// Sees reports whether a person with a role in the volume's team may look at it: a private one is for its person and for
// managers alone.
func (v *Volume) Sees(role Role, personID string) bool {
	return role.Sees() && (v.Shared || v.PersonID == personID || role.AtLeast(Manager))
}
