package mail

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
	"github.com/meterhouse/meterhouse/web/lang"
)

// StopPath is where a mail's reader switches off its kind: a token of the store's MailStop follows.
const StopPath = "/mail/stop/"

// message renders a mail of the outbox.
func (m *Mailer) message(ctx context.Context, d store.Mail, site store.Site) (*gomail.Msg, error) {
	letter, err := m.letter(ctx, d, site)
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	if err := letter.HTML().Render(ctx, &html); err != nil {
		return nil, fmt.Errorf("mail %s: %w", d.Template, err)
	}
	msg := gomail.NewMsg(gomail.WithCharset(gomail.CharsetUTF8))
	msg.FromMailAddress(m.from)
	if err := msg.To(d.To); err != nil {
		return nil, fmt.Errorf("mail to %q: %w", d.To, err)
	}
	msg.Subject(oneLine(letter.Subject()))
	msg.SetMessageIDWithValue(d.MessageID)
	msg.SetDateWithValue(d.CreatedAt)
	msg.SetUserAgent("Meterhouse")
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no holiday notes in answer
	if letter.Unsubscribe != "" {
		msg.SetListUnsubscribe(letter.Unsubscribe) // RFC 2369
		msg.SetListUnsubscribePost()               // RFC 8058: one click
	}
	msg.SetBodyString(gomail.TypeTextPlain, letter.Text())
	msg.AddAlternativeString(gomail.TypeTextHTML, html.String())
	return msg, nil
}

// oneLine keeps what a person named a thing from becoming a header.
func oneLine(subject string) string {
	return strings.Join(strings.FieldsFunc(subject, func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
}

// letter fills the view of a mail's template.
func (m *Mailer) letter(ctx context.Context, d store.Mail, site store.Site) (views.Letter, error) {
	base, err := m.base(ctx, d, site)
	if err != nil {
		return views.Letter{}, err
	}
	content, err := m.content(ctx, d, site, base)
	if err != nil {
		return views.Letter{}, err
	}
	return content.Letter(), nil
}

// base is what every mail is given: the reader's language and name, and where they switch it off.
func (m *Mailer) base(ctx context.Context, d store.Mail, site store.Site) (views.MailBase, error) {
	zone, err := time.LoadLocation(site.TimeZone)
	if err != nil {
		return views.MailBase{}, fmt.Errorf("time zone: %w", err)
	}
	t, ok := lang.Parse(d.Lang)
	if !ok {
		t, _ = lang.Parse(site.Lang) // English where neither says
	}
	name, _, _ := strings.Cut(d.To, "@")
	person, err := m.store.PersonByName(ctx, d.To)
	switch store.KindOf(err) {
	case "":
		name = person.Name
	case store.NotFound: // mail may go to addresses that nobody signs in with
	default:
		return views.MailBase{}, err
	}
	base := views.MailBase{Format: views.Format{T: t, Zone: zone, Currency: site.Currency}, To: name, Site: m.config.Site, Now: m.now()}
	token, err := m.store.MailStop(ctx, d)
	if token != "" {
		base.Unsubscribe = m.config.Site + StopPath + token
	}
	return base, err
}
