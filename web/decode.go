package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/meterhouse/meterhouse/store"
)

const (
	maxBody  = 1 << 20  // bytes of a request's body
	maxFiles = 24 << 20 // and of one with files in it: Base64 takes a third more
	maxDepth = 16       // levels of JSON
)

// maxBody is how much a request to the route may bring, in bytes.
func (r *route) maxBody() int64 {
	if r.doc != nil && r.doc.files {
		return maxFiles
	}
	return maxBody
}

// decode reads a JSON object strictly into v: one object, no unknown and no doubled names, valid UTF-8, bounded in size and
// depth. What can not be read is malformed; what is read and wrong says which field.
func decode(c *call, v any) error {
	kind, _, err := mime.ParseMediaType(c.Request().Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return &store.Error{Kind: wrongType, Message: "json_wanted"}
	}
	relax := hurry(c)
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), c.Request().Body, c.route.maxBody()))
	relax()
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		return err
	case err != nil:
		return &store.Error{Kind: malformed, Message: "body_cut", Err: err}
	}
	if err := checkJSON(body); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return explainJSON(err)
	}
	return nil
}

func explainJSON(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return invalid(kind.Field, "wrong_type")
	}
	if name, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return invalid(strings.Trim(name, `"`), "unknown_field")
	}
	return badJSON(err)
}

// errJSON is what encoding/json takes and we do not: broken UTF-8, NUL, too deep, no object.
var errJSON = errors.New("not taken")

func badJSON(cause error) error {
	return &store.Error{Kind: malformed, Message: "json_malformed", Err: cause}
}

// level is an object or array that is being read.
type level struct {
	names map[string]bool // nil in an array
	name  string          // the last one
	value bool            // the next token is a value, not a name
}

// checkJSON reads the text once, without building anything: the decoder behind it takes doubled names and broken UTF-8.
func checkJSON(body []byte) error {
	if !utf8.Valid(body) {
		return badJSON(errJSON)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var levels []*level
	for first := true; first || len(levels) > 0; first = false {
		t, err := d.Token()
		if err != nil {
			return badJSON(err)
		}
		if first && t != json.Delim('{') {
			return badJSON(errJSON)
		}
		if levels, err = step(levels, t); err != nil {
			return err
		}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return badJSON(errJSON)
	}
	return nil
}

// step follows one token.
func step(levels []*level, t json.Token) ([]*level, error) {
	var in *level
	if len(levels) > 0 {
		in = levels[len(levels)-1]
	}
	if name, isText := t.(string); isText {
		if strings.ContainsRune(name, 0) {
			return nil, badJSON(errJSON)
		}
		if in != nil && in.names != nil && !in.value {
			if len(levels) == 1 && name != strings.ToLower(name) { // the decoder would take "NAME" for "name"
				return nil, invalid(name, "unknown_field")
			}
			if in.names[name] {
				return nil, invalid(name, "doubled_field")
			}
			in.names[name], in.name, in.value = true, name, true
			return levels, nil
		}
	}
	if in != nil {
		in.value = false
	}
	switch t {
	case json.Delim('{'), json.Delim('['):
		if len(levels) == maxDepth {
			return nil, badJSON(errJSON)
		}
		next := &level{}
		if t == json.Delim('{') {
			next.names = make(map[string]bool)
		}
		return append(levels, next), nil
	case json.Delim('}'), json.Delim(']'):
		return levels[:len(levels)-1], nil
	}
	return levels, nil
}
