package web

import (
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// Volumes is a list of them.
type Volumes struct {
	Volumes    []Volume `json:"volumes"`
	NextCursor string   `json:"next_cursor"`
}

// Volume is storage that outlives instances.
type Volume struct {
	ID                string             `json:"id"`
	Name              string             `json:"name"`
	Status            string             `json:"status"` // creating, ready, deleting, deleted or failed
	TeamID            string             `json:"team_id"`
	Team              string             `json:"team"`
	PersonID          string             `json:"person_id"`
	Person            string             `json:"person"`
	Shared            bool               `json:"shared"`
	GiB               int64              `json:"gib"`      // asked for
	HeldGiB           int64              `json:"held_gib"` // what the node has made of it, and what is billed
	UsedBytes         *int64             `json:"used_bytes"`
	CapacityBytes     *int64             `json:"capacity_bytes"` // what fits, a little less than its size
	MicrosPerGiBMonth int64              `json:"micros_per_gib_month"`
	MonthMicros       int64              `json:"month_micros"` // of 730 h, with its snapshots
	CostMicros        int64              `json:"cost_micros"`
	Fault             string             `json:"fault"`
	CreatedAt         time.Time          `json:"created_at"`
	ReadyAt           *time.Time         `json:"ready_at"`
	DeletedAt         *time.Time         `json:"deleted_at"`
	Attachments       []VolumeAttachment `json:"attachments"`
	Snapshots         []VolumeSnapshot   `json:"snapshots"`
}

// VolumeAttachment is an instance that has a volume.
type VolumeAttachment struct {
	InstanceID string `json:"instance_id"`
	Instance   string `json:"instance"`
	Path       string `json:"path"`
	ReadOnly   bool   `json:"read_only"`
}

// VolumeSnapshot is what a volume held at a moment.
type VolumeSnapshot struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Status    string    `json:"status"`
	GiB       int64     `json:"gib"` // begun ones
	Fault     string    `json:"fault"`
	CreatedAt time.Time `json:"created_at"`
}

// VolumeBody is what POST /volumes takes.
type VolumeBody struct {
	Name           string `json:"name"`
	GiB            int64  `json:"gib"`
	Shared         bool   `json:"shared"`
	TeamID         string `json:"team_id"`  // "": the person's home team
	Snapshot       string `json:"snapshot"` // the id of what it begins as; "": empty
	IdempotencyKey string `json:"idempotency_key"`
}

// VolumeChangeBody is what becomes of a volume.
type VolumeChangeBody struct {
	GiB    *int64 `json:"gib"`
	Shared *bool  `json:"shared"`
}

// SnapshotBody is what a snapshot is called.
type SnapshotBody struct {
	Name           string `json:"name"`
	IdempotencyKey string `json:"idempotency_key"`
}

// VolumeWish is a volume that an instance is to have.
type VolumeWish struct {
	Volume   string `json:"volume"` // id, or name in the team
	Path     string `json:"path"`
	ReadOnly bool   `json:"read_only"`
}

func wishes(body []VolumeWish) []store.VolumeWish {
	var all []store.VolumeWish
	for _, w := range body {
		all = append(all, store.VolumeWish{Volume: w.Volume, Path: w.Path, ReadOnly: w.ReadOnly})
	}
	return all
}

func volumeOut(v *store.Volume) Volume {
	out := Volume{ID: v.ID, Name: v.Name, Status: string(v.State), TeamID: v.TeamID, Team: v.TeamName, PersonID: v.PersonID, Person: v.PersonName, Shared: v.Shared,
		GiB: v.GiB, HeldGiB: v.HeldGiB, UsedBytes: v.UsedBytes, CapacityBytes: v.HeldBytes, MicrosPerGiBMonth: v.RateMicros, MonthMicros: v.MonthMicros(), CostMicros: v.CostMicros,
		Fault: v.Fault, CreatedAt: v.CreatedAt, ReadyAt: v.ReadyAt, DeletedAt: v.DeletedAt,
		Attachments: make([]VolumeAttachment, 0, len(v.Attachments)), Snapshots: make([]VolumeSnapshot, 0, len(v.Snapshots))}
	for _, a := range v.Attachments {
		out.Attachments = append(out.Attachments, VolumeAttachment{InstanceID: a.InstanceID, Instance: a.InstanceName, Path: a.Path, ReadOnly: a.ReadOnly})
	}
	for _, s := range v.Snapshots {
		out.Snapshots = append(out.Snapshots, snapshotOut(s))
	}
	return out
}

