package web

import (
	"crypto/rand"
	"net/url"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

// zones are suggested at the set-up; any other IANA name may be typed.
var zones = []string{"UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/Los_Angeles", "Asia/Shanghai", "Asia/Tokyo", "Asia/Kolkata", "Australia/Sydney"}

func (s *Server) setupPage(c *call) error {
	site, err := s.store.Site(c.Request().Context())
	if err != nil {
		return err
	}
	if site.SetUp {
		return seeOther(c, "/login")
	}
	values := url.Values{"code": {c.QueryParam("code")}, "zone": {site.TimeZone}, "currency": {site.Currency}}
	return s.show(c, views.Setup(views.SetupPage{Page: s.page(c), Form: views.Form{Values: values}, Zones: zones}))
}

// setup makes the first account, and signs it in.
func (s *Server) setup(c *call) error {
	f, ctx := c.Request().PostForm, c.Request().Context()
	password := f.Get("password")
	person, err := s.store.Setup(ctx, store.SetupRequest{
		Code: c.text("code"), Site: store.Site{Currency: c.text("currency"), TimeZone: c.text("zone"), Lang: c.t.Code()},
		Name: c.text("name"), Email: c.text("email"), Password: password, Team: c.text("team"),
	})
	switch store.KindOf(err) {
	case "":
		s.setUp.Store(true)
		err = s.signIn(c, person.Email, password)
	case store.Unauthorized, store.Forbidden, store.NotFound: // of the code, not of who asks
		err = invalid("code", explain(err).Message)
	}
	if err != nil && typed(err) {
		return s.showAgain(c, err, views.Setup(views.SetupPage{Page: s.page(c), Form: c.typedForm(renamed(err, setupFields)), Zones: zones}))
	}
	if err != nil {
		return err
	}
	return s.done(c, "/", flash{Key: "set_up"})
}

// setupFields are the form's names of what the store calls otherwise.
var setupFields = map[string]string{"time_zone": "zone", "timezone": "zone"}

// renamed gives the fields that an error blames the names that they have in a form.
func renamed(err error, names map[string]string) error {
	e := explain(err)
	if name, found := names[e.Field]; found {
		other := *e
		other.Field = name
		return &other
	}
	return err
}

func (s *Server) loginPage(c *call) error {
	if c.QueryParam("code") != "" && c.Request().Method == get {
		return s.loginByLink(c)
	}
	if c.signedIn() {
		return seeOther(c, localPath(c.QueryParam("next")))
	}
	values := url.Values{"next": {localPath(c.QueryParam("next"))}}
	return s.show(c, views.Login(views.LoginPage{Page: s.page(c), Form: views.Form{Values: values}}))
}

func (s *Server) login(c *call) error {
	f := c.Request().PostForm
	err := s.signIn(c, c.text("email"), f.Get("password"))
	switch store.KindOf(err) {
	case "":
		return seeOther(c, localPath(f.Get("next")))
	case store.Unauthorized, store.NotFound, store.Invalid:
		err = &store.Error{Kind: store.Invalid, Message: "login_failed"}
	case store.TooMany:
	default:
		return err
	}
	return s.showAgain(c, err, views.Login(views.LoginPage{Page: s.page(c), Form: c.typedForm(err)}))
}

// signIn checks the password and opens a session. An older one of this browser ends: a session that someone else put into
// it is worth nothing.
func (s *Server) signIn(c *call, name, password string) error {
	r := c.Request()
	secret, person, err := s.store.Login(r.Context(), name, password, s.address(r), agent(c))
	if err != nil {
		return err
	}
	return s.begin(c, secret, person, false)
}

// begin hands the session to the browser, which is known by a secret of its own from then on.
func (s *Server) begin(c *call, secret string, person store.Person, byLink bool) error {
	device := s.cookie(c.Request(), deviceCookie)
	if len(device) < len(rand.Text()) || len(device) > maxSecretLen {
		device = rand.Text()
	}
	if err := s.store.KnowDevice(c.Request().Context(), person.ID, device, s.address(c.Request()), browser(agent(c)), byLink); err != nil {
		return err
	}
	if c.secret != "" {
		if err := s.store.EndSessionBySecret(c.Request().Context(), c.secret); err != nil && store.KindOf(err) != store.NotFound {
			return err
		}
	}
	s.setCookie(c, sessionCookie, secret, sessionTime)
	s.setCookie(c, deviceCookie, device, deviceTime)
	s.setCookie(c, formCookie, "", 0)
	c.t = speaks(person, c.t)
	return nil
}

// loginByLink is GET /login/link?code=CODE: a link that was made in the terminal, or came by mail.
func (s *Server) loginByLink(c *call) error {
	r := c.Request()
	secret, person, err := s.store.LoginByLink(r.Context(), c.QueryParam("code"), s.address(r), agent(c))
	switch store.KindOf(err) {
	case "":
		if err := s.begin(c, secret, person, true); err != nil {
			return err
		}
		return seeOther(c, "/")
	case store.Unauthorized, store.NotFound, store.Invalid, store.Conflict:
		err = &store.Error{Kind: store.Invalid, Message: "login_link_used"}
	case store.TooMany:
	default:
		return err
	}
	form := views.Form{Values: url.Values{"next": {"/"}}, Errors: c.fields(err)}
	return s.showAgain(c, err, views.Login(views.LoginPage{Page: s.page(c), Form: form}))
}

func (s *Server) logout(c *call) error {
	if err := s.store.EndSessionBySecret(c.Request().Context(), c.secret); err != nil && store.KindOf(err) != store.NotFound {
		return err
	}
	s.sockets.recheck()
	s.setCookie(c, sessionCookie, "", 0)
	return s.done(c, "/login", flash{Key: "signed_out"})
}

// maxAgent bounds what is kept of a browser's description of itself.
const maxAgent = 300

func agent(c *call) string {
	a := c.Request().UserAgent()
	if len(a) > maxAgent {
		a = a[:maxAgent]
	}
	if !printable(a) {
		return ""
	}
	return a
}
