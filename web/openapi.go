package web

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// operation is what openapi.json says of one row of the table. The schemas are made from the types that the handlers send.
type operation struct {
	says    string
	query   []parameter
	in, out any // a zero value of what is taken and of what is sent
	made    bool
	mayWait bool
	files   bool // its body may bring files
	text    bool
	raw     bool // a file's content is sent
	csv     bool
	socket  bool
}

// parameter is one of the query; kind "" is a string.
type parameter struct{ name, says, kind string }

// object is a piece of the document.
type object = map[string]any

// openAPI is GET /openapi.json: the description of the API, made from the routes table.
func (s *Server) openAPI(c *call) error {
	body, err := s.describe()
	if err != nil {
		return err
	}
	return write(c, http.StatusOK, "application/json", body)
}

// document describes the rows of the table that have an operation, as OpenAPI 3.0.
func document(rows []route) object {
	schemas := object{}
	paths := object{}
	for i := range rows {
		r := &rows[i]
		if r.doc == nil {
			continue
		}
		path := strings.TrimPrefix(r.path, apiRoot)
		path = strings.ReplaceAll(path, ":id", "{id}")
		item, _ := paths[path].(object)
		if item == nil {
			item = object{}
			paths[path] = item
		}
		item[strings.ToLower(r.method)] = r.describe(path, schemas)
	}
	schema(reflect.TypeFor[Problem](), schemas)
	return object{
		"openapi":  "3.0.3",
		"info":     object{"title": "Meterhouse", "version": "1", "description": "Money is integers of micro-units of the site's currency, times are RFC 3339 UTC, errors are RFC 9457 problem documents."},
		"servers":  []any{object{"url": apiRoot}},
		"security": []any{object{"token": []any{}}},
		"paths":    paths,
		"components": object{
			"schemas":         schemas,
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}},
		},
	}
}

func (r *route) describe(path string, schemas object) object {
	d := r.doc
	out := object{"summary": d.says, "operationId": operationID(r.method, path), "responses": r.answers(schemas), "x-role": string(r.role)}
	parameters := []any{}
	if strings.Contains(path, "{id}") {
		parameters = append(parameters, object{"name": "id", "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range d.query {
		kind := p.kind
		if kind == "" {
			kind = "string"
		}
		parameters = append(parameters, object{"name": p.name, "in": "query", "description": p.says, "schema": object{"type": kind}})
	}
	if len(parameters) > 0 {
		out["parameters"] = parameters
	}
	if d.in != nil {
		in := schema(reflect.TypeOf(d.in), schemas)
		out["requestBody"] = object{"content": object{"application/json": object{"schema": in}}}
	}
	if r.kind == upload {
		out["requestBody"] = object{"content": object{octets: object{"schema": object{"type": "string", "format": "binary"}}}}
	}
	return out
}

// octets is the type of what is a file of anybody's.
const octets = "application/octet-stream"

func (r *route) answers(schemas object) object {
	d := r.doc
	says := func(what string, media string, of any) object {
		answer := object{"description": what}
		if media != "" {
			answer["content"] = object{media: object{"schema": of}}
		}
		return answer
	}
	out := object{"default": says("What went wrong.", "application/problem+json", schema(reflect.TypeFor[Problem](), schemas))}
	code := func(status int) string { return strconv.Itoa(status) }
	switch {
	case d.socket:
		out[code(http.StatusSwitchingProtocols)] = says("The websocket is open.", "", nil)
	case d.text:
		out[code(http.StatusOK)] = says("Text.", "text/plain", object{"type": "string"})
	case d.raw:
		out[code(http.StatusOK)] = says("The file.", octets, object{"type": "string", "format": "binary"})
	case d.csv:
		out[code(http.StatusOK)] = says("A file with a line each.", "text/csv", object{"type": "string"})
	case d.out == nil:
		out[code(http.StatusNoContent)] = says("Done.", "", nil)
	case d.made:
		of := schema(reflect.TypeOf(d.out), schemas)
		out[code(http.StatusCreated)] = says("Made.", "application/json", of)
		if d.mayWait {
			out[code(http.StatusAccepted)] = says("Has to wait.", "application/json", of)
		}
	default:
		out[code(http.StatusOK)] = says("Done.", "application/json", schema(reflect.TypeOf(d.out), schemas))
	}
	return out
}

// operationID is the call's name in clients that are made from the document: "postInstancesIdStop".
func operationID(method, path string) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(method))
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return strings.ContainsRune("/{}._", r) }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	numberType = reflect.TypeFor[json.Number]()
	rawType    = reflect.TypeFor[json.RawMessage]()
)

// schema describes a Go type as encoding/json writes it; named structs go into schemas and are referred to.
func schema(t reflect.Type, schemas object) object {
	switch t {
	case timeType:
		return object{"type": "string", "format": "date-time"}
	case numberType:
		return object{"type": "number"}
	case rawType:
		return object{"nullable": true}
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer", "format": "int64"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Slice:
		return object{"type": "array", "items": schema(t.Elem(), schemas)}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schema(t.Elem(), schemas)}
	case reflect.Pointer:
		of := schema(t.Elem(), schemas)
		if of["$ref"] != nil { // nothing beside a reference counts
			of = object{"allOf": []any{of}}
		}
		of["nullable"] = true
		return of
	case reflect.Struct:
		return structSchema(t, schemas)
	}
	return object{}
}

func structSchema(t reflect.Type, schemas object) object {
	ref := object{"$ref": "#/components/schemas/" + t.Name()}
	if _, done := schemas[t.Name()]; done {
		return ref
	}
	properties := object{}
	required := []any{}
	of := object{"type": "object", "properties": properties, "additionalProperties": false}
	schemas[t.Name()] = of // before its fields, which may refer to it
	body := strings.HasSuffix(t.Name(), "Body")
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		properties[name] = schema(f.Type, schemas)
		if options != "omitempty" && !body { // a body's fields may all be left out: the handler says what it lacks
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		of["required"] = required
	}
	return ref
}
