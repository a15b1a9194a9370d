package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
)

// ImageWork is an image that is to be made, with what it takes.
type ImageWork struct {
	Image
	Dockerfile string
	Context    []byte
}

// NextImageWork takes the oldest work on a node's images that is not over: what an earlier console left half done is done anew.
// It is called by one loop a node.
func (s *Store) NextImageWork(ctx context.Context, nodeID string) (w ImageWork, found bool, err error) {
	find := func(t *tx) error {
		w.Image, err = scanImage(t.row(imageQuery+"WHERE m.node_id = ? AND m.state IN ('queued', 'working') ORDER BY m.seq LIMIT 1", nodeID))
		if found = err == nil; errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return err
	}
	if err := s.read(ctx, find); err != nil || !found {
		return w, found, err
	}
	err = s.write(ctx, func(t *tx) error {
		if err := find(t); err != nil || !found {
			return err
		}
		if err := t.row("SELECT coalesce(recipe, ''), context FROM image WHERE id = ?", w.ID).Scan(&w.Dockerfile, &w.Context); err != nil {
			return err
		}
		_, err := t.exec("UPDATE image SET state = 'working', done = 0, total = 0, step = '' WHERE id = ?", w.ID)
		t.emit("image", w.ID)
		return err
	})
	return w, found, err
}

// ImageProgress writes down how far work is; goes on is false once it was given up.
func (s *Store) ImageProgress(ctx context.Context, id, step string, done, total int64) (goesOn bool, err error) {
	err = s.write(ctx, func(t *tx) error {
		n, err := t.exec("UPDATE image SET step = ?, done = ?, total = ? WHERE id = ? AND state = 'working'", clipped(step, 300), max(done, 0), max(total, 0), id)
		goesOn = n > 0
		t.emit("image", id)
		return err
	})
	return goesOn, err
}

// FoundImage is an image as its node has it.
type FoundImage struct {
	EngineID, Digest string
	References       []string
	Bytes            int64
}

// FinishImage writes down what became of work: the image, or why there is none. What was given up meanwhile stays given up.
func (s *Store) FinishImage(ctx context.Context, id string, f FoundImage, failed error) error {
	return s.write(ctx, func(t *tx) error {
		m, err := t.image(id)
		if err != nil || !m.Open() {
			return err
		}
		t.emit("image", id)
		if failed != nil {
			_, err := t.exec("UPDATE image SET state = 'failed', error = ?, finished_at = ?, recipe = NULL, context = NULL WHERE id = ?", clipped(failed.Error(), detailMax), micros(t.now), id)
			return err
		}
		// What had the name until now has it no more.
		if _, err := t.exec("UPDATE image SET state = 'removed' WHERE node_id = ? AND reference = ? AND state IN ('ready', 'removing')", m.NodeID, m.Reference); err != nil {
			return err
		}
		_, err = t.exec("UPDATE image SET state = 'ready', engine_id = ?, digest = ?, bytes = ?, finished_at = ?, used_at = ?, step = '', recipe = NULL, context = NULL WHERE id = ?",
			f.EngineID, f.Digest, f.Bytes, micros(t.now), micros(t.now), id)
		return err
	})
}

// SeeImages brings the catalogue in line with what a node has, as it was listed at a moment: what came there by other hands is
// added, what is gone is gone. What was finished since that moment is left alone.
func (s *Store) SeeImages(ctx context.Context, nodeID string, found []FoundImage, space ImageSpace, at time.Time) error {
	return s.write(ctx, func(t *tx) error {
		known, err := list(t, scanImage, imageQuery+"WHERE m.node_id = ? AND m.state IN ('ready', 'removing')", nodeID)
		if err != nil {
			return err
		}
		byName := map[string]Image{}
		for _, m := range known {
			byName[m.Reference] = m
		}
		for _, f := range found {
			for _, name := range f.References {
				m, ok := byName[name]
				delete(byName, name)
				if err := t.seeImage(nodeID, name, f, m, ok); err != nil {
					return err
				}
			}
		}
		for _, m := range byName {
			if m.FinishedAt != nil && m.FinishedAt.After(at) {
				continue
			}
			if _, err := t.exec("UPDATE image SET state = 'removed' WHERE id = ?", m.ID); err != nil {
				return err
			}
			t.emit("image", m.ID)
		}
		return t.seeImageSpace(nodeID, space)
	})
}

