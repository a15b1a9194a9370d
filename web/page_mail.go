package web

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
	"github.com/meterhouse/meterhouse/web/lang"
	"github.com/meterhouse/meterhouse/web/mail"
)

// mailPages are the table's rows about mail.
var mailPages = []route{
	{get, "/admin/mail", store.Admin, page, (*Server).mailPage, nil},
	{post, "/admin/mail/test", store.Admin, page, (*Server).mailTestForm, nil},
	{get, "/admin/mail/:id", store.Admin, page, (*Server).mailSamplePage, nil},
	{get, "/admin/mail/:id/html", store.Admin, page, (*Server).mailSampleHTML, nil},
	{post, "/admin/mail/:id/retry", store.Admin, page, (*Server).mailRetryForm, nil},
	{post, "/admin/mail/:id/drop", store.Admin, page, (*Server).mailDropForm, nil},
	{get, mail.StopPath + ":id", public, page, (*Server).mailStopPage, nil},
	{post, mail.StopPath + ":id", public, page, (*Server).mailStopForm, nil},
	{post, "/settings/mail", store.Viewer, page, (*Server).mailWishForm, nil},
}

func (s *Server) mailPage(c *call) error {
	box, err := s.store.Outbox(c.Request().Context())
	if err != nil {
		return err
	}
	v := views.MailPage{Page: s.page(c), On: s.mailer.On(), Address: c.who.Email, Dead: mailRows(c, box.Dead), Open: mailRows(c, box.Open), Over: mailRows(c, box.Over)}
	for _, state := range []store.MailState{store.MailWaits, store.MailGathered, store.MailIsDead, store.MailIsSent, store.MailIsGone} {
		v.Counts = append(v.Counts, views.MailCount{State: string(state), N: box.Counts[state], LastDay: state == store.MailIsSent || state == store.MailIsGone})
	}
	for _, t := range store.MailTemplates {
		v.Templates = append(v.Templates, t.Name)
	}
	return s.show(c, views.MailOverview(v))
}

func mailRows(c *call, mails []store.Mail) (rows []views.MailRow) {
	for k := range mails {
		m := &mails[k]
		row := views.MailRow{ID: m.ID, At: m.CreatedAt, To: m.To, Template: m.Template, State: string(m.State()), Why: m.LastError, Tries: m.Tries}
		switch m.State() {
		case store.MailWaits:
			row.NextTry, row.CanCut = m.NextTryAt, true
		case store.MailGathered:
			row.CanCut = true
		case store.MailIsDead:
			row.CanTry, row.CanCut = true, true
		case store.MailIsSent:
			row.At = *m.SentAt
		case store.MailIsGone:
			row.At, row.Why, row.Tries = *m.DroppedAt, c.t.MailDropped(m.LastError), 0
		}
		rows = append(rows, row)
	}
	return rows
}

func (s *Server) mailTestForm(c *call) error {
	if err := s.store.SendTestMail(c.Request().Context(), c.who.ID); err != nil {
		return err
	}
	return s.done(c, "/admin/mail", flash{Key: "mail_test", Name: c.who.Email})
}

// mailID is the mail that a form is about.
func mailID(c *call) (int64, error) {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return 0, notFound("mail")
	}
	return id, nil
}

func (s *Server) mailRetryForm(c *call) error {
	id, err := mailID(c)
	if err == nil {
		err = s.store.RetryMail(c.Request().Context(), c.who.ID, id)
	}
	if err != nil {
		return err
	}
	return s.done(c, "/admin/mail", flash{Key: "mail_retried"})
}

func (s *Server) mailDropForm(c *call) error {
	id, err := mailID(c)
	if err == nil {
		err = s.store.DropMail(c.Request().Context(), c.who.ID, id)
	}
	if err != nil {
		return err
	}
	return s.done(c, "/admin/mail", flash{Key: "mail_dropped"})
}

