package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/meterhouse/meterhouse/store/image"
	"github.com/meterhouse/meterhouse/store/life"
)

// BuildContextMax is what the files of a build may come to, in bytes: they wait in the database for the build.
const BuildContextMax = 16 << 20

// NewImage is an image to be brought here or made.
type NewImage struct {
	Origin     string // ImagePull, ImageBuild or ImageSave
	Reference  string // as people write it; of what is made here without a registry
	InstanceID string // of ImageSave: a living instance that started from an image
	Dockerfile string // of ImageBuild
	Context    []byte // its files, a tar; nil: none
	TeamOnly   bool   // of what is made here: only the person's team sees it
	Request    Request
}

// AskImage queues the work that makes an image, on the console's own node; made is false if the same is under way already, which
// it then returns. Forbidden for who may not, Invalid for a name that is none, Conflict for one that another team's image has.
func (s *Store) AskImage(ctx context.Context, by string, n NewImage) (m Image, made bool, err error) {
	ref, err := cleanImage(&n)
	if err != nil {
		return m, false, err
	}
	err = s.write(ctx, func(t *tx) error {
		p, err := t.activePerson(by)
		if err != nil {
			return err
		}
		team := ""
		if n.TeamOnly || n.Origin == ImageSave {
			team = p.TeamID
		}
		if err := t.mayMakeImage(by, &n, ref, &team); err != nil {
			return err
		}
		id, fresh, err := t.once(by, n.Request, func() (string, error) { return t.insertImage(by, team, ref.String(), n) })
		if err == nil {
			made = fresh
			m, err = t.image(id)
		}
		return err
	})
	return m, made, err
}

func cleanImage(n *NewImage) (ref image.Reference, err error) {
	text, err := cleanText("reference", n.Reference, 1, imageMax)
	if err != nil {
		return ref, err
	}
	all := image.Candidates(text)
	if len(all) == 0 {
		return ref, invalid("reference", "image_name_wrong")
	}
	ref = all[len(all)-1]
	switch n.Origin {
	case ImagePull:
		if ref.Registry == image.Local {
			return ref, invalid("reference", "image_not_pullable")
		}
		return ref, nil
	case ImageBuild:
		if strings.TrimSpace(n.Dockerfile) == "" {
			return ref, invalid("dockerfile", "required")
		}
		if len(n.Dockerfile) > commandMax {
			return ref, tooLong("dockerfile", commandMax)
		}
		if len(n.Context) > BuildContextMax {
			return ref, invalid("context", "build_context_too_large")
		}
	case ImageSave:
	default:
		return ref, invalid("origin", "image_origin_wrong")
	}
	if ref = all[0]; ref.Registry != image.Local || ref.Digest != "" {
		return ref, invalid("reference", "image_name_local")
	}
	return ref, nil
}

// mayMakeImage refuses who may not; what is saved is seen by the instance's team.
func (t *tx) mayMakeImage(by string, n *NewImage, ref image.Reference, team *string) error {
	switch n.Origin {
	case ImagePull:
		return t.mayPull(by, ref)
	case ImageBuild:
		p, err := t.activePerson(by)
		switch {
		case err != nil:
			return err
		case !p.RoleIn(p.TeamID).AtLeast(Manager):
			return &Error{Kind: Forbidden, Message: "build_needs_manager"}
		}
		return t.nameIsFree(ref.String(), *team)
	}
	i, err := t.instance(n.InstanceID)
	if err != nil {
		return err
	}
	if err := t.mayAct(by, &i); err != nil {
		return err
	}
	switch *team = i.TeamID; {
	case i.Image == "":
		return &Error{Kind: Conflict, Message: "save_needs_image"}
	case i.State != life.Running && i.State != life.Suspended && i.State != life.Reclaiming:
		return &Error{Kind: Conflict, Message: "save_needs_running"}
	}
	return t.nameIsFree(ref.String(), *team)
}

// nameIsFree keeps one team from putting its files under another's name.
func (t *tx) nameIsFree(reference, team string) error {
	taken, err := t.number("SELECT count(*) FROM image WHERE reference = ? AND state NOT IN ('failed', 'removed') AND coalesce(team_id, '') <> ?", reference, team)
	if err == nil && taken > 0 {
		err = &Error{Kind: Conflict, Field: "reference", Message: "image_name_taken"}
	}
	return err
}

func (t *tx) insertImage(by, team, reference string, n NewImage) (id string, err error) {
	var node string
	err = t.row("SELECT n.id FROM node n JOIN image_space s ON s.node_id = n.id WHERE n.local = 1 AND s.error = ''").Scan(&node)
	if errors.Is(err, sql.ErrNoRows) {
		return "", &Error{Kind: Conflict, Message: "no_image_engine"}
	}
	if err != nil {
		return "", err
	}
	err = t.row("SELECT id FROM image WHERE node_id = ? AND reference = ? AND state IN ('queued', 'working')", node, reference).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	id = newID("im-")
	if _, err := t.exec(`INSERT INTO image (id, node_id, reference, origin, state, team_id, person_id, instance_id, recipe, context, created_at, used_at)
		VALUES (?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?)`, id, node, reference, n.Origin, nullIfEmpty(team), by, nullIfEmpty(n.InstanceID), nullIfEmpty(n.Dockerfile), n.Context,
		micros(t.now), micros(t.now)); err != nil {
		return "", err
	}
	t.emit("image", id)
	return id, t.audit(AuditRecord{PersonID: by, Action: "image_" + n.Origin, Target: id, Detail: reference})
}

// RemoveImage has an image removed from its node, or gives up work on one. Its person may, a manager of its team and an admin;
// what everybody sees takes a manager. Conflict while an instance uses it. What is removed stays as it is.
func (s *Store) RemoveImage(ctx context.Context, by, id string) error {
	return s.write(ctx, func(t *tx) error {
		m, err := t.image(id)
		if err != nil {
			return err
		}
		p, err := t.activePerson(by)
		if err != nil {
			return err
		}
		role := p.RoleIn(p.TeamID)
		if m.TeamID != "" {
			role, err = t.roleIn(by, m.TeamID)
		}
		switch {
		case err != nil:
			return err
		case !role.Sees():
			return notFound("image", id)
		case !role.Acts(m.PersonID == by):
			return &Error{Kind: Forbidden, Message: "image_not_yours"}
		case m.State == ImageRemoving || m.State == ImageRemoved:
			return nil
		}
		return t.removeImage(by, m)
	})
}

func (t *tx) removeImage(by string, m Image) error {
	state := ImageRemoved
	if m.State == ImageReady {
		if err := t.imageIsFree(m); err != nil {
			return err
		}
		state = ImageRemoving
	}
	if _, err := t.exec("UPDATE image SET state = ?, finished_at = coalesce(finished_at, ?), recipe = NULL, context = NULL WHERE id = ?", state, micros(t.now), m.ID); err != nil {
		return err
	}
	t.emit("image", m.ID)
	return t.audit(AuditRecord{PersonID: by, Action: "image_removed", Target: m.ID, Detail: m.Reference})
}

// imageIsFree refuses to take away what is used.
func (t *tx) imageIsFree(m Image) error {
	switch {
	case m.Instances > 0:
		return &Error{Kind: Conflict, Message: "image_in_use"}
	case m.Templates > 0:
		return &Error{Kind: Conflict, Message: "image_in_template"}
	}
	return nil
}
