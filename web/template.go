package web

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/store"
)

// templateValues is a template as the rent form has it; plan is the form's first where the template names none that is offered.
func templateValues(f store.TemplateForm, offers []store.Offer) url.Values {
	v := url.Values{"kind": {rentKind(string(f.Kind))}, "image": {f.Image}, "command": {f.Command}, "checkpoint_command": {f.CheckpointCommand}, "hours": {f.Hours},
		"env": {envText(f.Env)}, "secrets": {envText(f.Secrets)}, "gpu_count": {strconv.Itoa(max(f.GPUCount, 1))}}
	var labels []string
	for _, key := range slices.Sorted(maps.Keys(f.Labels)) {
		labels = append(labels, key+"="+f.Labels[key])
	}
	v.Set("labels", strings.Join(labels, ", "))
	if len(f.Ports) > 0 {
		v.Set("port", strconv.Itoa(f.Ports[0]))
	}
	for field, on := range map[string]bool{"queue": f.Queue, "requeue": f.Requeue} {
		if on {
			v.Set(field, "1")
		}
	}
	for _, o := range offers {
		if o.Plan.ID == f.Plan && o.Plan.GPUCount > 1 {
			v.Set("gpu_count", strconv.Itoa(o.Plan.GPUCount))
		}
	}
	for _, o := range offers { // the form chooses by the plan of one GPU
		named := slices.ContainsFunc(offers, func(p store.Offer) bool { return p.Plan.ID == f.Plan && sameGPU(o, p) })
		byModel := f.Plan == "" && (f.CPUOnly && o.Plan.GPUCount == 0 || f.GPUModel != "" && o.Plan.GPUModel == f.GPUModel)
		if o.Plan.GPUCount <= 1 && (named || byModel) {
			v.Set("plan", o.Plan.ID)
			break
		}
	}
	return v
}

// templateOf is what the rent form would save.
func templateOf(w want, f url.Values) store.TemplateForm {
	r := w.request
	form := store.TemplateForm{Plan: r.PlanID, GPUCount: w.offer.Plan.GPUCount, GPUModel: w.offer.Plan.GPUModel, CPUOnly: w.offer.Plan.GPUCount == 0, Kind: r.Kind, Image: r.Image,
		Command: r.Command, CheckpointCommand: r.CheckpointCommand, Hours: trimmed(f, "hours"), Queue: r.Queue, Requeue: r.Requeue, Env: r.Env, Secrets: r.Secrets, Labels: r.Labels}
	if form.Kind == store.Reserved {
		form.Kind = store.OnDemand
	}
	if r.Port != 0 {
		form.Ports = []int{r.Port}
	}
	return form
}

// beginRent fills a fresh rent form with a template's, or with what an instance was rented with.
func (s *Server) beginRent(c *call, values url.Values, offers []store.Offer) (url.Values, error) {
	var form store.TemplateForm
	switch template, instance := c.QueryParam("template"), c.QueryParam("instance"); {
	case template != "":
		t, err := s.store.Template(c.Request().Context(), c.who.ID, template)
		if err != nil {
			return nil, err
		}
		form = t.Form
	case instance != "":
		in, err := s.instance(c, instance)
		if err != nil {
			return nil, err
		}
		if form, err = s.formOf(c, in); err != nil {
			return nil, err
		}
	default:
		return values, nil
	}
	filled := templateValues(form, offers)
	for field := range values {
		if filled.Get(field) == "" {
			filled[field] = values[field]
		}
	}
	return filled, nil
}

// formOf is what an instance was rented with. Who may not enter it does not see its environment.
func (s *Server) formOf(c *call, in store.Instance) (store.TemplateForm, error) {
	form := store.TemplateForm{Plan: in.PlanID, GPUCount: in.GPUCount, GPUModel: in.GPUModel, CPUOnly: in.GPUCount == 0, Kind: in.Kind, Image: in.Image, Command: in.Command,
		CheckpointCommand: in.Checkpoint.Command, Requeue: in.Requeue, Labels: in.Labels}
	if form.Kind == store.Reserved {
		form.Kind = store.OnDemand
	}
	if in.Port != 0 {
		form.Ports = []int{in.Port}
	}
	var err error
	if c.acts(in.TeamID, in.PersonID) {
		form.Env, form.Secrets, err = s.store.EnvironmentNames(c.Request().Context(), in.ID)
	}
	return form, err
}

// withTemplate completes a request of the API by the template that it names: what it says itself counts.
func (s *Server) withTemplate(c *call, b *RentBody) error {
	if b.Template == "" {
		return nil
	}
	t, err := s.store.Template(c.Request().Context(), c.who.ID, b.Template)
	if err != nil {
		return asTemplate(err)
	}
	f := t.Form
	if b.Plan == "" && b.GPUModel == "" && b.GPUCount == nil && !b.CPUOnly && len(b.GPUs) == 0 {
		if b.Plan, b.CPUOnly = f.Plan, f.CPUOnly && f.Plan == ""; f.Plan == "" {
			if b.GPUModel = f.GPUModel; f.GPUCount > 0 {
				b.GPUCount = &f.GPUCount
			}
		}
	}
	b.Kind, b.Image, b.Command = cmp.Or(b.Kind, string(f.Kind)), cmp.Or(b.Image, f.Image), cmp.Or(b.Command, f.Command)
	if b.Kind == string(store.Spot) {
		b.Checkpoint = cmp.Or(b.Checkpoint, f.CheckpointCommand)
	}
	b.Queue, b.Requeue = b.Queue || f.Queue, b.Requeue || f.Requeue
	if b.Hours == nil && f.Hours != "" {
		n, _ := ungrouped(f.Hours)
		hours := json.Number(n)
		b.Hours = &hours
	}
	if b.Port == nil && len(f.Ports) > 0 {
		b.Port = &f.Ports[0]
	}
	b.Env, b.Secrets, b.Labels = under(b.Env, f.Env), under(b.Secrets, f.Secrets), under(b.Labels, f.Labels)
	for key := range b.Env { // what is given by value takes the place of a secret
		delete(b.Secrets, key)
	}
	return nil
}

// asTemplate says of a name in a body that there is no such template: the body is wrong, not the address.
func asTemplate(err error) error {
	if e := explain(err); e.Kind == store.NotFound {
		wrong := *e
		wrong.Kind, wrong.Field = store.Invalid, "template"
		return &wrong
	}
	return err
}

// under adds what a template has to what was given.
func under(given, template map[string]string) map[string]string {
	if len(template) == 0 {
		return given
	}
	all := maps.Clone(template)
	maps.Copy(all, given)
	return all
}
