package store

import (
	"context"
	"encoding/json"
	"path"
	"strings"
	"time"
)

const (
	templatesMax       = 500 // of a team, its members' own included
	templatePortsMax   = 20
	templateVolumesMax = 20
)

// TemplateForm is a launch form as it was filled in. What is zero is left to who rents with it.
type TemplateForm struct {
	Plan              string            `json:"plan,omitempty"`
	GPUModel          string            `json:"gpu_model,omitempty"`
	GPUCount          int               `json:"gpu_count,omitempty"`
	CPUOnly           bool              `json:"cpu_only,omitempty"`
	Kind              InstanceKind      `json:"kind,omitempty"`
	Image             string            `json:"image,omitempty"`
	Command           string            `json:"command,omitempty"`
	CheckpointCommand string            `json:"checkpoint_command,omitempty"`
	Hours             string            `json:"hours,omitempty"` // a decimal number, as typed
	Queue             bool              `json:"queue,omitempty"`
	Requeue           bool              `json:"requeue,omitempty"`
	Env               map[string]string `json:"env,omitempty"`
	Secrets           map[string]string `json:"secrets,omitempty"` // variable → name of a secret
	Labels            map[string]string `json:"labels,omitempty"`
	Ports             []int             `json:"ports,omitempty"`
	Volumes           []TemplateVolume  `json:"volumes,omitempty"`
}

// TemplateVolume is a volume by its name, and where it is found in the instance.
type TemplateVolume struct {
	Name     string `json:"name"`
	Target   string `json:"target"`
	ReadOnly bool   `json:"read_only,omitempty"`
}

// Template is a launch form that was saved.
type Template struct {
	ID, Name             string
	TeamID, TeamName     string
	PersonID, PersonName string
	Shared               bool // with the team
	Form                 TemplateForm
	ChangedAt            time.Time
}

const templateQuery = `SELECT f.id, f.name, f.team_id, t.name, f.person_id, p.name, f.shared, f.form, f.changed_at
	FROM template f JOIN team t ON t.id = f.team_id JOIN person p ON p.id = f.person_id `

func scanTemplate(r scanner) (Template, error) {
	var f Template
	var form string
	var changed int64
	if err := r.Scan(&f.ID, &f.Name, &f.TeamID, &f.TeamName, &f.PersonID, &f.PersonName, &f.Shared, &form, &changed); err != nil {
		return f, err
	}
	f.ChangedAt = fromMicros(changed)
	return f, json.Unmarshal([]byte(form), &f.Form)
}

// seenTemplates is what a person sees: their own, and what is shared in their team.
const seenTemplates = "f.removed_at IS NULL AND f.team_id = ? AND (f.shared = 1 OR f.person_id = ?)"

// Templates returns those that a person can rent with, by name.
func (s *Store) Templates(ctx context.Context, personID string) (all []Template, err error) {
	err = s.read(ctx, func(t *tx) error {
		p, err := t.activePerson(personID)
		if err == nil {
			all, err = list(t, scanTemplate, templateQuery+"WHERE "+seenTemplates+" ORDER BY f.name_key, f.shared", p.TeamID, p.ID)
		}
		return err
	})
	return all, err
}

// Template returns one by its id or its name; the person's own before the team's. NotFound for one that is not theirs to see.
func (s *Store) Template(ctx context.Context, personID, name string) (f Template, err error) {
	err = s.read(ctx, func(t *tx) error {
		p, err := t.activePerson(personID)
		if err != nil {
			return err
		}
		f, err = scanTemplate(t.row(templateQuery+"WHERE "+seenTemplates+" AND (f.id = ? OR f.name_key = ?) ORDER BY f.shared LIMIT 1", p.TeamID, p.ID, name, foldKey(name)))
		return orNotFound(err, "template", clipped(name, 100))
	})
	return f, err
}

// SaveTemplate keeps a form under a name: one of the person's own, or shared in their team. One of that name gets the new form, if
// it is theirs or they are a manager: Conflict else.
func (s *Store) SaveTemplate(ctx context.Context, by, name string, shared bool, form TemplateForm) (f Template, err error) {
	if name, err = cleanName("template", name); err != nil {
		return f, err
	}
	if err := cleanTemplate(&form); err != nil {
		return f, err
	}
	err = s.write(ctx, func(t *tx) error {
		p, err := t.activePerson(by)
		if err != nil {
			return err
		}
		if !p.RoleIn(p.TeamID).AtLeast(Member) {
			return &Error{Kind: Forbidden, Message: "viewer_cannot_rent"}
		}
		image := form.Image
		if m, err := t.findImage(p.TeamID, image); image != "" && err == nil {
			image = m.Reference
		}
		text, err := json.Marshal(form)
		if err != nil {
			return err
		}
		id, err := t.putTemplate(p, name, shared, image, string(text))
		if err != nil {
			return err
		}
		f, err = scanTemplate(t.row(templateQuery+"WHERE f.id = ?", id))
		if err != nil {
			return err
		}
		return t.audit(AuditRecord{PersonID: by, Action: "template_saved", Target: id, Detail: name})
	})
	return f, err
}

