package store

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// attachMost is how many volumes an instance has at most, and pathMax how long a path in it may be (PATH_MAX of Linux).
const (
	attachMost = 16
	pathMax    = 4096
)

// VolumeWish is a volume that an instance is to have.
type VolumeWish struct {
	Volume   string // id, or name in the team
	Path     string // in the instance, absolute
	ReadOnly bool
}

// ownPlaces are directories of an instance that nothing is put in the place of.
var ownPlaces = []string{"/", "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr", "/root", "/var", "/tmp", "/home"}

// deepPlaces are those that nothing is put below either.
var deepPlaces = []string{"/dev", "/proc", "/sys", "/run", "/bin", "/sbin", "/boot", "/etc", "/lib", "/lib32", "/lib64", "/usr"}

func cleanWishes(wishes []VolumeWish) ([]VolumeWish, error) {
	if len(wishes) > attachMost {
		return nil, invalid("volumes", "too_many_volumes")
	}
	clean := make([]VolumeWish, 0, len(wishes))
	for _, w := range wishes {
		p := path.Clean(w.Path)
		switch {
		case w.Volume == "":
			return nil, invalid("volumes", "required")
		case !strings.HasPrefix(w.Path, "/"), len(w.Path) > pathMax, !utf8.ValidString(w.Path), strings.ContainsFunc(w.Path, unicode.IsControl):
			return nil, invalid("volumes", "volume_path_wrong")
		}
		for _, own := range ownPlaces {
			if p == own {
				return nil, invalid("volumes", "volume_path_taken")
			}
		}
		for _, own := range deepPlaces {
			if strings.HasPrefix(p, own+"/") {
				return nil, invalid("volumes", "volume_path_taken")
			}
		}
		for _, other := range clean {
			if within(p, other.Path) || within(other.Path, p) {
				return nil, invalid("volumes", "volume_path_twice")
			}
			if other.Volume == w.Volume {
				return nil, invalid("volumes", "volume_twice")
			}
		}
		clean = append(clean, VolumeWish{Volume: w.Volume, Path: p, ReadOnly: w.ReadOnly})
	}
	return clean, nil
}

// within reports whether a path is another or lies below it.
func within(p, other string) bool { return p == other || strings.HasPrefix(p, other+"/") }

// attach gives an instance the volumes that were wished for. The database refuses two writers, whatever this does.
func (t *tx) attach(instanceID string, r RentRequest) error {
	for _, w := range r.Volumes {
		v, err := t.wished(r, w)
		if err != nil {
			return err
		}
		for _, a := range v.Attachments {
			if !a.ReadOnly || !w.ReadOnly {
				return &Error{Kind: Conflict, Field: "volumes", Message: "volume_attached", Args: map[string]string{"volume": v.Name, "instance": a.InstanceName}}
			}
		}
		_, err = t.exec("INSERT INTO volume_attachment (instance_id, volume_id, path, read_only, attached_at) VALUES (?, ?, ?, ?, ?)", instanceID, v.ID, w.Path, w.ReadOnly, micros(t.now))
		if violates(err, "volume_attachment.volume_id") {
			return invalid("volumes", "volume_twice") // once by its name and once by its id
		}
		if err != nil {
			return err
		}
		t.emit("volume", v.ID)
	}
	return nil
}

// wished finds the volume that is meant, and refuses one that the person may not use or that the team does not pay.
func (t *tx) wished(r RentRequest, w VolumeWish) (v Volume, err error) {
	id := ""
	if err := t.row("SELECT id FROM volume WHERE team_id = ?1 AND deleted_at IS NULL AND (id = ?2 OR name = ?2) ORDER BY id = ?2 DESC LIMIT 1", r.TeamID, w.Volume).Scan(&id); err != nil {
		err = orNotFound(err, "volume", w.Volume)
		if KindOf(err) == NotFound {
			err = &Error{Kind: Invalid, Field: "volumes", Message: "volume_not_found", Args: map[string]string{"id": w.Volume}}
		}
		return v, err
	}
	if v, err = t.usableVolume(r.PersonID, id); err != nil {
		return v, err
	}
	if v.State != VolumeReady {
		return v, &Error{Kind: Conflict, Field: "volumes", Message: "volume_not_ready"}
	}
	return v, nil
}

// attachAgain gives the next run of a job the volumes of the one before, which has released them.
func (t *tx) attachAgain(from, to string) error {
	_, err := t.exec(`INSERT INTO volume_attachment (instance_id, volume_id, path, read_only, attached_at)
		SELECT ?, a.volume_id, a.path, a.read_only, ? FROM volume_attachment a JOIN volume v ON v.id = a.volume_id WHERE a.instance_id = ? AND v.state = 'ready'
		AND NOT EXISTS (SELECT 1 FROM volume_attachment o WHERE o.volume_id = a.volume_id AND o.released_at IS NULL AND (o.read_only = 0 OR a.read_only = 0))`, to, micros(t.now), from)
	return err
}
