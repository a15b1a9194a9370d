// Package static holds the console's scripts, styles, font and icons inside the binary and serves them. cmd/bundle makes
// dist from src and third_party; each name carries a hash of its content, so that a browser may keep it for ever. It
// imports the standard library alone.
package static

import (
	"embed"
	"encoding/json"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

//go:embed dist
var files embed.FS

// Prefix is where Handler must be mounted.
const Prefix = "/static/"

// names maps a stable name to the hashed one.
var names = func() map[string]string {
	m := map[string]string{}
	text, err := files.ReadFile("dist/manifest.json")
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		panic("static: dist/manifest.json: " + err.Error()) // built in: can not be wrong at run time only
	}
	return m
}()

// URL is the address of a file by its stable name, e.g. "base.js".
func URL(name string) string {
	if hashed, ok := names[name]; ok {
		return Prefix + hashed
	}
	return Prefix + name
}

// Handler serves everything under Prefix. Hashed names never change their content and may be kept a year.
func Handler() http.Handler {
	hashed := make(map[string]bool, len(names))
	for _, n := range names {
		hashed[n] = true
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(r.URL.Path, Prefix)
		if !hashed[name] {
			http.NotFound(w, r)
			return
		}
		serve(w, r, name)
	})
}

func serve(w http.ResponseWriter, r *http.Request, name string) {
	body, err := files.ReadFile("dist/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	if packed, err := files.ReadFile("dist/" + name + ".gz"); err == nil {
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			body = packed
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(body) // the client went away: nobody to tell
	}
}

func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".woff2":
		return "font/woff2"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// acceptsGzip reads Accept-Encoding as far as it matters: gzip named and not refused by q=0.
func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			q = strings.ReplaceAll(q, " ", "")
			return q != "q=0" && q != "q=0.0" && q != "q=0.00" && q != "q=0.000"
		}
	}
	return false
}

// Dist is what is served, for tests that measure it.
func Dist() fs.FS {
	sub, err := fs.Sub(files, "dist")
	if err != nil {
		return files
	}
	return sub
}
