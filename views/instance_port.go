package views

import (
	"maps"
	"net/url"
	"strconv"
)

// portForm is the form of the port: what was typed, or else the port as it is.
func (v InstancePage) portForm() Form {
	f := v.Form.named("port")
	if v.Ask == "port" || v.Port == 0 {
		return f
	}
	values := url.Values{}
	maps.Copy(values, f.Values)
	values.Set("port", strconv.Itoa(v.Port))
	f.Values = values
	return f
}
