package web

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// appSandbox is the policy under which a browser runs what an app sends from the console's own address: in an origin of nobody's,
// where there is no cookie, no storage and no worker of the console, and from where every request is another site's.
const appSandbox = "sandbox allow-scripts allow-forms allow-popups allow-downloads allow-modals allow-pointer-lock"

// appAnswers are the headers that an app may answer with from the console's own address. What is not named may speak for the whole
// origin (Clear-Site-Data, Alt-Svc, Strict-Transport-Security, Service-Worker-Allowed), and new ones are made each year.
var appAnswers = func() map[string]bool {
	known := map[string]bool{}
	for _, name := range []string{"Accept-Ranges", "Age", "Allow", "Cache-Control", "Connection", "Content-Disposition", "Content-Encoding", "Content-Language", "Content-Length",
		"Content-Location", "Content-Range", "Content-Security-Policy", "Content-Type", "Date", "Etag", "Expires", "Last-Modified", "Location", "Pragma", "Retry-After",
		"Sec-Websocket-Accept", "Sec-Websocket-Extensions", "Sec-Websocket-Protocol", "Server-Timing", "Set-Cookie", "Transfer-Encoding", "Upgrade", "Vary"} {
		known[name] = true
	}
	return known
}()

// cleanAnswer makes an app's answer one that its site can be trusted with. host is the one that the app was asked under.
func (a appSite) cleanAnswer(h http.Header, r *http.Request, host string) {
	if where := h.Get("Location"); where != "" {
		h.Set("Location", a.location(where, host, r.Host))
	}
	cookies := h.Values("Set-Cookie")
	h.Del("Set-Cookie")
	for _, line := range cookies {
		if line = a.setCookie(line); line != "" {
			h.Add("Set-Cookie", line)
		}
	}
	if a.own() {
		return
	}
	for name := range h {
		if !appAnswers[name] && !strings.HasPrefix(name, "X-") {
			delete(h, name)
		}
	}
	h.Del("X-Frame-Options") // it would name the console
	h.Add("Content-Security-Policy", appSandbox)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // the address has the key in it
	a.letRead(h, r)
}

// letRead lets the app's own pages, which have an origin of nobody's, read its answers. Whoever knows the key is let read: cookies are
// never asked for.
func (a appSite) letRead(h http.Header, r *http.Request) {
	h.Add("Vary", "Origin")
	if r.Header.Get("Origin") == "null" {
		h.Set("Access-Control-Allow-Origin", "null")
		h.Set("Access-Control-Expose-Headers", "*")
	}
}

// location leads to the app what means the app's own root.
func (a appSite) location(where, host, public string) string {
	u, err := url.Parse(where)
	if err != nil {
		return where
	}
	if u.Host != "" {
		direct := strings.EqualFold(u.Host, host) || isLoopback(u.Hostname()) && u.Port() == portOf(host)
		if !direct && !strings.EqualFold(u.Host, public) {
			return where
		}
		u.Scheme, u.Host, u.User = "", "", nil
		if u.Path == "" {
			u.Path = "/"
		}
	}
	if u.Scheme != "" || !strings.HasPrefix(u.Path, "/") {
		return where
	}
	if before := a.prefix(); before != "" && u.Path != before && !strings.HasPrefix(u.Path, before+"/") {
		if u.RawPath != "" {
			u.RawPath = before + u.RawPath
		}
		u.Path = before + u.Path
	}
	return u.String()
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func portOf(host string) string {
	_, port, _ := net.SplitHostPort(host)
	return port
}

// setCookie keeps an app's cookie with the app: of this host alone, below its own address, and under no name of the console's; "" for
// one that may not be set at all.
func (a appSite) setCookie(line string) string {
	name, _, _ := strings.Cut(line, "=")
	if consoleCookie(name) {
		return ""
	}
	parts := strings.Split(line, ";")
	kept := parts[:1]
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case strings.EqualFold(strings.TrimSpace(name), "Domain"):
			continue
		case strings.EqualFold(strings.TrimSpace(name), "Path"):
			value = strings.TrimSpace(value)
			if before := a.prefix(); before != "" && value != before && !strings.HasPrefix(value, before+"/") {
				part = " Path=" + before + "/" + strings.TrimPrefix(value, "/")
			}
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, ";")
}

// consoleCookie reports whether a cookie's name is one of the console's, with or without the prefixes that browsers know.
func consoleCookie(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.TrimPrefix(strings.TrimPrefix(name, "__host-"), "__secure-")
	return strings.HasPrefix(name, "meterhouse_")
}

// appCookies are the cookies of a request without the console's.
func appCookies(lines []string) []string {
	var kept []string
	for _, line := range lines {
		var own []string
		for pair := range strings.SplitSeq(line, ";") {
			if name, _, _ := strings.Cut(pair, "="); strings.TrimSpace(pair) != "" && !consoleCookie(name) {
				own = append(own, strings.TrimSpace(pair))
			}
		}
		if len(own) > 0 {
			kept = append(kept, strings.Join(own, "; "))
		}
	}
	return kept
}

// cleanRequest takes from a request what is the console's, and has it look as if the app had been asked for directly: apps that
// listen on a loopback address believe no other name.
func (a appSite) cleanRequest(out *http.Request, in *http.Request, host string) {
	h := out.Header
	cookies := appCookies(in.Header.Values("Cookie"))
	h.Del("Cookie")
	for _, line := range cookies {
		h.Add("Cookie", line)
	}
	for _, secret := range h.Values("Authorization") {
		if strings.Contains(secret, tokenMark) {
			h.Del("Authorization")
			break
		}
	}
	h.Del("Proxy-Authorization")
	h.Del(csrfHeader)
	out.Host = host
	if h.Get("Origin") != "" {
		h.Set("Origin", "http://"+host)
	}
	if h.Get("Sec-Fetch-Site") != "" && !a.own() {
		h.Set("Sec-Fetch-Site", "same-origin")
	}
	switch from := h.Get("Referer"); {
	case from == "":
	case a.own() && strings.HasPrefix(from, a.origin+"/"):
		h.Set("Referer", "http://"+host+strings.TrimPrefix(from, a.origin))
	default:
		h.Del("Referer")
	}
}

// tokenMark begins every token of the API.
const tokenMark = "mh_"

// isNavigation reports whether a browser asks for a page to show, rather than for a part of one.
func isNavigation(r *http.Request) bool {
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" {
		return mode == "navigate" && !unsafe(r.Method)
	}
	return r.Header.Get("Upgrade-Insecure-Requests") == "1" && !unsafe(r.Method)
}

// mayAsk reports whether the request comes from the app's own pages. Instances' origins may be of one site with each other and with
// the console, so that the browser's cookie proves nothing.
func (a appSite) mayAsk(r *http.Request) bool {
	from, site := r.Header.Values("Origin"), r.Header.Get("Sec-Fetch-Site")
	if len(from) > 1 {
		return false
	}
	if !a.own() {
		if len(from) == 0 {
			return r.Header.Get("Upgrade") == ""
		}
		return from[0] == "null"
	}
	if len(from) == 1 {
		return strings.EqualFold(from[0], a.origin)
	}
	if site == "" {
		return r.Header.Get("Upgrade") == "" && !unsafe(r.Method)
	}
	return site == "same-origin" || site == "none" || isNavigation(r) && r.Header.Get("Sec-Fetch-Dest") == "document"
}
