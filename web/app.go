package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/web/lang"
)

// lookAgain is how soon a page looks again whether something listens.
const lookAgain = 3 * time.Second

// portOpened is the audit's word for somebody entering an instance by its port.
const portOpened = "port_opened"

// appRoute is how what an app's site can not answer is answered.
var appRoute = &route{kind: page, role: store.Member}

// openApp is GET /i/{id}/…: the door. It lets in who may enter the instance, once something listens.
func (s *Server) openApp(c *call) error {
	if dest := c.Request().Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" {
		return forbidden("origin_wrong") // another page would follow its redirection into the app
	}
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	if err := s.listens(c.Request().Context(), in); err != nil {
		if e := explain(err); e.RetryAfter > 0 {
			c.Response().Header().Set("Refresh", strconv.Itoa(int(e.RetryAfter/time.Second)))
		}
		return err
	}
	path := strings.TrimPrefix(c.Request().URL.EscapedPath(), appRoot+c.Param("id"))
	if path == "" {
		path = "/"
	}
	if query := c.Request().URL.RawQuery; query != "" {
		path += "?" + query
	}
	if c.Request().Method != http.MethodHead {
		record := store.AuditRecord{PersonID: c.who.ID, Action: portOpened, Target: in.ID, Detail: strconv.Itoa(in.Port), Addr: s.address(c.Request())}
		if err := s.store.Audit(c.Request().Context(), record); err != nil {
			return err
		}
	}
	v := s.visits.begin(c.secret, in.ID)
	if s.apps == nil {
		return seeOther(c, appSite{instance: in.ID, key: v.key}.prefix()+path)
	}
	return seeOther(c, s.appOrigin(in.ID)+appEnter+"?"+url.Values{"ticket": {s.visits.ticket(v)}, "to": {path}}.Encode())
}

// listens tells why nothing can be reached, in words; those that may pass say when to look again.
func (s *Server) listens(ctx context.Context, in store.Instance) error {
	if err := reachable(in); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, attachTime)
	defer cancel()
	to, err := s.dialPort(ctx, in.ID, strconv.Itoa(in.Port))
	if err != nil {
		return noneListens(err, in.Port)
	}
	return to.Close()
}

// reachable tells by the record alone why an instance's port can't be reached.
func reachable(in store.Instance) error {
	switch {
	case !in.State.Live():
		return &store.Error{Kind: store.Conflict, Message: "port_of_ended"}
	case in.Port == 0:
		return &store.Error{Kind: store.Conflict, Message: "port_not_set"}
	case in.State == life.Suspended:
		return &store.Error{Kind: store.Conflict, Message: "port_of_suspended"}
	case in.State != life.Running && in.State != life.Reclaiming:
		return &store.Error{Kind: store.Unavailable, Message: "port_not_yet", RetryAfter: lookAgain}
	}
	return nil
}

func noneListens(err error, port int) error {
	if errors.Is(err, gpu.ErrNotItsPort) {
		return &store.Error{Kind: store.Unavailable, Message: "nothing_listens", Args: map[string]string{"port": strconv.Itoa(port)}, RetryAfter: lookAgain, Err: err}
	}
	return err
}

// withApps takes what is meant for an app out of the console's own requests, before the console's headers are set.
func (s *Server) withApps(next echo.HandlerFunc) echo.HandlerFunc {
	return func(ec echo.Context) error {
		site, path, ok := s.appAt(ec.Request())
		if !ok {
			return next(ec)
		}
		c := &call{Context: ec, route: appRoute, id: requestID(), t: lang.Match(ec.Request().Header.Get("Accept-Language"))}
		c.SetParamNames("id")
		c.SetParamValues(site.instance)
		if err := s.serveApp(c, site, path); err != nil {
			s.failApp(c, site, path, err)
		}
		return nil
	}
}

// serveApp passes one request on to an app.
func (s *Server) serveApp(c *call, site appSite, path string) error {
	r := c.Request()
	if site.own() && path == appEnter {
		return s.enterApp(c, site)
	}
	v, err := s.visitOf(c, site)
	if err != nil {
		if limited := s.limits.take(s.caller(c)); limited != nil {
			return limited
		}
		return err
	}
	if r.Method == http.MethodOptions && !site.own() && r.Header.Get("Access-Control-Request-Method") != "" && r.Header.Get("Origin") == "null" {
		return preflight(c)
	}
	if !site.mayAsk(r) {
		return forbidden("origin_wrong")
	}
	if err := s.enters(c, v); err != nil {
		return err
	}
	if err := s.limits.take("app of person " + c.who.ID); err != nil {
		return err
	}
	in, err := s.ownInstance(c)
	if err == nil {
		err = reachable(in)
	}
	if err != nil {
		return err
	}
	return s.passOn(c, site, path, in)
}