func (t *tx) putTemplate(p Person, name string, shared bool, image, form string) (id string, err error) {
	before, err := list(t, scanTemplate, templateQuery+"WHERE "+seenTemplates+" AND f.name_key = ? AND f.shared = ?", p.TeamID, p.ID, foldKey(name), shared)
	if err != nil {
		return "", err
	}
	if len(before) > 0 {
		if !p.RoleIn(p.TeamID).Acts(before[0].PersonID == p.ID) {
			return "", &Error{Kind: Conflict, Field: "template", Message: "template_name_taken"}
		}
		_, err := t.exec("UPDATE template SET name = ?, image = ?, form = ?, changed_at = ? WHERE id = ?", name, image, form, micros(t.now), before[0].ID)
		return before[0].ID, err
	}
	n, err := t.number("SELECT count(*) FROM template WHERE team_id = ? AND removed_at IS NULL", p.TeamID)
	if err != nil {
		return "", err
	}
	if n >= templatesMax {
		return "", &Error{Kind: Conflict, Message: "too_many_templates"}
	}
	id = newID("tp-")
	_, err = t.exec("INSERT INTO template (id, name, name_key, team_id, person_id, shared, image, form, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		id, name, foldKey(name), p.TeamID, p.ID, shared, image, form, micros(t.now))
	return id, err
}

// cleanTemplate checks what can't be meant by anybody; what can't be rented now may be rented another time.
func cleanTemplate(f *TemplateForm) (err error) {
	r := RentRequest{Kind: f.Kind, Image: f.Image, Command: f.Command, CheckpointCommand: f.CheckpointCommand, GPUCount: f.GPUCount, GPUModel: f.GPUModel, CPUOnly: f.CPUOnly,
		Labels: f.Labels, Env: f.Env, Secrets: f.Secrets}
	if r, err = cleanRequest(r); err != nil {
		return err
	}
	f.Kind, f.Image, f.Labels = r.Kind, r.Image, r.Labels
	for field, text := range map[string]*string{"plan": &f.Plan, "gpu_model": &f.GPUModel, "hours": &f.Hours} {
		if *text, err = cleanText(field, *text, 0, nameMax); err != nil {
			return err
		}
	}
	if len(f.Ports) > templatePortsMax || len(f.Volumes) > templateVolumesMax {
		return invalid("ports", "out_of_range")
	}
	for _, p := range f.Ports {
		if p < 1 || p > 65535 {
			return invalid("ports", "out_of_range")
		}
	}
	for k := range f.Volumes {
		v := &f.Volumes[k]
		if v.Name, err = cleanName("volumes", v.Name); err != nil {
			return err
		}
		if !path.IsAbs(v.Target) || path.Clean(v.Target) != v.Target || strings.ContainsRune(v.Target, 0) || len(v.Target) > urlMax {
			return invalid("volumes", "not_allowed_characters")
		}
	}
	return nil
}

// RemoveTemplate deletes one; its person may, and for a shared one a manager.
func (s *Store) RemoveTemplate(ctx context.Context, by, id string) error {
	return s.write(ctx, func(t *tx) error {
		p, err := t.activePerson(by)
		if err != nil {
			return err
		}
		f, err := scanTemplate(t.row(templateQuery+"WHERE "+seenTemplates+" AND f.id = ?", p.TeamID, p.ID, id))
		if err != nil {
			return orNotFound(err, "template", id)
		}
		if !p.RoleIn(p.TeamID).Acts(f.PersonID == by) {
			return &Error{Kind: Forbidden, Message: "template_not_yours"}
		}
		if _, err := t.exec("UPDATE template SET removed_at = ? WHERE id = ?", micros(t.now), id); err != nil {
			return err
		}
		return t.audit(AuditRecord{PersonID: by, Action: "template_removed", Target: id, Detail: f.Name})
	})
}
