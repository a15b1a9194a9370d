package web

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

func (s *Server) imagesPage(c *call) error {
	v, err := s.imagesView(c)
	if err != nil {
		return err
	}
	for _, r := range v.Rows {
		if r.ID == c.QueryParam("delete") && r.CanRemove && r.Status == "ready" {
			v.Delete = &r
		}
	}
	return s.show(c, views.Images(v))
}

func (s *Server) imagesView(c *call) (views.ImagesPage, error) {
	ctx := c.Request().Context()
	v := views.ImagesPage{Page: s.page(c), CanBuild: c.can(store.Manager), CanRule: c.can(store.Admin)}
	list, err := s.store.Images(ctx, c.team())
	if err != nil {
		return v, err
	}
	for _, m := range list {
		v.Rows = append(v.Rows, imageRow(c, m))
	}
	spaces, err := s.store.ImageSpaces(ctx)
	if err != nil {
		return v, err
	}
	for _, sp := range spaces {
		v.Spaces = append(v.Spaces, views.ImageSpaceRow{Node: sp.NodeName, Bytes: sp.Bytes, FreeBytes: sp.FreeBytes, Known: sp.Error == ""})
	}
	rule, err := s.store.ImageRule(ctx)
	if err != nil {
		return v, err
	}
	v.KeepDays, v.CanPull = rule.KeepDays, c.can(store.Manager)
	if !v.CanPull && c.can(store.Member) && rule.MembersPull && len(rule.Registries) > 0 {
		v.CanPull, v.From = true, rule.Registries
	}
	v.Rule.Values = url.Values{"registries": {strings.Join(rule.Registries, "\n")}, "keep_days": {strconv.Itoa(rule.KeepDays)}}
	if rule.MembersPull {
		v.Rule.Values.Set("members_pull", "1")
	}
	return v, nil
}

func imageRow(c *call, m store.Image) views.ImageRow {
	r := views.ImageRow{ID: m.ID, Reference: m.Reference, Digest: m.Digest, Status: imageStatus(m), Step: m.Step, Done: m.Done, Total: m.Total, Error: m.Error, Bytes: m.Bytes,
		Origin: m.Origin, Who: m.PersonName, Team: m.TeamName, UsedAt: m.UsedAt, Instances: m.Instances}
	team := m.TeamID
	if team == "" {
		team = c.who.TeamID
	}
	r.CanRemove = c.acts(team, m.PersonID)
	r.CanRent = m.State == store.ImageReady && c.can(store.Member)
	switch {
	case m.Contents != nil:
		r.Found, r.OS = imageParts(*m.Contents), m.Contents.OS
	case m.ContentsError != "":
		r.FoundWhy = "inspect_failed"
	default:
		r.FoundWhy = "not_inspected"
	}
	return r
}

// imageParts are an image's contents in the order in which people ask for them.
func imageParts(c store.ImageContents) (parts []views.ImagePart) {
	for _, p := range [][2]string{{"CUDA", c.CUDA}, {"cuDNN", c.CuDNN}, {"NCCL", c.NCCL}, {"PyTorch", c.PyTorch}, {"TensorFlow", c.TensorFlow}, {"JAX", c.JAX}, {"Python", c.Python}} {
		if p[1] != "" {
			parts = append(parts, views.ImagePart{Name: p[0], Version: p[1]})
		}
	}
	return parts
}

// imagesAgain ends a form of /images: with the page again where something was typed wrong.
func (s *Server) imagesAgain(c *call, err error, done flash, form func(*views.ImagesPage) *views.Form) error {
	if err == nil {
		return s.done(c, "/images", done)
	}
	if err = sentBefore(err); !typed(err) {
		return err
	}
	v, again := s.imagesView(c)
	if again != nil {
		return again
	}
	v.Path = "/images"
	*form(&v) = c.typedForm(err)
	return s.showAgain(c, err, views.Images(v))
}

