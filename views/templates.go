package views

import "time"

// TemplatesPage is /templates; ?delete=ID asks before a template or a secret is deleted. Its forms: POST /templates/{id}/delete,
// POST /templates/secrets with name, value and shared ("1"), POST /templates/secrets/{id}/delete. Templates are saved by the rent
// form: POST /rent/new with do "template", template (a name) and template_shared ("1").
type TemplatesPage struct {
	Page
	Form              Form // of a secret
	Rows              []TemplateRow
	Secrets           []SecretRow
	Delete            *TemplateRow
	DeleteSecret      *SecretRow
	CanEdit, CanShare bool
}

// TemplateRow is one template.
type TemplateRow struct {
	ID, Name, Owner    string
	Shared             bool
	Image, Command     string
	Model, Kind        string
	GPUCount           int
	Env, Secrets       []string // names of variables
	ChangedAt          time.Time
	CanRent, CanDelete bool
}

// SecretRow is one secret; its value is shown nowhere.
type SecretRow struct {
	ID, Name, By string
	Shared       bool // the team's
	ChangedAt    time.Time
	CanDelete    bool
}
