package views

import (
	"strings"
	"time"

	"github.com/a-h/templ"
)

// A mail is a struct that begins with MailBase and knows its Letter: what stands in it. All letters have one shape, as text
// and as HTML.

// Mail is the content of a mail.
type Mail interface{ Letter() Letter }

// MailBase is what every mail is given.
type MailBase struct {
	Format
	To          string // the person's name
	Site        string // the console's address, e.g. "https://gpu.example.com", without a slash at its end
	Unsubscribe string // address, "" for what can not be unsubscribed from
	Now         time.Time
}

// Letter is what stands in a mail: a sentence, what it means, the figures, one link.
type Letter struct {
	MailBase
	Title        string
	Lead, Means  string
	Facts        []Fact
	Items        []LetterItem // of a digest
	Button, Link string
}

// LetterItem is one of several things that a digest tells.
type LetterItem struct {
	At          time.Time
	Title, Link string
}

// Subject is the mail's subject, one line.
func (m Letter) Subject() string { return oneLine(m.Title) }

// Text is the mail's plain part. What a person named is kept on one line, so that it can not pass for more mail.
func (m Letter) Text() string {
	var b strings.Builder
	line := func(s string) { b.WriteString(oneLine(s) + "\n") }
	line(m.T.MailHello(m.To))
	line("")
	line(m.Lead)
	if m.Means != "" {
		line(m.Means)
	}
	if len(m.Facts) > 0 {
		line("")
	}
	for _, f := range m.Facts {
		line(f.Name + ": " + f.Value)
	}
	for _, i := range m.Items {
		line("")
		line(m.moment(i.At) + " · " + i.Title)
		line(i.Link)
	}
	line("")
	line(m.Button + ":")
	line(m.Link)
	line("")
	line("-- ")
	line(m.T.MailFoot(m.Site))
	if m.Unsubscribe != "" {
		line(m.T.MailUnsubscribe() + ": " + m.Unsubscribe)
	} else {
		line(m.T.MailNeeded())
	}
	return b.String()
}

// HTML is the mail's HTML part.
func (m Letter) HTML() templ.Component { return mailHTML(m) }

// moment is a time with its zone, for a line of its own.
func (m MailBase) moment(t time.Time) string { return m.DateTime(t) + " " + m.ZoneAbbr(t) }

// oneLine takes line breaks and what else steers a terminal out of a text.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}