// pullForm is POST /images. The work is the fleet's: a page says how far it is.
func (s *Server) pullForm(c *call) error {
	m, _, err := s.store.AskImage(c.Request().Context(), c.who.ID, store.NewImage{Origin: store.ImagePull, Reference: c.text("reference"), Request: c.request()})
	return s.imagesAgain(c, err, flash{Key: "image_asked", Name: m.Reference}, func(v *views.ImagesPage) *views.Form { return &v.Pull })
}

func (s *Server) buildForm(c *call) error {
	m, _, err := s.store.AskImage(c.Request().Context(), c.who.ID, store.NewImage{Origin: store.ImageBuild, Reference: c.text("reference"),
		Dockerfile: strings.ReplaceAll(c.text("dockerfile"), "\r\n", "\n"), TeamOnly: c.text("team") == "1", Request: c.request()})
	return s.imagesAgain(c, err, flash{Key: "image_asked", Name: m.Reference}, func(v *views.ImagesPage) *views.Form { return &v.Build })
}

func (s *Server) imageRuleForm(c *call) error {
	r := store.ImageRule{MembersPull: c.text("members_pull") == "1", Registries: strings.Split(c.text("registries"), "\n")}
	days, err := parseCount("keep_days", c.text("keep_days"))
	if err == nil && days > 1<<30 {
		err = invalid("keep_days", "out_of_range")
	}
	if r.KeepDays = int(days); err == nil {
		err = s.store.SetImageRule(c.Request().Context(), c.who.ID, r)
	}
	return s.imagesAgain(c, err, flash{Key: "saved"}, func(v *views.ImagesPage) *views.Form { return &v.Rule })
}

func (s *Server) imageDeleteForm(c *call) error {
	m, err := s.image(c, c.Param("id"))
	if err == nil {
		err = s.store.RemoveImage(c.Request().Context(), c.who.ID, m.ID)
	}
	if err != nil {
		return err
	}
	return s.done(c, "/images", flash{Key: "image_going", Name: m.Reference})
}

// saveForm is POST /instances/{id}/save.
func (s *Server) saveForm(c *call) error {
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	m, _, err := s.store.AskImage(c.Request().Context(), c.who.ID, store.NewImage{Origin: store.ImageSave, Reference: c.text("reference"), InstanceID: in.ID, Request: c.request()})
	if err = sentBefore(err); err != nil && typed(err) {
		return s.instanceAgain(c, in, "save", err)
	}
	if err != nil {
		return err
	}
	return s.done(c, "/images", flash{Key: "image_asked", Name: m.Reference})
}

// imageOptions are the images that the person can rent with.
func (s *Server) imageOptions(c *call, chosen string) ([]views.Option, error) {
	options := []views.Option{{Value: "", Label: c.t.ImageThisMachine()}}
	list, err := s.store.Images(c.Request().Context(), c.who.TeamID)
	if err != nil {
		return nil, err
	}
	listed := chosen == ""
	for _, m := range list {
		if m.State != store.ImageReady {
			continue
		}
		label := m.Reference
		if m.Contents != nil {
			for _, p := range imageParts(*m.Contents) {
				if p.Name == "CUDA" || p.Name == "PyTorch" || p.Name == "TensorFlow" || p.Name == "JAX" {
					label += " · " + p.Name + " " + p.Version
				}
			}
		}
		options = append(options, views.Option{Value: m.Reference, Label: label})
		listed = listed || m.Reference == chosen
	}
	if !listed { // what is asked for stays what is chosen, also if it is not here
		options = append(options, views.Option{Value: chosen, Label: chosen})
	}
	return options, nil
}

// quoteImage says before the click whether the image can use the GPUs.
func (s *Server) quoteImage(c *call, q *views.Quote, w want) {
	if w.request.Image == "" {
		return
	}
	_, fit, err := s.store.ImageFits(c.Request().Context(), c.who.TeamID, w.request.Image, w.offer.Plan)
	if err != nil {
		q.Starts, q.Refused = "refused", words(c.t, explain(err))
		return
	}
	q.ImageFit, q.ImageCUDA, q.ImageNeeds, q.ImageDriver = string(fit.Fit), fit.CUDA, fit.Needs, fit.Driver
	if fit.Fit == "too_old" {
		q.Starts = "refused"
	}
}