func snapshotOut(s store.VolumeSnapshot) VolumeSnapshot {
	return VolumeSnapshot{ID: s.ID, Name: s.Name, Status: string(s.State), GiB: s.GiB, Fault: s.Fault, CreatedAt: s.CreatedAt}
}

// volume loads a volume that the person may see. What is another's own is answered as if there were none.
func (s *Server) volume(c *call) (store.Volume, error) {
	id := c.Param("id")
	if !plainID(id) {
		return store.Volume{}, notFound("volume")
	}
	v, err := s.store.Volume(c.Request().Context(), id)
	if err == nil && !v.Sees(c.who.RoleIn(v.TeamID), c.who.ID) {
		err = notFound("volume")
	}
	if err != nil {
		return store.Volume{}, err
	}
	return v, nil
}

// seenVolumes are those that the person may see.
func (s *Server) seenVolumes(c *call) ([]store.Volume, error) {
	all, err := s.store.Volumes(c.Request().Context(), c.team())
	var seen []store.Volume
	for k := range all {
		if all[k].Sees(c.who.RoleIn(all[k].TeamID), c.who.ID) {
			seen = append(seen, all[k])
		}
	}
	return seen, err
}

func (s *Server) listVolumes(c *call) error {
	seen, err := s.seenVolumes(c)
	if err != nil {
		return err
	}
	out := Volumes{Volumes: make([]Volume, 0, len(seen))}
	for k := range seen {
		out.Volumes = append(out.Volumes, volumeOut(&seen[k]))
	}
	return ok(c, out)
}

func (s *Server) createVolume(c *call) error {
	var body VolumeBody
	if err := decode(c, &body); err != nil {
		return err
	}
	if body.TeamID != "" && (!plainID(body.TeamID) || !c.sees(body.TeamID)) {
		return invalid("team_id", "team_not_found")
	}
	n := store.NewVolume{Name: body.Name, GiB: body.GiB, Shared: body.Shared, TeamID: body.TeamID, SnapshotID: body.Snapshot}
	var err error
	if n.Request, err = c.bodyRequest(&body.IdempotencyKey, &body); err != nil {
		return err
	}
	v, _, err := s.store.CreateVolume(c.Request().Context(), c.who.ID, n)
	if err != nil {
		return err
	}
	return created(c, apiRoot+"/volumes/"+v.ID, volumeOut(&v))
}

func (s *Server) getVolume(c *call) error {
	v, err := s.volume(c)
	if err != nil {
		return err
	}
	return ok(c, volumeOut(&v))
}

func (s *Server) changeVolume(c *call) error {
	var body VolumeChangeBody
	if err := decode(c, &body); err != nil {
		return err
	}
	v, err := s.volume(c)
	if err == nil {
		v, err = s.store.ChangeVolume(c.Request().Context(), c.who.ID, v.ID, store.VolumeChange{GiB: body.GiB, Shared: body.Shared})
	}
	if err != nil {
		return err
	}
	return ok(c, volumeOut(&v))
}

func (s *Server) deleteVolume(c *call) error {
	v, err := s.volume(c)
	if err == nil {
		err = s.store.DeleteVolume(c.Request().Context(), c.who.ID, v.ID)
	}
	if err != nil {
		return err
	}
	return gone(c)
}

func (s *Server) createSnapshot(c *call) error {
	var body SnapshotBody
	if err := decode(c, &body); err != nil {
		return err
	}
	v, err := s.volume(c)
	if err != nil {
		return err
	}
	request, err := c.bodyRequest(&body.IdempotencyKey, &body)
	if err != nil {
		return err
	}
	snap, _, err := s.store.SnapshotVolume(c.Request().Context(), c.who.ID, v.ID, body.Name, request)
	if err != nil {
		return err
	}
	return created(c, apiRoot+"/volumes/"+v.ID, snapshotOut(snap))
}

func (s *Server) deleteSnapshot(c *call) error {
	v, err := s.volume(c)
	if err != nil {
		return err
	}
	id := c.QueryParam("snapshot")
	if !plainID(id) {
		return notFound("snapshot")
	}
	if err := s.store.DeleteSnapshot(c.Request().Context(), c.who.ID, v.ID, id); err != nil {
		return err
	}
	return gone(c)
}
