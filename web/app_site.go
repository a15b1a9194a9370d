package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

const (
	// appRoot is where the doors of instances' ports are.
	appRoot = "/i/"
	// appKeyMark begins the key of a visit in an address.
	appKeyMark = "~"
	// appEnter is the one path of an app's own origin that is not the app's.
	appEnter  = "/.meterhouse/enter"
	appCookie = "meterhouse_app"
)

// appSite is where a request finds an app, or a browser is led to: an origin of its own, or an address below the console's with the
// key of the visit in it, where the browser is told to give its pages an origin of nobody's.
type appSite struct {
	instance string
	origin   string // "https://i-….apps.example"; "": the console's, sandboxed
	key      string // of a sandboxed one
}

// prefix is what comes before the app's own paths.
func (a appSite) prefix() string {
	if a.origin != "" {
		return ""
	}
	return appRoot + a.instance + "/" + appKeyMark + a.key
}

// own reports whether the app has an origin of its own.
func (a appSite) own() bool { return a.origin != "" }

// setApps reads the pattern of apps' origins, such as "https://*.apps.example".
func (s *Server) setApps(pattern string) error {
	if pattern == "" {
		return nil
	}
	u, err := url.Parse(strings.Replace(strings.TrimRight(pattern, "/"), "*.", "x.", 1))
	if err != nil || !strings.Contains(pattern, "://*.") || u.Hostname() == "x." || u.Path != "" || u.RawQuery != "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("web: the apps' URL %q must be http(s)://*.host[:port]", pattern)
	}
	if s.base == nil {
		return fmt.Errorf("web: the apps' URL needs the console's own, to lead people back to")
	}
	u.Host = strings.ToLower(strings.TrimPrefix(u.Host, "x"))
	if strings.HasSuffix(strings.ToLower(s.base.Host), u.Host) {
		return fmt.Errorf("web: the console's own address %s is among the apps' %q", s.base, pattern)
	}
	s.apps = u
	return nil
}

// appOrigin is the own origin of an instance's app.
func (s *Server) appOrigin(instance string) string {
	return s.apps.Scheme + "://" + instance + s.apps.Host
}

// appAt finds out whether a request is for an app, and what of it: its path there, as it was sent.
func (s *Server) appAt(r *http.Request) (a appSite, path string, ok bool) {
	path = r.URL.EscapedPath()
	if s.apps != nil {
		host := strings.ToLower(r.Host)
		if id, is := strings.CutSuffix(host, s.apps.Host); is && id != "" {
			return appSite{instance: id, origin: s.appOrigin(id)}, path, true
		}
	}
	rest, below := strings.CutPrefix(path, appRoot)
	id, rest, deeper := strings.Cut(rest, "/"+appKeyMark)
	if !below || !deeper || strings.Contains(id, "/") {
		return a, "", false
	}
	key, path, _ := strings.Cut(rest, "/")
	return appSite{instance: id, key: key}, "/" + path, true
}

// door is the console's own address of an app: whoever may is let in from there.
func (s *Server) door(a appSite, path, query string) string {
	to := appRoot + a.instance + path
	if a.own() {
		to = s.base.String() + to
	}
	if query != "" {
		to += "?" + query
	}
	return to
}

// appCookieName is the name of the cookie of an app's own origin.
func (s *Server) appCookieName() string {
	if s.apps.Scheme == "https" {
		return "__Host-" + appCookie
	}
	return appCookie
}