func (t *tx) seeImage(nodeID, name string, f FoundImage, m Image, known bool) error {
	switch {
	case known && m.EngineID == f.EngineID:
		if m.Bytes == f.Bytes && m.Digest == f.Digest {
			return nil
		}
		_, err := t.exec("UPDATE image SET bytes = ?, digest = ? WHERE id = ?", f.Bytes, f.Digest, m.ID)
		return err
	case known: // somebody gave the name to another image
		if _, err := t.exec("UPDATE image SET state = 'removed' WHERE id = ?", m.ID); err != nil {
			return err
		}
	}
	if clipped(name, imageMax) != name {
		return nil
	}
	id := newID("im-")
	t.emit("image", id)
	_, err := t.exec(`INSERT INTO image (id, node_id, reference, origin, state, engine_id, digest, bytes, created_at, used_at, finished_at) VALUES (?, ?, ?, 'found', 'ready', ?, ?, ?, ?, ?, ?)`,
		id, nodeID, name, f.EngineID, f.Digest, f.Bytes, micros(t.now), micros(t.now), micros(t.now))
	return err
}

func (t *tx) seeImageSpace(nodeID string, space ImageSpace) error {
	var before string
	err := t.row("SELECT error FROM image_space WHERE node_id = ?", nodeID).Scan(&before)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if err != nil || before != space.Error {
		t.emit("image", "")
	}
	_, err = t.exec(`INSERT INTO image_space (node_id, bytes, free_bytes, error, seen_at) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT (node_id) DO UPDATE SET bytes = ?2, free_bytes = ?3, error = ?4, seen_at = ?5`, nodeID, space.Bytes, space.FreeBytes, clipped(space.Error, detailMax), micros(t.now))
	return err
}

// ImagesUnknown says that a node's images can't be listed, and why; what was known of them stays.
func (s *Store) ImagesUnknown(ctx context.Context, nodeID, why string) error {
	return s.write(ctx, func(t *tx) error { return t.seeImageSpace(nodeID, ImageSpace{Error: why}) })
}

// ImagesToInspect returns a node's images that nobody has looked into, oldest first.
func (s *Store) ImagesToInspect(ctx context.Context, nodeID string) (all []Image, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanImage, imageQuery+"WHERE m.node_id = ? AND m.state = 'ready' AND m.contents IS NULL AND m.contents_error = '' ORDER BY m.seq", nodeID)
		return err
	})
	return all, err
}

// SetImageContents writes down what is in all of a node's images of that id, or why it can't be told.
func (s *Store) SetImageContents(ctx context.Context, nodeID, engineID string, c ImageContents, failed error) error {
	text, why := any(nil), ""
	if failed != nil {
		why = clipped(failed.Error(), detailMax)
	} else {
		b, err := json.Marshal(c)
		if err != nil {
			return err
		}
		text = string(b)
	}
	return s.write(ctx, func(t *tx) error {
		_, err := t.exec("UPDATE image SET contents = ?, contents_error = ? WHERE node_id = ? AND engine_id = ?", text, why, nodeID, engineID)
		t.emit("image", "")
		return err
	})
}

// ImagesToRemove returns what is to be removed from a node: what somebody asked for, and what nobody has used for as long as the
// rule says, which it marks so.
func (s *Store) ImagesToRemove(ctx context.Context, nodeID string) (all []Image, err error) {
	err = s.write(ctx, func(t *tx) error {
		rule, err := t.imageRule()
		if err != nil {
			return err
		}
		if rule.KeepDays > 0 {
			unused, err := list(t, scanImage, imageQuery+"WHERE m.node_id = ? AND m.state = 'ready' AND m.used_at <= ?", nodeID, micros(t.now.AddDate(0, 0, -rule.KeepDays)))
			if err != nil {
				return err
			}
			for _, m := range unused {
				if t.imageIsFree(m) != nil {
					continue
				}
				if err := t.removeImage("", m); err != nil {
					return err
				}
			}
		}
		all, err = list(t, scanImage, imageQuery+"WHERE m.node_id = ? AND m.state = 'removing' ORDER BY m.seq", nodeID)
		return err
	})
	return all, err
}

// ImageGone writes down that an image is removed from its node, or why it is still there.
func (s *Store) ImageGone(ctx context.Context, id string, failed error) error {
	return s.write(ctx, func(t *tx) error {
		state, why := ImageRemoved, ""
		if failed != nil {
			state, why = ImageReady, clipped(failed.Error(), detailMax)
		}
		_, err := t.exec("UPDATE image SET state = ?, error = ? WHERE id = ? AND state = 'removing'", state, why, id)
		t.emit("image", id)
		return err
	})
}
