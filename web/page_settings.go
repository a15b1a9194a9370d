package web

import (
	"net/url"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
	"github.com/meterhouse/meterhouse/web/lang"
)

func (s *Server) settingsPage(c *call) error {
	v, err := s.settingsView(c)
	if err != nil {
		return err
	}
	v.NewToken = s.secrets.take(c.session.ID)
	v.Ask = asked(v, c.QueryParam("ask"))
	return s.show(c, views.Settings(v))
}

// asked finds what the page is to ask about; an id that is none of the person's own asks nothing.
func asked(v views.SettingsPage, id string) *views.SettingsAsk {
	for _, t := range v.Tokens {
		if t.ID == id {
			return &views.SettingsAsk{Kind: "tokens", ID: id, Name: t.Name}
		}
	}
	for _, k := range v.Keys {
		if k.ID == id {
			return &views.SettingsAsk{Kind: "keys", ID: id, Name: k.Name}
		}
	}
	for _, x := range v.Sessions {
		if x.ID == id && !x.Current {
			return &views.SettingsAsk{Kind: "sessions", ID: id, Name: x.Agent}
		}
	}
	return nil
}

func (s *Server) settingsView(c *call) (views.SettingsPage, error) {
	ctx := c.Request().Context()
	v := views.SettingsPage{Page: s.page(c), Language: c.who.Lang, BaseURL: s.ownURL(c), HasPassword: c.who.HasPassword, SSHHostKey: s.sshFingerprint()}
	v.Path = "/settings"
	v.ProfileForm.Values = url.Values{"name": {c.who.Name}, "email": {c.who.Email}}
	keys, err := s.store.SSHKeys(ctx, c.who.ID)
	if err != nil {
		return v, err
	}
	for _, k := range keys {
		v.Keys = append(v.Keys, views.SSHKey{ID: k.ID, Name: k.Name, Fingerprint: k.Fingerprint, AddedAt: k.CreatedAt})
	}
	tokens, err := s.store.Tokens(ctx, c.who.ID)
	if err != nil {
		return v, err
	}
	for _, t := range tokens {
		if t.RevokedAt == nil {
			v.Tokens = append(v.Tokens, views.Token{ID: t.ID, Name: t.Name, CreatedAt: t.CreatedAt, UsedAt: timeOrZero(t.UsedAt)})
		}
	}
	sessions, err := s.store.Sessions(ctx, c.who.ID)
	if err != nil {
		return v, err
	}
	for _, x := range sessions {
		v.Sessions = append(v.Sessions, views.Session{ID: x.ID, Agent: browser(x.Agent), Address: x.Addr, CreatedAt: x.CreatedAt, SeenAt: x.SeenAt, Current: x.ID == c.session.ID})
	}
	return v, s.mailWishes(c, &v)
}

// settle ends a form of the page: with what is wrong beside it, or with what was done.
func (s *Server) settle(c *call, err error, form func(*views.SettingsPage) *views.Form, f flash) error {
	if err != nil && typed(err) && form != nil {
		v, again := s.settingsView(c)
		if again != nil {
			return again
		}
		*form(&v) = c.typedForm(err)
		return s.showAgain(c, err, views.Settings(v))
	}
	if err != nil {
		return err
	}
	return s.done(c, "/settings", f)
}

func (s *Server) profileForm(c *call) error {
	name, email := c.text("name"), c.text("email")
	_, err := s.store.UpdatePerson(c.Request().Context(), c.who.ID, store.PersonChange{Name: &name, Email: &email})
	return s.settle(c, err, func(v *views.SettingsPage) *views.Form { return &v.ProfileForm }, flash{Key: "saved"})
}

// passwordForm sets or changes the person's password. Every other sign-in of theirs ends.
func (s *Server) passwordForm(c *call) error {
	f := c.Request().PostForm
	password := f.Get("password")
	_, err := s.store.UpdatePerson(c.Request().Context(), c.who.ID,
		store.PersonChange{Password: &password, OldPassword: f.Get("old_password"), KeepSession: c.session.ID})
	if e := explain(err); err != nil && e.Kind == store.Unauthorized { // of what was typed, not of who asks
		err = invalid(e.Field, e.Message)
	}
	s.sockets.recheck()
	return s.settle(c, err, func(v *views.SettingsPage) *views.Form { return &v.PasswordForm }, flash{Key: "password_saved"})
}

func (s *Server) languageForm(c *call) error {
	code := c.text("language")
	if t, ok := lang.Parse(code); code != "" && !ok {
		return invalid("language", "lang_unknown")
	} else if ok {
		c.t = t
	}
	_, err := s.store.UpdatePerson(c.Request().Context(), c.who.ID, store.PersonChange{Lang: &code})
	return s.settle(c, err, nil, flash{Key: "saved"})
}

func (s *Server) keyForm(c *call) error {
	key, err := s.store.AddSSHKey(c.Request().Context(), c.who.ID, c.text("name"), c.text("key"), c.request())
	return s.settle(c, sentBefore(err), func(v *views.SettingsPage) *views.Form { return &v.KeyForm }, flash{Key: "key_added", Name: key.Name})
}

func (s *Server) keyDeleteForm(c *call) error {
	ctx, id := c.Request().Context(), c.Param("id")
	keys, err := s.store.SSHKeys(ctx, c.who.ID)
	if err != nil {
		return err
	}
	f := flash{Key: "deleted"}
	for _, k := range keys {
		if k.ID == id {
			f.Name = k.Name
		}
	}
	return s.settle(c, gone404(s.store.DeleteSSHKey(ctx, c.who.ID, id)), nil, f)
}

// tokenForm makes a token. It is shown once, on the page that follows.
func (s *Server) tokenForm(c *call) error {
	secret, _, err := s.store.CreateToken(c.Request().Context(), c.who.ID, c.text("name"), c.request())
	switch {
	case err == nil:
		s.secrets.put(c.session.ID, secret)
	case explain(err).Message == "token_shown_before" && s.secrets.waits(c.session.ID):
		err = nil // the same form came twice, and the page that shows its token is still to come
	}
	return s.settle(c, sentBefore(err), func(v *views.SettingsPage) *views.Form { return &v.TokenForm }, flash{Key: "saved"})
}

func (s *Server) tokenDeleteForm(c *call) error {
	ctx, id := c.Request().Context(), c.Param("id")
	tokens, err := s.store.Tokens(ctx, c.who.ID)
	if err != nil {
		return err
	}
	f := flash{Key: "token_revoked"}
	for _, t := range tokens {
		if t.ID == id {
			f.Name = t.Name
		}
	}
	return s.settle(c, gone404(s.store.RevokeToken(ctx, c.who.ID, id)), nil, f)
}

func (s *Server) sessionDeleteForm(c *call) error {
	err := s.store.EndSession(c.Request().Context(), c.who.ID, c.Param("id"))
	s.sockets.recheck()
	return s.settle(c, gone404(err), nil, flash{Key: "session_ended"})
}

// gone404 takes what is not there any more for done: a form that is sent twice has one effect.
func gone404(err error) error {
	if store.KindOf(err) == store.NotFound {
		return nil
	}
	return err
}
