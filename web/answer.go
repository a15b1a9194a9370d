package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/a-h/templ"
)

// ok answers with one thing or a list.
func ok(c *call, v any) error { return send(c, http.StatusOK, "application/json", v) }

// created answers with the new thing and where it is.
func created(c *call, location string, v any) error {
	c.Response().Header().Set("Location", location)
	return send(c, http.StatusCreated, "application/json", v)
}

// accepted answers with what has to wait.
func accepted(c *call, location string, v any) error {
	c.Response().Header().Set("Location", location)
	return send(c, http.StatusAccepted, "application/json", v)
}

// gone answers a deletion.
func gone(c *call) error { return c.NoContent(http.StatusNoContent) }

// seeOther is how every form ends: the browser gets the next page, and going back does not send the form again.
func seeOther(c *call, path string) error { return c.Redirect(http.StatusSeeOther, path) }

// send writes v as JSON.
func send(c *call, status int, contentType string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return write(c, status, contentType, append(body, '\n'))
}

// show answers with a page.
func (s *Server) show(c *call, page templ.Component) error { return s.render(c, http.StatusOK, page) }

// showAgain answers a form that could not be carried out: the page with what was typed and what is wrong.
func (s *Server) showAgain(c *call, err error, page templ.Component) error {
	return s.render(c, statusOf(err), page)
}

func (s *Server) render(c *call, status int, page templ.Component) error {
	var b bytes.Buffer
	if err := page.Render(c.Request().Context(), &b); err != nil {
		return err
	}
	if c.nonce != "" {
		c.Response().Header().Set("Content-Security-Policy", contentPolicy(c.nonce))
	}
	return write(c, status, "text/html; charset=utf-8", b.Bytes())
}

// worthPacking is the size in bytes from which compressing saves a packet.
const worthPacking = 1400

// packers are kept, as each takes about a megabyte to make.
var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, 5) // the level is in range
	return w
}}

// write sends a whole body, compressed where the client understands it. Answers hold no secret beside what a stranger could
// put into them, but for the form's token, which lives as long as a session; the strict policies keep strangers out.
func write(c *call, status int, contentType string, body []byte) error {
	h := c.Response().Header()
	h.Set("Content-Type", contentType)
	h.Add("Vary", "Accept-Encoding")
	if len(body) >= worthPacking && acceptsGzip(c.Request().Header.Get("Accept-Encoding")) {
		var b bytes.Buffer
		w := packers.Get().(*gzip.Writer)
		w.Reset(&b)
		_, err := w.Write(body)
		if err == nil {
			err = w.Close()
		}
		packers.Put(w)
		if err != nil {
			return err
		}
		h.Set("Content-Encoding", "gzip")
		body = b.Bytes()
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	defer hurryAnswer(c)()
	c.Response().WriteHeader(status)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	_, err := c.Response().Write(body)
	return err
}

func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			return !strings.HasPrefix(strings.ReplaceAll(weight, " ", ""), "q=0") || strings.ContainsAny(weight, "123456789")
		}
	}
	return false
}

// loginPath leads to the login page and from there back to the page that was asked for.
func loginPath(r *http.Request) string {
	if unsafe(r.Method) || r.URL.Path == "/" {
		return "/login"
	}
	return "/login?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
}

// localPath returns p if it is a path on this console, else "/": "//host" and "/\host" lead elsewhere.
func localPath(p string) string {
	if !strings.HasPrefix(p, "/") || len(p) > 2000 || strings.HasPrefix(p, "//") || strings.ContainsAny(p, "\\\x00\r\n\t") {
		return "/"
	}
	return p
}
