package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/meterhouse/meterhouse/store/image"
)

// ImageContents is what an image was found to contain.
type ImageContents = image.Contents

// The origins of an image.
const (
	ImageFound = "found" // it was there
	ImagePull  = "pull"
	ImageBuild = "build"
	ImageSave  = "save" // the files of an instance
)

// The states of an image. What is queued or being worked on is not over; removed ones are not shown.
const (
	ImageQueued   = "queued"
	ImageWorking  = "working"
	ImageReady    = "ready"
	ImageFailed   = "failed"
	ImageRemoving = "removing"
	ImageRemoved  = "removed"
)

// Image is what an instance can start from, on one node, or what is to become one.
type Image struct {
	ID, NodeID, NodeName string
	Reference            string // whole
	Origin, State        string
	TeamID, TeamName     string // who sees it; "": everybody
	PersonID, PersonName string // who asked for it; "": it was found
	InstanceID           string // whose files were saved
	EngineID, Digest     string
	Bytes                int64
	Contents             *ImageContents // nil: not looked into
	ContentsError        string
	Step                 string // of work, in the engine's words
	Done, Total          int64  // steps of it; Total 0: not known
	Error                string // why it failed
	CreatedAt, UsedAt    time.Time
	FinishedAt           *time.Time
	Instances, Templates int // that use it: instances whose life goes on
}

// Open reports whether it is waited for.
func (i Image) Open() bool { return i.State == ImageQueued || i.State == ImageWorking }

const imageQuery = `SELECT m.id, m.node_id, n.name, m.reference, m.origin, m.state, coalesce(m.team_id, ''), coalesce(t.name, ''), coalesce(m.person_id, ''), coalesce(p.name, ''),
	coalesce(m.instance_id, ''), m.engine_id, m.digest, m.bytes, coalesce(m.contents, ''), m.contents_error, m.step, m.done, m.total, m.error, m.created_at, m.used_at, m.finished_at,
	(SELECT count(*) FROM instance_image u JOIN instance i ON i.id = u.instance_id WHERE u.engine_id = m.engine_id AND i.` + alive + `),
	(SELECT count(*) FROM template f WHERE f.image = m.reference AND f.removed_at IS NULL)
	FROM image m JOIN node n ON n.id = m.node_id LEFT JOIN team t ON t.id = m.team_id LEFT JOIN person p ON p.id = m.person_id `

func scanImage(r scanner) (Image, error) {
	var m Image
	var contents string
	var created, used int64
	var finished sql.NullInt64
	err := r.Scan(&m.ID, &m.NodeID, &m.NodeName, &m.Reference, &m.Origin, &m.State, &m.TeamID, &m.TeamName, &m.PersonID, &m.PersonName,
		&m.InstanceID, &m.EngineID, &m.Digest, &m.Bytes, &contents, &m.ContentsError, &m.Step, &m.Done, &m.Total, &m.Error, &created, &used, &finished, &m.Instances, &m.Templates)
	m.CreatedAt, m.UsedAt, m.FinishedAt = fromMicros(created), fromMicros(used), timeOrNil(finished)
	if err == nil && contents != "" {
		m.Contents = &ImageContents{}
		err = json.Unmarshal([]byte(contents), m.Contents)
	}
	return m, err
}

// failedShown is how long the catalogue shows what failed.
const failedShown = 7 * 24 * time.Hour

// Images returns what a team can see, all for "": what is worked on or has failed lately first, then by name.
func (s *Store) Images(ctx context.Context, teamID string) (all []Image, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanImage, imageQuery+`WHERE m.state <> 'removed' AND (m.state <> 'failed' OR m.finished_at > ?2) AND (?1 = '' OR m.team_id IS NULL OR m.team_id = ?1)
			ORDER BY m.state IN ('ready', 'removing'), CASE WHEN m.state IN ('ready', 'removing') THEN m.reference ELSE '' END, m.seq DESC`, teamID, micros(t.now.Add(-failedShown)))
		return err
	})
	return all, err
}

// Image returns one.
func (s *Store) Image(ctx context.Context, id string) (m Image, err error) {
	err = s.read(ctx, func(t *tx) error {
		m, err = t.image(id)
		return err
	})
	return m, err
}

func (t *tx) image(id string) (Image, error) {
	m, err := scanImage(t.row(imageQuery+"WHERE m.id = ?", id))
	return m, orNotFound(err, "image", id)
}

// ImageSpace is what the images of a node take.
type ImageSpace struct {
	NodeName         string
	Bytes, FreeBytes int64
	Error            string // why nothing is known of its images; "": they were listed at SeenAt
	SeenAt           time.Time
}

// ImageSpaces returns them by node.
func (s *Store) ImageSpaces(ctx context.Context) (all []ImageSpace, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, func(r scanner) (ImageSpace, error) {
			var i ImageSpace
			var seen int64
			err := r.Scan(&i.NodeName, &i.Bytes, &i.FreeBytes, &i.Error, &seen)
			i.SeenAt = fromMicros(seen)
			return i, err
		}, "SELECT n.name, s.bytes, s.free_bytes, s.error, s.seen_at FROM image_space s JOIN node n ON n.id = s.node_id ORDER BY n.name")
		return err
	})
	return all, err
}