// sample is a mail with sample data, in the language that is asked for.
func (s *Server) sample(c *call) (views.Letter, error) {
	t, ok := lang.Parse(c.QueryParam("lang"))
	if !ok {
		t = c.t
	}
	page := s.page(c)
	base := views.MailBase{Format: page.Format, To: c.who.Name, Site: s.ownURL(c), Now: page.Now}
	base.T = t
	letter, ok := mail.Sample(c.Param("id"), base)
	if !ok {
		return letter, notFound("mail")
	}
	return letter, nil
}

func (s *Server) mailSamplePage(c *call) error {
	letter, err := s.sample(c)
	if err != nil {
		return err
	}
	v := views.MailPreview{Page: s.page(c), Template: c.Param("id"), Lang: letter.T.Code(), Letter: letter}
	v.Path = "/admin/mail/" + v.Template
	return s.show(c, views.MailSample(v))
}

var styleAttribute = regexp.MustCompile(` style="([^"]*)"`)

// mailSampleHTML is the HTML part alone. Mail programs want styles in attributes, which the console's policy refuses: here
// each becomes a class of one style sheet that the policy names.
func (s *Server) mailSampleHTML(c *call) error {
	letter, err := s.sample(c)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := letter.HTML().Render(c.Request().Context(), &b); err != nil {
		return err
	}
	var styles []string
	text := styleAttribute.ReplaceAllStringFunc(b.String(), func(found string) string {
		style := styleAttribute.FindStringSubmatch(found)[1]
		at := slices.Index(styles, style)
		if at < 0 {
			at, styles = len(styles), append(styles, style)
		}
		return ` class="m` + strconv.Itoa(at) + `"`
	})
	var sheet strings.Builder
	for i, style := range styles {
		sheet.WriteString(".m" + strconv.Itoa(i) + "{" + strings.ReplaceAll(style, "&#39;", "'") + "}")
	}
	nonce := rand.Text()
	c.Response().Header().Set("Content-Security-Policy", contentPolicy(nonce))
	text = strings.Replace(text, "</head>", `<style nonce="`+nonce+`">`+sheet.String()+"</style></head>", 1)
	return write(c, http.StatusOK, "text/html; charset=utf-8", []byte(text))
}

// mailStopPage asks before a kind of mail is switched off: programs that look at links in mail change nothing.
func (s *Server) mailStopPage(c *call) error {
	m, kinds, err := s.store.MailOfStop(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	v := views.MailStopPage{Page: s.page(c), Token: c.Param("id"), Address: m.To}
	for _, kind := range kinds {
		v.Kinds = append(v.Kinds, string(kind))
	}
	return s.show(c, views.MailStop(v))
}

// mailStopForm switches it off: the button of the page, or one click in a mail program (RFC 8058), which has no cookie.
func (s *Server) mailStopForm(c *call) error {
	if err := s.store.StopMail(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return s.show(c, views.MailStop(views.MailStopPage{Page: s.page(c), Done: true}))
}

// mailWishes fills in what a person wants of mail.
func (s *Server) mailWishes(c *call, v *views.SettingsPage) error {
	wants, err := s.store.MailPreference(c.Request().Context(), c.who.ID)
	for _, kind := range store.MailKinds {
		v.Mail = append(v.Mail, views.MailWish{Kind: string(kind), On: !slices.Contains(wants.Off, kind)})
	}
	v.MailDigest, v.SiteMail = wants.Digest, c.who.Admin
	return err
}

// mailWishForm is POST /settings/mail: the kinds that are ticked are sent.
func (s *Server) mailWishForm(c *call) error {
	f := c.Request().PostForm
	wants := store.MailPreference{Digest: f.Get("digest") == "1"}
	for _, kind := range store.MailKinds {
		if !slices.Contains(f["kind"], string(kind)) {
			wants.Off = append(wants.Off, kind)
		}
	}
	err := s.store.SetMailPreference(c.Request().Context(), c.who.ID, wants)
	return s.settle(c, err, nil, flash{Key: "saved"})
}
