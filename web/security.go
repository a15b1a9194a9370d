package web

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// tlsConfig is the one set-up of TLS: 1.3 alone, whose cipher suites need no choosing.
func tlsConfig() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS13} }

// warnWithoutTLS says clearly what it means to listen beyond this machine without encryption.
func (s *Server) warnWithoutTLS() {
	host, _, err := net.SplitHostPort(s.config.Listen)
	if err != nil || s.config.TLSCert != "" || s.base != nil && s.base.Scheme == "https" {
		return
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return
	}
	s.log.Warn("listening beyond this machine without TLS: passwords, tokens and terminals can be read on the way. Give --tls-cert and --tls-key, or put a TLS proxy before it and say so with --public-url https://…", "listen", s.config.Listen)
}

// secure reports whether the person's browser reaches the console by https.
func (s *Server) secure(r *http.Request) bool {
	return r.TLS != nil || s.base != nil && s.base.Scheme == "https"
}

// origins are the console's own, as a browser writes them: the base URL, and what the request itself was sent to. Its Host
// may be believed, as cookies are bound to the host too: a name that a stranger pointed here carries no session.
func (s *Server) origins(r *http.Request) []string {
	own := []string{"http://" + r.Host}
	if r.TLS != nil {
		own[0] = "https://" + r.Host
	}
	if s.base != nil {
		own = append(own, s.base.Scheme+"://"+s.base.Host)
	}
	return own
}

// contentPolicy is the strict policy of every answer. A nonce allows the one <style> that the terminal makes.
func contentPolicy(nonce string) string {
	style := "style-src 'self'"
	if nonce != "" {
		style += " 'nonce-" + nonce + "'"
	}
	return "default-src 'none'; script-src 'self'; " + style + "; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
		"manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
}

// withSecurityHeaders is the one place that sets them; every answer has them, errors too.
func (s *Server) withSecurityHeaders(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", contentPolicy(""))
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin") // "no-referrer" would make forms send "Origin: null"
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if s.secure(c.Request()) {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		return next(c)
	}
}

// sameOrigin reports whether an unsafe request of a browser comes from the console's own pages. Loopback ports count as the
// same site to a browser, so that "same-site" is not enough. Where neither header is sent it is no browser of today, and
// refused.
func (s *Server) sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Sec-Fetch-Site") == "same-origin"
	}
	return s.isOwnOrigin(r, origin)
}

// isOwnOrigin compares without regard to upper and lower case, as hosts are.
func (s *Server) isOwnOrigin(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	return slices.ContainsFunc(s.origins(r), func(own string) bool { return strings.EqualFold(u.Scheme+"://"+u.Host, own) })
}

// ownSocket reports whether a websocket may be opened: a browser always sends Origin, so that a missing one with a cookie
// is refused.
func (s *Server) ownSocket(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	return len(origins) == 1 && s.isOwnOrigin(r, origins[0])
}

// address is who sent a request, as far as it can be trusted: behind a TLS proxy on this machine, the last address that
// the proxy wrote down; otherwise the other end of the connection.
func (s *Server) address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	ip := net.ParseIP(host)
	proxied := s.base != nil && s.base.Scheme == "https" && s.config.TLSCert == "" && ip != nil && ip.IsLoopback()
	if !proxied {
		return host
	}
	hops := strings.Split(r.Header.Get("X-Forwarded-For"), ",")
	if last := net.ParseIP(strings.TrimSpace(hops[len(hops)-1])); last != nil {
		return last.String()
	}
	return host
}
