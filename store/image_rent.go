package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/meterhouse/meterhouse/store/image"
)

// findImage returns the image that a text names, of those that a team sees: by its name, by name and digest, or by its id.
func (t *tx) findImage(teamID, text string) (Image, error) {
	const seen = "WHERE m.state = 'ready' AND (m.team_id IS NULL OR m.team_id = ?1) AND "
	lookups := [][2]string{{"m.engine_id = ?2", text}}
	for _, r := range image.Candidates(text) {
		if r.Digest != "" {
			lookups = append(lookups, [2]string{"m.digest = ?2", r.Digest})
		}
		lookups = append(lookups, [2]string{"m.reference = ?2", r.String()})
	}
	for _, l := range lookups {
		m, err := scanImage(t.row(imageQuery+seen+l[0]+" ORDER BY m.seq DESC LIMIT 1", teamID, l[1]))
		if !errors.Is(err, sql.ErrNoRows) {
			return m, err
		}
	}
	engines, err := t.number("SELECT count(*) FROM image_space WHERE error = ''")
	if err != nil {
		return Image{}, err
	}
	key := Key("image_not_here")
	if engines == 0 {
		key = "no_image_engine"
	}
	return Image{}, &Error{Kind: Invalid, Field: "image", Message: key, Args: map[string]string{"image": clipped(text, 100)}}
}

// imageFor finds the image of a request, nil for the machine's own files, and refuses one that the GPUs' drivers are too old for.
func (t *tx) imageFor(r RentRequest, poolID string, p *place) (*Image, error) {
	if r.Image == "" {
		return nil, nil
	}
	m, err := t.findImage(r.TeamID, r.Image)
	if err != nil {
		return nil, err
	}
	fit, err := t.imageFit(&m, poolID, p)
	if err == nil && fit.Fit == image.TooOld {
		err = &Error{Kind: Invalid, Field: "image", Message: "image_needs_driver", Args: map[string]string{"image": m.Reference, "cuda": fit.CUDA, "needs": fit.Needs, "driver": fit.Driver}}
	}
	return &m, err
}

// ImageFit says whether an image can use a plan's GPUs.
type ImageFit struct {
	Fit                 image.Fit
	CUDA, Needs, Driver string // "" where not known; Driver is that of one of the GPUs
}

// imageFit looks at the drivers of the GPUs that are given, or of all in the pool. CPU-only work needs none.
func (t *tx) imageFit(m *Image, poolID string, p *place) (ImageFit, error) {
	if poolID == "" {
		return ImageFit{Fit: image.NoNeed}, nil
	}
	uuids := []string{}
	if p != nil {
		uuids = p.uuids
	}
	chosen, err := json.Marshal(uuids)
	if err != nil {
		return ImageFit{}, err
	}
	drivers, err := list(t, func(r scanner) (d string, err error) { return d, r.Scan(&d) },
		`SELECT DISTINCT driver FROM gpu WHERE pool_id = ?1 AND state <> 'lost' AND (?2 = '[]' OR uuid IN (SELECT value FROM json_each(?2))) ORDER BY driver DESC`, poolID, string(chosen))
	if err != nil {
		return ImageFit{}, err
	}
	var f ImageFit
	f.Fit, f.Needs, f.CUDA = image.Check(m.Contents, drivers)
	if len(drivers) > 0 {
		f.Driver = drivers[0]
	}
	return f, nil
}

// ImageFits says before an image is rented for a team whether it can use a plan's GPUs. Invalid where there is no such image.
func (s *Store) ImageFits(ctx context.Context, teamID, text string, p Plan) (m Image, f ImageFit, err error) {
	err = s.read(ctx, func(t *tx) error {
		if m, err = t.findImage(teamID, text); err != nil {
			return err
		}
		f, err = t.imageFit(&m, p.poolID, nil)
		return err
	})
	return m, f, err
}

// pinImage ties a new instance to the image as it is now.
func (t *tx) pinImage(instanceID string, m *Image) error {
	if m == nil {
		return nil
	}
	if _, err := t.exec("INSERT INTO instance_image (instance_id, engine_id, digest) VALUES (?, ?, ?)", instanceID, m.EngineID, m.Digest); err != nil {
		return err
	}
	_, err := t.exec("UPDATE image SET used_at = ? WHERE engine_id = ?", micros(t.now), m.EngineID)
	return err
}

// ImagePin is the image that an instance started from, or will, by its content.
type ImagePin struct{ EngineID, Digest string }

// ImagePin returns it; empty for the machine's own files, and for instances from before there was a catalogue.
func (s *Store) ImagePin(ctx context.Context, instanceID string) (p ImagePin, err error) {
	err = s.read(ctx, func(t *tx) error {
		err := t.row("SELECT engine_id, digest FROM instance_image WHERE instance_id = ?", instanceID).Scan(&p.EngineID, &p.Digest)
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return err
	})
	return p, err
}
