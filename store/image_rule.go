package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/meterhouse/meterhouse/store/image"
)

const (
	registriesMax = 50
	keepDaysMax   = 3650
)

// ImageRule is who may bring images here, and how long those stay that nobody uses. Managers and admins may pull from anywhere.
type ImageRule struct {
	MembersPull bool     // members may, from Registries
	Registries  []string // "nvcr.io", or with the beginning of a path: "docker.io/library"
	KeepDays    int      // after so many without use an image is removed; 0: never
}

// ImageRule returns it.
func (s *Store) ImageRule(ctx context.Context) (r ImageRule, err error) {
	err = s.read(ctx, func(t *tx) error {
		r, err = t.imageRule()
		return err
	})
	return r, err
}

func (t *tx) imageRule() (r ImageRule, err error) {
	var registries string
	if err := t.row("SELECT members_pull, registries, keep_days FROM image_rule").Scan(&r.MembersPull, &registries, &r.KeepDays); err != nil {
		return r, err
	}
	return r, json.Unmarshal([]byte(registries), &r.Registries)
}

// SetImageRule sets it; that takes an admin.
func (s *Store) SetImageRule(ctx context.Context, by string, r ImageRule) error {
	if r.KeepDays < 0 || r.KeepDays > keepDaysMax {
		return invalid("keep_days", "out_of_range")
	}
	clean := []string{}
	for _, text := range r.Registries {
		if text = strings.Trim(strings.TrimSpace(text), "/"); text == "" || slices.Contains(clean, text) {
			continue
		}
		if _, named, ok := image.Parse(text + "/x"); !ok || !named {
			return &Error{Kind: Invalid, Field: "registries", Message: "registry_wrong", Args: map[string]string{"name": clipped(text, 100)}}
		}
		clean = append(clean, text)
	}
	if len(clean) > registriesMax {
		return invalid("registries", "out_of_range")
	}
	registries, err := json.Marshal(clean)
	if err != nil {
		return err
	}
	return s.write(ctx, func(t *tx) error {
		if err := t.needAdmin(by); err != nil {
			return err
		}
		if _, err := t.exec("UPDATE image_rule SET members_pull = ?, registries = ?, keep_days = ?", r.MembersPull, string(registries), r.KeepDays); err != nil {
			return err
		}
		t.emit("image", "")
		return t.audit(AuditRecord{PersonID: by, Action: "image_rule_set", Detail: string(registries)})
	})
}

// mayPull refuses who may not bring an image of this name here.
func (t *tx) mayPull(by string, r image.Reference) error {
	p, err := t.activePerson(by)
	if err != nil {
		return err
	}
	role := p.RoleIn(p.TeamID)
	if role.AtLeast(Manager) {
		return nil
	}
	rule, err := t.imageRule()
	switch {
	case err != nil:
		return err
	case !rule.MembersPull || !role.AtLeast(Member):
		return &Error{Kind: Forbidden, Message: "pull_needs_manager"}
	case !slices.ContainsFunc(rule.Registries, func(from string) bool { return strings.HasPrefix(r.Name()+"/", from+"/") }):
		return &Error{Kind: Forbidden, Field: "reference", Message: "pull_from_listed", Args: map[string]string{"registries": strings.Join(rule.Registries, ", ")}}
	}
	return nil
}
