package views

import (
	"net/url"
	"strings"

	"github.com/a-h/templ"
)

// Form is a form as it came back: what was typed and what is wrong with it. The zero value is a fresh, empty form.
type Form struct {
	Values url.Values   // as it was sent, or the values to begin with
	Errors []FieldError // in the order of the fields
	prefix string       // tells the fields of several forms on one page apart
}

// named is the form under a name of its own, for pages with several forms.
func (f Form) named(name string) Form {
	f.prefix = name + "-"
	return f
}

// field, hint and note are the ids of a field, of its hint and of what is wrong with it.
func (f Form) field(name string) string { return "f-" + f.prefix + name }
func (f Form) hint(name string) string  { return "h-" + f.prefix + name }
func (f Form) note(name string) string  { return "e-" + f.prefix + name }

// FieldError says what is wrong with one field. Field is the input's name, "" for what concerns the whole form.
type FieldError struct{ Field, Text string }

// Value returns what was typed into a field.
func (f Form) Value(field string) string { return f.Values.Get(field) }

// Has reports whether a checkbox or one of several options is ticked.
func (f Form) Has(field, value string) bool {
	for _, v := range f.Values[field] {
		if v == value {
			return true
		}
	}
	return false
}

// Error returns what is wrong with a field, "" if nothing is.
func (f Form) Error(field string) string {
	for _, e := range f.Errors {
		if e.Field == field {
			return e.Text
		}
	}
	return ""
}

// Option is one choice of a select: Value is sent, Label is shown.
type Option struct {
	Value, Label string
	Disabled     bool
	Lang         string // of the label, where it is not the page's, e.g. "en"
}

// described ties a field to its hint and to what is wrong with it.
func (f Form) described(name, hint string) templ.Attributes {
	a := templ.Attributes{}
	by := ""
	if hint != "" {
		by = f.hint(name)
	}
	if f.Error(name) != "" {
		a["aria-invalid"] = "true"
		by = strings.TrimSpace(by + " " + f.note(name))
	}
	if by != "" {
		a["aria-describedby"] = by
	}
	return a
}

// withDefault adds what was typed to an input's attributes; passwords are never sent back.
func withDefault(a templ.Attributes, typed string) templ.Attributes {
	all := templ.Attributes{"type": "text"}
	for k, v := range a {
		all[k] = v
	}
	if all["type"] != "password" && typed != "" {
		all["value"] = typed
	}
	return all
}

// lang marks a label in another language.
func (o Option) lang() templ.Attributes {
	if o.Lang == "" {
		return nil
	}
	return templ.Attributes{"lang": o.Lang}
}
