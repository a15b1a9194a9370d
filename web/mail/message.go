package mail

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	gomail "github.com/wneessen/go-mail"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
	"github.com/meterhouse/meterhouse/web/lang"
)

// content is what every mail of views can do.
type content interface {
	Subject() string
	Text() string
	HTML() templ.Component
}

// message renders a mail of the outbox.
func (m *Mailer) message(ctx context.Context, d store.Mail, site store.Site) (*gomail.Msg, error) {
	c, unsubscribe, err := m.content(ctx, d, site)
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	if err := c.HTML().Render(ctx, &html); err != nil {
		return nil, fmt.Errorf("mail %s: %w", d.Template, err)
	}
	msg := gomail.NewMsg(gomail.WithCharset(gomail.CharsetUTF8))
	msg.FromMailAddress(m.from)
	if err := msg.To(d.To); err != nil {
		return nil, fmt.Errorf("mail to %q: %w", d.To, err)
	}
	msg.Subject(oneLine(c.Subject()))
	msg.SetMessageIDWithValue(d.MessageID)
	msg.SetDateWithValue(d.CreatedAt)
	msg.SetUserAgent("Meterhouse")
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no holiday notes in answer
	if unsubscribe != "" {
		msg.SetListUnsubscribe(unsubscribe)
	}
	msg.SetBodyString(gomail.TypeTextPlain, c.Text())
	msg.AddAlternativeString(gomail.TypeTextHTML, html.String())
	return msg, nil
}

// oneLine keeps what a person named a thing from becoming a header.
func oneLine(subject string) string {
	return strings.Join(strings.FieldsFunc(subject, func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
}

// content fills the view of a mail's template; unsubscribe is where its kind of mail is turned off.
func (m *Mailer) content(ctx context.Context, d store.Mail, site store.Site) (c content, unsubscribe string, err error) {
	base, err := m.base(ctx, d, site)
	if err != nil {
		return nil, "", err
	}
	data := fields(d.Data)
	switch d.Template {
	case "budget_threshold", "budget_reached":
		base.Unsubscribe = m.config.Site + "/budgets"
		c = views.BudgetMail{MailBase: base, Budget: data["name"], Team: data["team"], Percent: int(data.number("threshold")),
			SpentMicros: data.number("spent_micros"), LimitMicros: data.number("limit_micros"), PeriodEnd: data.time("period_end"),
			Action: data["action"], BudgetID: data["budget"]}
	case "instance_stopped":
		base.Unsubscribe = m.config.Site + "/settings"
		c, err = m.stopped(ctx, base, data)
	case "instance_ends_soon", "reservation_starts_soon", "reservation_ends_soon":
		base.Unsubscribe = m.config.Site + "/settings"
		c = views.NoticeMail{MailBase: base, Kind: strings.TrimSuffix(d.Template, "_soon"), Name: data["name"], ID: data["instance"] + data["reservation"],
			Minutes: int(data.number("minutes")), At: data.time("at"), Because: data["because"]}
	case "gpu_quarantined":
		c = quarantineMail{MailBase: base, gpu: data["gpu"], model: data["gpu_model"], node: data["node"], notes: data["notes"]}
	case "invitation":
		c = views.InvitationMail{MailBase: base, Team: data["team"], By: data["by"], Link: m.config.Site + "/login/link?code=" + data["code"],
			Expires: data.time("expires_at"), New: data["new"] != "0"}
	default:
		err = fmt.Errorf("no template %q", d.Template)
	}
	return c, base.Unsubscribe, err
}

// stopped looks the instance up: its bill may have grown since the mail was written down.
func (m *Mailer) stopped(ctx context.Context, base views.MailBase, data fields) (content, error) {
	in, err := m.store.Instance(ctx, data["instance"])
	if err != nil {
		return nil, err
	}
	bill, err := m.store.Bill(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	v := views.StoppedMail{MailBase: base, Instance: in.Name, InstanceID: in.ID, Reason: StopReason(data["reason"]), CostMicros: in.CostMicros, Simulated: in.Simulated}
	for _, l := range bill.Lines {
		if l.Billable && !l.Waived {
			v.Seconds += int64(l.To.Sub(l.From) / time.Second)
		}
	}
	if in.ExitCode != nil {
		v.ExitCode = *in.ExitCode
	}
	if in.StartedAt != nil {
		v.StartedAt = *in.StartedAt
	}
	if in.EndedAt != nil {
		v.StoppedAt = *in.EndedAt
	}
	return v, nil
}

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
	return views.MailBase{Format: views.Format{T: t, Zone: zone, Currency: site.Currency}, To: name, Site: m.config.Site, Now: m.now()}, nil
}

// fields are a mail's data as the store wrote it down.
type fields map[string]string

// number reads a whole number, 0 where there is none.
func (f fields) number(key string) int64 {
	n, err := strconv.ParseInt(f[key], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// time reads a moment: RFC 3339, or microseconds; zero where there is none.
func (f fields) time(key string) time.Time {
	if at, err := time.Parse(time.RFC3339Nano, f[key]); err == nil {
		return at
	}
	if n := f.number(key); n > 0 {
		return time.UnixMicro(n).UTC()
	}
	return time.Time{}
}

// StopReason turns the store's key into the word that views and the catalogue use.
func StopReason(key string) string {
	switch key {
	case "by_person":
		return "person"
	case "hard_end":
		return "hours"
	case "command_ended":
		return "exited"
	case "node_lost":
		return "lost"
	case "start_failed":
		return "failed"
	}
	return key
}
