package web

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/lang"
	"github.com/meterhouse/meterhouse/web/mail"
)

const (
	sessionCookie = "meterhouse_session"
	// formCookie carries the token of forms that come before any session: sent twice, once as cookie and once as field.
	formCookie = "meterhouse_form"
	// deviceCookie tells a browser that a person has signed in with before from one that is new to them.
	deviceCookie = "meterhouse_device"
	deviceTime   = 400 * 24 * time.Hour // as long as browsers keep one
	csrfField    = "csrf"
	csrfHeader   = "X-CSRF-Token"
	sessionTime  = 30 * 24 * time.Hour
	formTime     = 12 * time.Hour
	maxSecretLen = 256
)

// authenticate finds out who asks. A token that is sent must be good, whatever cookies say; a cookie that is not is nobody.
func (s *Server) authenticate(c *call) error {
	r := c.Request()
	c.t = lang.Match(r.Header.Get("Accept-Language"))
	if head := r.Header.Values("Authorization"); len(head) > 0 && c.isAPI() {
		return s.byToken(c, head)
	}
	secret := s.cookie(r, sessionCookie)
	if secret == "" || len(secret) > maxSecretLen {
		return nil
	}
	session, person, err := s.store.Session(r.Context(), secret)
	if store.KindOf(err) == store.Unauthorized || store.KindOf(err) == store.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	c.session, c.who, c.secret = session, person, secret
	if !c.isAPI() {
		c.t = speaks(person, c.t)
	}
	return nil
}

// speaks is the language that a person chose, or the browser's.
func speaks(p store.Person, otherwise lang.T) lang.T {
	if t, ok := lang.Parse(p.Lang); ok {
		return t
	}
	return otherwise
}

func (s *Server) byToken(c *call, head []string) error {
	scheme, secret, _ := strings.Cut(head[0], " ")
	secret = strings.TrimSpace(secret)
	if len(head) != 1 || !strings.EqualFold(scheme, "Bearer") || secret == "" || len(secret) > maxSecretLen {
		return &store.Error{Kind: store.Unauthorized, Message: "token_wrong"}
	}
	person, token, err := s.store.TokenPerson(c.Request().Context(), secret)
	switch store.KindOf(err) {
	case "":
	case store.Unauthorized, store.NotFound, store.Invalid:
		return &store.Error{Kind: store.Unauthorized, Message: "token_wrong"}
	default:
		return err
	}
	c.who, c.token, c.secret = person, token.ID, secret
	return nil
}

// authorize checks the route's role.
func (s *Server) authorize(c *call) error {
	if c.route.role == public || c.can(c.route.role) {
		return nil
	}
	if !c.signedIn() {
		return &store.Error{Kind: store.Unauthorized, Message: "sign_in_first"}
	}
	return forbidden("role_too_low")
}

// checkForgery refuses what another site's page may have sent with the person's cookie. A token is sent by programs alone
// and needs no more proof.
func (s *Server) checkForgery(c *call) error {
	r := c.Request()
	if c.route.kind == socket {
		if c.token == "" && !s.ownSocket(r) || c.token != "" && r.Header.Get("Origin") != "" && !s.ownSocket(r) {
			return forbidden("origin_wrong")
		}
		return nil
	}
	if !unsafe(r.Method) || c.token != "" || strings.HasPrefix(c.route.path, mail.StopPath) {
		return nil // the token in the address of a mail is its own proof
	}
	if c.isAPI() && !c.signedIn() {
		return nil // authorize has refused it, or nothing is at stake
	}
	if !s.sameOrigin(r) {
		return forbidden("origin_wrong")
	}
	want := c.session.CSRF
	if !c.signedIn() {
		want = s.cookie(r, formCookie)
	}
	got := r.Header.Get(csrfHeader)
	if got == "" && !c.isAPI() {
		got = r.PostForm.Get(csrfField)
	}
	if want == "" || subtle.ConstantTimeCompare([]byte(got), []byte(want)) != 1 {
		return forbidden("csrf_wrong")
	}
	return nil
}

// csrf is the token for the forms of this answer; without a session it is made and set as a cookie.
func (s *Server) csrf(c *call) string {
	if c.signedIn() {
		return c.session.CSRF
	}
	if token := s.cookie(c.Request(), formCookie); len(token) >= 20 && len(token) <= maxSecretLen {
		return token
	}
	token := rand.Text()
	s.setCookie(c, formCookie, token, formTime)
	return token
}

// cookieName has the prefix that binds a cookie to this host and to https, where there is https.
func (s *Server) cookieName(r *http.Request, name string) string {
	if s.secure(r) {
		return "__Host-" + name
	}
	return name
}

func (s *Server) cookie(r *http.Request, name string) string {
	c, err := r.Cookie(s.cookieName(r, name))
	if err != nil {
		return ""
	}
	return c.Value
}

// setCookie sets a cookie of the whole console, or deletes it where value is "".
func (s *Server) setCookie(c *call, name, value string, life time.Duration) {
	r := c.Request()
	cookie := &http.Cookie{Name: s.cookieName(r, name), Value: value, Path: "/", HttpOnly: true, Secure: s.secure(r), SameSite: http.SameSiteLaxMode, MaxAge: int(life / time.Second)}
	if value == "" {
		cookie.MaxAge = -1
	}
	c.SetCookie(cookie)
}
