package store

import (
	"context"
	"strconv"
)

// volumeGiBMax bounds a volume's size: a PiB. The database holds it too.
const volumeGiBMax = 1 << 20

// NewVolume is a volume to be made.
type NewVolume struct {
	TeamID     string // who pays; "": the person's home team
	Name       string
	GiB        int64
	Shared     bool
	SnapshotID string // it begins as this; "": empty
	Request    Request
}

// CreateVolume writes down that a volume is wanted; the node makes it, and it is billed from when it has. made is false if the
// same request made it before. Invalid names the Field; Forbidden for viewers; BudgetBlocks as Rent has it; Conflict for a name
// that a volume of the team has.
func (s *Store) CreateVolume(ctx context.Context, by string, n NewVolume) (v Volume, made bool, err error) {
	if n.Name, err = cleanName("name", n.Name); err != nil {
		return v, false, err
	}
	if n.GiB < 1 || n.GiB > volumeGiBMax {
		return v, false, invalid("gib", "out_of_range")
	}
	err = s.write(ctx, func(t *tx) error {
		p, err := t.activePerson(by)
		if err != nil {
			return err
		}
		if n.TeamID == "" {
			n.TeamID = p.TeamID
		}
		id, first, err := t.once(by, n.Request, func() (string, error) { return t.createVolume(by, n) })
		if err != nil {
			return err
		}
		made = first
		v, err = t.volume(id)
		return err
	})
	return v, made, err
}

