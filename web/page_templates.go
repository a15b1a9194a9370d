package web

import (
	"slices"
	"strings"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

func (s *Server) templatesPage(c *call) error {
	v, err := s.templatesView(c)
	if err != nil {
		return err
	}
	for _, r := range v.Rows {
		if r.ID == c.QueryParam("delete") && r.CanDelete {
			v.Delete = &r
		}
	}
	for _, r := range v.Secrets {
		if r.ID == c.QueryParam("delete") && r.CanDelete {
			v.DeleteSecret = &r
		}
	}
	return s.show(c, views.Templates(v))
}

func (s *Server) templatesView(c *call) (views.TemplatesPage, error) {
	ctx := c.Request().Context()
	v := views.TemplatesPage{Page: s.page(c), CanShare: c.can(store.Manager), CanEdit: c.can(store.Member)}
	templates, err := s.store.Templates(ctx, c.who.ID)
	if err != nil {
		return v, err
	}
	for _, t := range templates {
		row := views.TemplateRow{ID: t.ID, Name: t.Name, Owner: t.PersonName, Shared: t.Shared, Image: t.Form.Image, Command: t.Form.Command, ChangedAt: t.ChangedAt,
			Model: t.Form.GPUModel, GPUCount: t.Form.GPUCount, Kind: string(t.Form.Kind), CanRent: c.can(store.Member), CanDelete: c.acts(t.TeamID, t.PersonID)}
		for key := range t.Form.Env {
			row.Env = append(row.Env, key)
		}
		for key, name := range t.Form.Secrets {
			row.Secrets = append(row.Secrets, strings.TrimPrefix(key+"="+name, name+"="))
		}
		slices.Sort(row.Env)
		slices.Sort(row.Secrets)
		v.Rows = append(v.Rows, row)
	}
	secrets, err := s.store.Secrets(ctx, c.who.ID)
	for _, x := range secrets {
		v.Secrets = append(v.Secrets, views.SecretRow{ID: x.ID, Name: x.Name, Shared: x.PersonID == "", By: x.ChangedBy, ChangedAt: x.ChangedAt,
			CanDelete: x.PersonID != "" || c.can(store.Manager)})
	}
	return v, err
}

// secretForm is POST /templates/secrets. What was typed as the value is not sent back.
func (s *Server) secretForm(c *call) error {
	x, err := s.store.SetSecret(c.Request().Context(), c.who.ID, c.text("name"), c.Request().PostForm.Get("value"), c.text("shared") == "1")
	if err != nil && typed(err) {
		v, again := s.templatesView(c)
		if again != nil {
			return again
		}
		v.Path, v.Form = "/templates", c.typedForm(err)
		v.Form.Values.Del("value")
		return s.showAgain(c, err, views.Templates(v))
	}
	if err != nil {
		return err
	}
	return s.done(c, "/templates", flash{Key: "secret_saved", Name: x.Name})
}

func (s *Server) secretDeleteForm(c *call) error {
	if !plainID(c.Param("id")) {
		return notFound("secret")
	}
	if err := s.store.RemoveSecret(c.Request().Context(), c.who.ID, c.Param("id")); err != nil {
		return err
	}
	return s.done(c, "/templates", flash{Key: "secret_removed"})
}

func (s *Server) templateDeleteForm(c *call) error {
	if !plainID(c.Param("id")) {
		return notFound("template")
	}
	if err := s.store.RemoveTemplate(c.Request().Context(), c.who.ID, c.Param("id")); err != nil {
		return err
	}
	return s.done(c, "/templates", flash{Key: "template_removed"})
}
