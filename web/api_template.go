package web

import (
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// Templates is a list of them.
type Templates struct {
	Templates  []Template `json:"templates"`
	NextCursor string     `json:"next_cursor"`
}

// Template is a saved launch form. POST /instances takes its id or name as template.
type Template struct {
	ID        string       `json:"id"`
	Name      string       `json:"name"`
	Team      string       `json:"team"`
	Person    string       `json:"person"`
	Shared    bool         `json:"shared"` // with the team
	Form      TemplateForm `json:"form"`
	ChangedAt time.Time    `json:"changed_at"`
}

// TemplateForm is what is filled in; what is empty is left to who rents with it.
type TemplateForm struct {
	Plan              string            `json:"plan"`
	GPUModel          string            `json:"gpu_model"`
	GPUCount          int               `json:"gpu_count"`
	CPUOnly           bool              `json:"cpu_only"`
	Kind              string            `json:"kind"`
	Image             string            `json:"image"`
	Command           string            `json:"command"`
	CheckpointCommand string            `json:"checkpoint_command"`
	Hours             string            `json:"hours"`
	Queue             bool              `json:"queue"`
	Requeue           bool              `json:"requeue"`
	Env               map[string]string `json:"env"`
	Secrets           map[string]string `json:"secrets"` // variable → name of a secret
	Labels            map[string]string `json:"labels"`
	Ports             []int             `json:"ports"`
	Volumes           []TemplateVolume  `json:"volumes"`
}

// TemplateVolume is a volume by its name, and where it is found in the instance.
type TemplateVolume struct {
	Name     string `json:"name"`
	Target   string `json:"target"`
	ReadOnly bool   `json:"read_only"`
}

// TemplateBody saves a template: one of that name is replaced.
type TemplateBody struct {
	Name   string       `json:"name"`
	Shared bool         `json:"shared"`
	Form   TemplateForm `json:"form"`
}

// Secrets is a list of them, without their values.
type Secrets struct {
	Secrets    []Secret `json:"secrets"`
	NextCursor string   `json:"next_cursor"`
}

// Secret is a value that instances are given by its name; the value itself is never sent.
type Secret struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Shared    bool      `json:"shared"` // the team's
	ChangedBy string    `json:"changed_by"`
	ChangedAt time.Time `json:"changed_at"`
}

// SecretBody sets a secret: one of that name gets the new value.
type SecretBody struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Shared bool   `json:"shared"`
}

func templateOut(t store.Template) Template {
	f := t.Form
	out := Template{ID: t.ID, Name: t.Name, Team: t.TeamName, Person: t.PersonName, Shared: t.Shared, ChangedAt: t.ChangedAt, Form: TemplateForm{
		Plan: f.Plan, GPUModel: f.GPUModel, GPUCount: f.GPUCount, CPUOnly: f.CPUOnly, Kind: string(f.Kind), Image: f.Image, Command: f.Command, CheckpointCommand: f.CheckpointCommand,
		Hours: f.Hours, Queue: f.Queue, Requeue: f.Requeue, Env: orNone(f.Env), Secrets: orNone(f.Secrets), Labels: orNone(f.Labels), Ports: f.Ports, Volumes: []TemplateVolume{}}}
	if out.Form.Ports == nil {
		out.Form.Ports = []int{}
	}
	for _, v := range f.Volumes {
		out.Form.Volumes = append(out.Form.Volumes, TemplateVolume(v))
	}
	return out
}

func orNone(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func (s *Server) listTemplates(c *call) error {
	list, err := s.store.Templates(c.Request().Context(), c.who.ID)
	if err != nil {
		return err
	}
	out := Templates{Templates: make([]Template, 0, len(list))}
	for _, t := range list {
		out.Templates = append(out.Templates, templateOut(t))
	}
	return ok(c, out)
}

func (s *Server) getTemplate(c *call) error {
	if !plainID(c.Param("id")) {
		return notFound("template")
	}
	t, err := s.store.Template(c.Request().Context(), c.who.ID, c.Param("id"))
	if err != nil {
		return err
	}
	return ok(c, templateOut(t))
}

func (s *Server) putTemplate(c *call) error {
	var body TemplateBody
	if err := decode(c, &body); err != nil {
		return err
	}
	b := body.Form
	form := store.TemplateForm{Plan: b.Plan, GPUModel: b.GPUModel, GPUCount: b.GPUCount, CPUOnly: b.CPUOnly, Kind: store.InstanceKind(b.Kind), Image: b.Image, Command: b.Command,
		CheckpointCommand: b.CheckpointCommand, Hours: b.Hours, Queue: b.Queue, Requeue: b.Requeue, Env: b.Env, Secrets: b.Secrets, Labels: b.Labels, Ports: b.Ports}
	for _, v := range b.Volumes {
		form.Volumes = append(form.Volumes, store.TemplateVolume(v))
	}
	if _, err := parseHours(b.Hours); err != nil {
		return err
	}
	t, err := s.store.SaveTemplate(c.Request().Context(), c.who.ID, body.Name, body.Shared, form)
	if err != nil {
		return renamed(err, map[string]string{"template": "name"})
	}
	return ok(c, templateOut(t))
}

func (s *Server) deleteTemplate(c *call) error {
	if !plainID(c.Param("id")) {
		return notFound("template")
	}
	if err := s.store.RemoveTemplate(c.Request().Context(), c.who.ID, c.Param("id")); err != nil {
		return err
	}
	return gone(c)
}

func secretOut(x store.Secret) Secret {
	return Secret{ID: x.ID, Name: x.Name, Shared: x.PersonID == "", ChangedBy: x.ChangedBy, ChangedAt: x.ChangedAt}
}

func (s *Server) listSecrets(c *call) error {
	list, err := s.store.Secrets(c.Request().Context(), c.who.ID)
	if err != nil {
		return err
	}
	out := Secrets{Secrets: make([]Secret, 0, len(list))}
	for _, x := range list {
		out.Secrets = append(out.Secrets, secretOut(x))
	}
	return ok(c, out)
}

func (s *Server) putSecret(c *call) error {
	var body SecretBody
	if err := decode(c, &body); err != nil {
		return err
	}
	x, err := s.store.SetSecret(c.Request().Context(), c.who.ID, body.Name, body.Value, body.Shared)
	if err != nil {
		return err
	}
	return ok(c, secretOut(x))
}

func (s *Server) deleteSecret(c *call) error {
	if !plainID(c.Param("id")) {
		return notFound("secret")
	}
	if err := s.store.RemoveSecret(c.Request().Context(), c.who.ID, c.Param("id")); err != nil {
		return err
	}
	return gone(c)
}