func (t *tx) createVolume(by string, n NewVolume) (string, error) {
	if err := t.mayRent(RentRequest{PersonID: by, TeamID: n.TeamID}); err != nil {
		return "", err
	}
	if err := t.budgetsRefuse(by, n.TeamID, nil, false); err != nil {
		return "", err
	}
	var node string
	if err := t.row("SELECT id FROM node WHERE local = 1").Scan(&node); err != nil {
		return "", orNotFound(err, "node", "local")
	}
	if err := t.fitsSnapshot(by, n); err != nil {
		return "", err
	}
	rate, err := t.storagePrice()
	if err != nil {
		return "", err
	}
	id := newID("v-")
	_, err = t.exec(`INSERT INTO volume (id, name, state, node_id, team_id, person_id, shared, gib, rate, snapshot_id, created_at) VALUES (?, ?, 'creating', ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, n.Name, node, n.TeamID, by, n.Shared, n.GiB, rate, nullIfEmpty(n.SnapshotID), micros(t.now))
	if violates(err, "volume.name") {
		return "", &Error{Kind: Conflict, Field: "name", Message: "volume_name_taken", Args: map[string]string{"name": n.Name}}
	}
	if err != nil {
		return "", err
	}
	t.emit("volume", id)
	return id, t.audit(AuditRecord{PersonID: by, Action: "volume_created", Target: id, Detail: strconv.FormatInt(n.GiB, 10) + " GiB"})
}

// fitsSnapshot refuses to begin as a snapshot that the person may not use, of another team, or of a larger volume.
func (t *tx) fitsSnapshot(by string, n NewVolume) error {
	if n.SnapshotID == "" {
		return nil
	}
	snap, err := scanSnapshot(t.row(snapshotQuery+"WHERE s.id = ? AND s.state = 'ready'", n.SnapshotID))
	if err != nil {
		return orNotFound(err, "snapshot", n.SnapshotID)
	}
	v, err := t.usableVolume(by, snap.VolumeID)
	switch {
	case err != nil:
		return err
	case v.TeamID != n.TeamID:
		return notFound("snapshot", n.SnapshotID)
	case n.GiB < v.GiB:
		return &Error{Kind: Invalid, Field: "gib", Message: "volume_smaller", Args: map[string]string{"gib": strconv.FormatInt(v.GiB, 10)}}
	}
	return nil
}

// usableVolume returns a volume that a person may attach and change the files of. "" is the console.
func (t *tx) usableVolume(by, id string) (Volume, error) {
	v, err := t.volume(id)
	if err != nil || by == "" {
		return v, err
	}
	role, err := t.roleIn(by, v.TeamID)
	switch {
	case err != nil:
		return v, err
	case !v.Sees(role, by):
		return v, notFound("volume", id)
	case !v.MayUse(role, by):
		return v, &Error{Kind: Forbidden, Message: "volume_not_yours"}
	}
	return v, nil
}

// VolumeChange is what becomes of a volume; nil stays.
type VolumeChange struct {
	GiB    *int64 // it only grows
	Shared *bool
}

// ChangeVolume makes a volume larger, shares it with the team or makes it private. It takes its person, a manager or an admin;
// the larger size is billed from when the node has made it.
func (s *Store) ChangeVolume(ctx context.Context, by, id string, c VolumeChange) (v Volume, err error) {
	err = s.write(ctx, func(t *tx) error {
		if v, err = t.ownVolume(by, id); err != nil {
			return err
		}
		if c.GiB != nil && *c.GiB != v.GiB {
			if *c.GiB > volumeGiBMax || *c.GiB < 1 {
				return invalid("gib", "out_of_range")
			}
			if *c.GiB < v.GiB {
				return &Error{Kind: Invalid, Field: "gib", Message: "volume_smaller", Args: map[string]string{"gib": strconv.FormatInt(v.GiB, 10)}}
			}
			if err := t.budgetsRefuse(v.PersonID, v.TeamID, nil, false); err != nil {
				return err
			}
			if _, err := t.exec("UPDATE volume SET gib = ?, fault = '' WHERE id = ?", *c.GiB, id); err != nil {
				return err
			}
			if err := t.audit(AuditRecord{PersonID: by, Action: "volume_grown", Target: id, Detail: strconv.FormatInt(*c.GiB, 10) + " GiB"}); err != nil {
				return err
			}
		}
		if c.Shared != nil && *c.Shared != v.Shared {
			if _, err := t.exec("UPDATE volume SET shared = ? WHERE id = ?", *c.Shared, id); err != nil {
				return err
			}
			if err := t.audit(AuditRecord{PersonID: by, Action: "volume_shared", Target: id, Detail: strconv.FormatBool(*c.Shared)}); err != nil {
				return err
			}
		}
		t.emit("volume", id)
		v, err = t.volume(id)
		return err
	})
	return v, err
}

// ownVolume returns a ready volume that a person may share, grow or delete: their own, or as a manager the team's.
func (t *tx) ownVolume(by, id string) (Volume, error) {
	v, err := t.usableVolume(by, id)
	if err != nil {
		return v, err
	}
	if by != "" {
		role, err := t.roleIn(by, v.TeamID)
		if err != nil {
			return v, err
		}
		if !role.Acts(v.PersonID == by) {
			return v, &Error{Kind: Forbidden, Message: "volume_not_yours"}
		}
	}
	if v.State != VolumeReady {
		return v, &Error{Kind: Conflict, Message: "volume_not_ready"}
	}
	return v, nil
}

// DeleteVolume deletes a volume with its snapshots for good: it is billed no longer, and the node takes it away. Deleting again
// changes nothing. Conflict while an instance has it.
func (s *Store) DeleteVolume(ctx context.Context, by, id string) error {
	return s.write(ctx, func(t *tx) error {
		v, err := t.usableVolume(by, id)
		if err == nil && (v.State == VolumeDeleting || v.State == VolumeDeleted) {
			return nil
		}
		if v, err = t.ownVolume(by, id); err != nil {
			return err
		}
		if len(v.Attachments) > 0 {
			return &Error{Kind: Conflict, Message: "volume_attached", Args: map[string]string{"volume": v.Name, "instance": v.Attachments[0].InstanceName}}
		}
		for _, snap := range v.Snapshots {
			if err := t.endSnapshot(v.ID, snap.ID); err != nil {
				return err
			}
		}
		if _, err := t.closeVolumeSegment(id, "", t.now); err != nil {
			return err
		}
		if err := t.bookVolume(id, t.now); err != nil {
			return err
		}
		if _, err := t.exec("UPDATE volume SET state = 'deleting' WHERE id = ?", id); err != nil {
			return err
		}
		t.emit("volume", id)
		return t.audit(AuditRecord{PersonID: by, Action: "volume_deleted", Target: id, Detail: v.Name})
	})
}
