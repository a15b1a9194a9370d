package web

import "github.com/meterhouse/meterhouse/store"

// Row is a row of the routes table as tests and documents read it.
type Row struct {
	Method, Path string
	Role         store.Role // the least that may ask; "" is anybody
	API          bool       // its errors are problem documents
	Socket       bool
}

// Table lists every route there is.
func Table() []Row {
	rows := make([]Row, len(routes))
	for i := range routes {
		r := &routes[i]
		rows[i] = Row{Method: r.method, Path: r.path, Role: r.role, API: r.api(), Socket: r.kind == socket}
	}
	return rows
}