// visitOf is the visit that a request shows the key of.
func (s *Server) visitOf(c *call, site appSite) (visit, error) {
	key := site.key
	if site.own() {
		if cookie, err := c.Request().Cookie(s.appCookieName()); err == nil {
			key = cookie.Value
		}
	}
	v, ok := s.visits.find(key, site.instance)
	if !ok {
		return v, &store.Error{Kind: store.Unauthorized, Message: "sign_in_first"}
	}
	r := c.Request()
	if !site.own() && isNavigation(r) && r.Header.Get("Sec-Fetch-Dest") == "document" && s.cookie(r, sessionCookie) != v.session {
		return v, &store.Error{Kind: store.Unauthorized, Message: "sign_in_first"} // the address was passed on: the key is not theirs
	}
	return v, nil
}

// enters finds out who a visit is of, as long as their session goes on.
func (s *Server) enters(c *call, v visit) error {
	session, person, err := s.store.Session(c.Request().Context(), v.session)
	if kind := store.KindOf(err); kind == store.Unauthorized || kind == store.NotFound {
		s.visits.end(v)
		return &store.Error{Kind: store.Unauthorized, Message: "sign_in_first"}
	} else if err != nil {
		return err
	}
	c.session, c.who, c.secret, c.t = session, person, v.session, speaks(person, c.t)
	return s.authorize(c)
}

// enterApp takes the ticket of the door, and leaves the key of the visit with the browser.
func (s *Server) enterApp(c *call, site appSite) error {
	if err := s.limits.take(s.caller(c)); err != nil {
		return err
	}
	to := c.QueryParam("to")
	if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.HasPrefix(to, `/\`) {
		to = "/"
	}
	h := c.Response().Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	v, ok := s.visits.use(c.QueryParam("ticket"), site.instance)
	if !ok {
		path, query, _ := strings.Cut(to, "?")
		return seeOther(c, s.door(site, path, query))
	}
	c.SetCookie(&http.Cookie{Name: s.appCookieName(), Value: v.key, Path: "/", HttpOnly: true, Secure: s.apps.Scheme == "https", SameSite: http.SameSiteLaxMode})
	return seeOther(c, to)
}

// preflight answers for the app what its own pages, which have an origin of nobody's, must ask before they ask.
func preflight(c *call) error {
	r, h := c.Request(), c.Response().Header()
	h.Set("Access-Control-Allow-Origin", "null")
	h.Set("Access-Control-Allow-Methods", r.Header.Get("Access-Control-Request-Method"))
	if names := r.Header.Get("Access-Control-Request-Headers"); names != "" {
		h.Set("Access-Control-Allow-Headers", names)
	}
	h.Set("Access-Control-Max-Age", "600")
	h.Set("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
	return c.NoContent(http.StatusNoContent)
}

// failApp answers what did not reach an app. A page is led back to the door, which asks who it is and says what is wrong; for a part
// of one, words will do.
func (s *Server) failApp(c *call, site appSite, path string, err error) {
	r, e := c.Request(), explain(err)
	if c.Response().Committed || r.Context().Err() != nil {
		return
	}
	h := c.Response().Header()
	clear(h)
	h.Set("Cache-Control", "no-store")
	if isNavigation(r) && e.Message != "origin_wrong" && e.Kind != store.Internal && e.Kind != store.TooMany && e.Message != "app_cut" {
		h.Set("Referrer-Policy", "no-referrer")
		_ = seeOther(c, s.door(site, path, r.URL.RawQuery))
		return
	}
	status := statusOf(err)
	if status >= http.StatusInternalServerError {
		s.log.Debug("an app was not reached", "id", c.id, "instance", site.instance, "error", err)
	}
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((e.RetryAfter+time.Second-1)/time.Second)))
	}
	h.Set("Content-Security-Policy", "default-src 'none'; "+appSandbox)
	h.Set("X-Content-Type-Options", "nosniff")
	if !site.own() {
		site.letRead(h, r)
	}
	_ = write(c, status, "text/plain; charset=utf-8", []byte(words(c.t, e)+"\n"))
}
