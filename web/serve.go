package web

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/meterhouse/meterhouse/static"
	"github.com/meterhouse/meterhouse/web/lang"
)

// newEcho builds the router from the table.
func (s *Server) newEcho() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Pre(s.withApps, s.withSecurityHeaders)
	e.HTTPErrorHandler = s.notRouted
	for i := range routes {
		r := &routes[i]
		serve := func(c echo.Context) error { return s.serve(c, r) }
		e.Add(r.method, r.path, serve)
		if r.method == get && r.kind != socket && r.path != "/login/link" {
			e.Add(http.MethodHead, r.path, serve)
		}
	}
	return e
}

// serve takes one request through what all have in common, and answers its error. It returns none to echo.
func (s *Server) serve(ec echo.Context, r *route) error {
	c := &call{Context: ec, route: r, id: requestID()}
	defer func() {
		if v := recover(); v != nil {
			if v == http.ErrAbortHandler { //nolint:errorlint // it is compared so by net/http itself
				panic(v)
			}
			s.log.Error("handler panicked", "id", c.id, "panic", v, "stack", string(debug.Stack()))
			s.fail(c, fmt.Errorf("panic: %v", v))
		}
	}()
	if err := s.handle(c); err != nil {
		s.fail(c, err)
	}
	return nil
}

func (s *Server) handle(c *call) error {
	if c.route.kind == plain {
		return c.route.do(s, c)
	}
	req := c.Request()
	if c.route.kind != upload {
		req.Body = http.MaxBytesReader(c.Response(), req.Body, c.route.maxBody())
	}
	authErr := s.authenticate(c)
	if err := s.limits.take(s.caller(c)); err != nil {
		return err
	}
	if authErr != nil {
		return authErr
	}
	if away, err := s.beforeSetup(c); err != nil || away {
		return err
	}
	if err := s.authorize(c); err != nil {
		return err
	}
	if c.route.kind == page && unsafe(req.Method) {
		if err := readForm(c); err != nil {
			return err
		}
	}
	if c.route.kind == upload && !c.isAPI() {
		if err := beginUpload(c); err != nil {
			return err
		}
	}
	if err := s.checkForgery(c); err != nil {
		return err
	}
	return c.route.do(s, c)
}

// caller is whose bucket a request takes from.
func (s *Server) caller(c *call) string {
	if c.signedIn() {
		return "person " + c.who.ID
	}
	return "address " + s.address(c.Request())
}

// beforeSetup leads every page to /setup until there is an admin.
func (s *Server) beforeSetup(c *call) (away bool, err error) {
	if s.setUp.Load() || c.route.kind != page || c.route.path == "/setup" {
		return false, nil
	}
	site, err := s.store.Site(c.Request().Context())
	if err != nil {
		return false, err
	}
	if site.SetUp {
		s.setUp.Store(true)
		return false, nil
	}
	return true, seeOther(c, "/setup")
}

// notRouted answers what no row of the table matches.
func (s *Server) notRouted(err error, ec echo.Context) {
	path := ec.Request().URL.Path
	r := &route{kind: page}
	if path == "/api" || strings.HasPrefix(path, "/api/") {
		r.kind = api
	}
	c := &call{Context: ec, route: r, id: requestID(), t: lang.Match(ec.Request().Header.Get("Accept-Language"))}
	if r.kind == page {
		if authErr := s.authenticate(c); authErr != nil {
			err = errors.Join(authErr, err)
		}
	}
	s.fail(c, err)
}

// requestID is what a person quotes: short enough to read out.
func requestID() string { return strings.ToLower(rand.Text()[:12]) }

func (s *Server) healthz(c *call) error {
	return write(c, http.StatusOK, "text/plain; charset=utf-8", []byte("alive\n"))
}

// readyz is 200 once everything that ran before is adopted and the database answers.
func (s *Server) readyz(c *call) error {
	if _, err := s.store.Site(c.Request().Context()); err != nil || !s.fleet.Ready() {
		return write(c, http.StatusServiceUnavailable, "text/plain; charset=utf-8", []byte("not ready\n"))
	}
	return write(c, http.StatusOK, "text/plain; charset=utf-8", []byte("ready\n"))
}

var files = static.Handler()

func (s *Server) static(c *call) error {
	files.ServeHTTP(c.Response(), c.Request())
	return nil
}

func (s *Server) favicon(c *call) error { return seeOther(c, static.URL("icon.svg")) }
