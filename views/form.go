package views

import "net/url"

// Form is a form as it came back: what was typed and what is wrong with it. The zero value is a fresh, empty form.
type Form struct {
	Values url.Values   // as it was sent, or the values to begin with
	Errors []FieldError // in the order of the fields
}

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
}
